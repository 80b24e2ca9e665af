// A tool that uses the network. Two things must allow that: risk (or the use of
// fetch, which the host sees) tells people and policies about it, and a grant
// such as --allow-net=example.org opens one host. Without the grant fetch throws
// before anything leaves the machine.
import { defineTool, s, ToolError } from "rho-ext";

const shown = ["content-type", "content-length", "content-encoding", "last-modified", "etag", "cache-control", "location", "retry-after", "server"];

export default defineTool({
  name: "http_status",
  description:
    "Ask a web server for a URL and report the status, the final URL after redirects, the time to the response's headers in milliseconds, " +
    "and the headers that matter. The body is not read. A status such as 404 is an answer, not a failure.",
  risk: "network",
  parameters: {
    url: s.string({ pattern: "^https?://" }).describe("An absolute http or https URL"),
    method: s.enum(["HEAD", "GET"]).describe("GET where a server does not answer HEAD well").default("HEAD"),
    timeout: s.number({ minimum: 0.1, maximum: 60 }).describe("Seconds to wait for the headers").default(10),
  },
  timeoutMs: 65_000, // more than the longest wait that the schema allows
  async execute({ url, method, timeout }, ctx) {
    // Stops when the call is cancelled, and when the server takes too long.
    const late = AbortSignal.timeout(timeout * 1000);
    const signal = AbortSignal.any([ctx.signal, late]);
    const start = performance.now();
    let response: Response;
    try {
      response = await fetch(url, { method, signal });
    } catch (error) {
      if (!late.aborted) throw error; // refused, unreachable or cancelled: the host says it best
      throw new ToolError(`no answer from ${new URL(url).host} within ${timeout} s`, { hint: "try a longer timeout", kind: "timeout", retryable: true, cause: error });
    }
    const timeMs = Math.round((performance.now() - start) * 10) / 10;
    const headers: Record<string, string> = {};
    for (const name of shown) {
      const value = response.headers.get(name);
      if (value !== null) headers[name] = value;
    }
    return { status: response.status, statusText: response.statusText, url: response.url, redirected: response.redirected, timeMs, headers };
  },
});
