// A tool that asks a server. Nothing leaves the machine before the user has
// granted the host: rho-ext grant my-tool --allow-net=api.github.com
import { defineExtension, defineTool, s, ToolError } from "rho-ext";

interface Release {
  tag_name: string;
  published_at: string;
  html_url: string;
  body: string | null;
}

const latest = defineTool({
  name: "my_tool",
  description: "Look up the latest release of a project on GitHub: its tag, its date, its address and the first lines of its notes.",
  risk: "network",
  parameters: {
    repo: s.string({ pattern: "^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_][A-Za-z0-9_.-]*$" }).describe("Owner and name, such as golang/go"),
    timeout: s.number({ minimum: 0.1, maximum: 30 }).describe("Seconds to wait for an answer").default(10),
  },

  async execute({ repo, timeout }, ctx) {
    // ctx.signal fires when the call is cancelled, the other one when the server
    // takes too long.
    const late = AbortSignal.timeout(timeout * 1000);
    let response: Response;
    let release: Release;
    try {
      response = await fetch(`https://api.github.com/repos/${repo}/releases/latest`, {
        headers: { accept: "application/vnd.github+json" },
        signal: AbortSignal.any([ctx.signal, late]),
      });
      if (!response.ok) throw refused(repo, response); // fetch itself fails only where there is no answer at all
      release = await response.json();
    } catch (error) {
      if (!late.aborted || error instanceof ToolError) throw error; // cancelled, denied or unreachable: the host says it best
      throw new ToolError(`api.github.com gave no answer within ${timeout} s`, {
        kind: "timeout",
        retryable: true,
        hint: "try again with a longer timeout",
        cause: error,
      });
    }
    ctx.log.debug("asked", { repo, tag: release.tag_name });
    return {
      tag: release.tag_name,
      published: release.published_at,
      url: release.html_url,
      notes: (release.body ?? "").split(/\r?\n/).slice(0, 20).join("\n").trim(),
    };
  },
});

/** What a status that is no success means to the model. */
function refused(repo: string, { status, headers }: Response): ToolError {
  switch (status) {
    case 404:
      return new ToolError(`${repo} has no release, or there is no such project`, { kind: "not_found", hint: "check owner and name" });
    case 403:
    case 429:
      return new ToolError("api.github.com has had too many requests from here", {
        kind: "rate_limited",
        retryable: true,
        hint: `try again in ${headers.get("retry-after") ?? "60"} s`,
      });
    default:
      return new ToolError(`api.github.com answered with status ${status}`, { kind: "provider", retryable: status >= 500 });
  }
}

export default defineExtension({
  name: "my-tool",
  version: "0.1.0",
  description: "Looks up releases on GitHub.",
  // The most that it can ever be granted. It reads no files.
  permissions: { net: ["api.github.com"], read: [] },
  tools: [latest],
});
