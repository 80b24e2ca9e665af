// callHook shows the hook an event, and gives what it decides; null lets the
// call be.
import { callHook, describe, expect, test } from "rho-ext/test";

describe("my-tool", () => {
  for (const [what, args] of [
    ["a file", { path: "migrations/0001.sql", content: "drop table users" }],
    ["a path of another system", { path: "db\\migrations\\0001.sql" }],
    ["a command", { command: "rm -rf migrations/" }],
    ["something deep inside", { edits: [{ file: "LICENSE" }] }],
  ] as const) {
    test(`stops a call that names what is protected: ${what}`, async () => {
      const decision = await callHook("onToolCall", { toolName: "write_file", args, risk: "write" });
      expect(decision).toEqual({ block: expect.stringContaining("write_file may not touch") });
    });
  }

  test("lets other calls be", async () => {
    expect(await callHook("onToolCall", { toolName: "write_file", args: { path: "src/main.ts" }, risk: "write" })).toBeUndefined();
  });

  test("lets anything be read", async () => {
    expect(await callHook("onToolCall", { toolName: "read_file", args: { path: "LICENSE" }, risk: "read" })).toBeUndefined();
  });
});
