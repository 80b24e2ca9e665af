import { callTool, expect, mockFetch, test, vi } from "rho-ext/test";

const url = "https://example.org/";

test("tells the status, and the headers that matter", async () => {
  const net = mockFetch().head(url).reply(404, undefined, { "content-type": "text/html", "x-request-id": "7" });
  const r = await callTool("http_status", { url });
  expect(r.structured).toMatchObject({ status: 404, url, redirected: false, headers: { "content-type": "text/html" } });
  expect(r.text).not.toContain("x-request-id");
  expect(net.calls).toHaveLength(1);
});

test("follows redirects", async () => {
  mockFetch().head(url).reply(301, undefined, { location: "/moved" }).head(`${url}moved`).reply(200);
  expect((await callTool("http_status", { url })).structured).toMatchObject({ status: 200, url: `${url}moved`, redirected: true });
});

test("gives up when the server takes too long", async () => {
  vi.useFakeTimers();
  mockFetch().head(url).reply(() => new Promise<never>(() => {})); // it never answers
  const asking = callTool("http_status", { url, timeout: 2 });
  await vi.advanceTimersByTimeAsync(2000);
  expect(await asking).toMatchObject({ isError: true, failure: { kind: "timeout" } });
});

test("says what a broken connection said", async () => {
  mockFetch().any(/./).replyError("connection reset");
  expect((await callTool("http_status", { url })).text).toContain("connection reset");
});
