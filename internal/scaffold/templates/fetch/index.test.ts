// No test touches the network: a request that no mock answers fails.
import { callTool, describe, expect, mockFetch, test } from "rho-ext/test";

const url = "https://api.github.com/repos/golang/go/releases/latest";

describe("my_tool", () => {
  test("gives the latest release", async () => {
    mockFetch().get(url).reply(200, {
      tag_name: "go1.26.0",
      published_at: "2026-02-10T12:00:00Z",
      html_url: "https://github.com/golang/go/releases/tag/go1.26.0",
      body: "Faster.\r\nSmaller.\r\n",
    });
    const r = await callTool("my_tool", { repo: "golang/go" });
    expect(r.isError).toBe(false);
    expect(r.structured).toEqual({
      tag: "go1.26.0",
      published: "2026-02-10T12:00:00Z",
      url: "https://github.com/golang/go/releases/tag/go1.26.0",
      notes: "Faster.\nSmaller.",
    });
  });

  for (const [status, kind, text] of [
    [404, "not_found", "golang/go has no release"],
    [429, "rate_limited", "too many requests"],
    [503, "provider", "status 503"],
  ] as const) {
    test(`says what a status of ${status} means`, async () => {
      mockFetch().get(url).reply(status, { message: "no" });
      const r = await callTool("my_tool", { repo: "golang/go" });
      expect(r.isError).toBe(true);
      expect(r.failure?.kind).toBe(kind);
      expect(r.text).toContain(text);
    });
  }

  test("gives up where the server takes too long", async () => {
    mockFetch().get(url).reply(async () => {
      await new Promise((resolve) => setTimeout(resolve, 2000));
      return { status: 200 };
    });
    const r = await callTool("my_tool", { repo: "golang/go", timeout: 0.1 });
    expect(r.failure?.kind).toBe("timeout");
    expect(r.text).toContain("no answer within 0.1 s");
  });

  test("asks nobody where the name is no name", async () => {
    const r = await callTool("my_tool", { repo: "../user" });
    expect(r.failure?.kind).toBe("invalid_args");
  });
});
