import { callCommand, callHook, callTool, describe, expect, settings, test } from "rho-ext/test";

describe("the guard", () => {
  const event = { toolName: "write_file", args: { path: "migrations/001.sql" }, risk: "write" } as const;

  test("blocks what is protected", async () => {
    expect(await callHook("onToolCall", event)).toEqual({ block: expect.stringContaining("migrations/") });
  });
  test("lets it be read", async () => {
    expect(await callHook("onToolCall", { ...event, risk: "read" })).toBeUndefined();
  });
  test("protects what the user has set", async () => {
    settings({ protect: "secrets/" });
    expect(await callHook("onToolCall", event)).toBeUndefined();
    expect(await callHook("onToolCall", { ...event, args: { path: "secrets/key" } })).toHaveProperty("block");
  });
  test("stands in the way of a real call", async () => {
    const r = await callTool("write_file", { path: "migrations/001.sql", content: "drop" });
    expect(r.status).toBe("skipped");
    expect(r.text).toContain("made by hand");
  });
});

test("the tally counts calls, and begins anew", async () => {
  await callTool("read_file", { path: "none.txt" });
  await callTool("list_dir", { path: "." });
  const { text } = await callCommand("tally");
  expect(text).toContain("list_dir: 1 calls, 0 failed");
  expect(text).toContain("read_file: 1 calls, 1 failed");
  // The command's own call was counted when it had ended.
  expect((await callCommand("tally", "reset")).text).toBe("forgot 3 tools");
});
