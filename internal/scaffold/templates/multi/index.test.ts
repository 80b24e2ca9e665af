// Each test begins with an empty project, and may do what the manifest asks for.
import { callTool, describe, expect, project, test } from "rho-ext/test";

describe("my_tool_add", () => {
  test("adds a line that my_tool_list then has", async () => {
    expect((await callTool("my_tool_add", { line: "buy milk" })).text).toBe("notes/my_tool.txt has 1 lines now");
    await callTool("my_tool_add", { line: "call Ada" });
    expect((await callTool("my_tool_list", {})).structured).toEqual({ lines: ["buy milk", "call Ada"] });
  });

  test("refuses a line that is there already", async () => {
    await project.write("notes/my_tool.txt", "buy milk\n");
    const r = await callTool("my_tool_add", { line: "buy milk" });
    expect(r.isError).toBe(true);
    expect(r.text).toContain("already");
  });

  test("refuses more than one line", async () => {
    expect((await callTool("my_tool_add", { line: "one\ntwo" })).failure?.kind).toBe("invalid_args");
  });
});

describe("my_tool_list", () => {
  test("is empty where there are no notes", async () => {
    expect((await callTool("my_tool_list", {})).structured).toEqual({ lines: [] });
  });

  test("gives the lines that hold a text", async () => {
    await project.write("notes/my_tool.txt", "buy milk\ncall Ada\nsell milk\n");
    expect((await callTool("my_tool_list", { containing: "milk" })).structured).toEqual({ lines: ["buy milk", "sell milk"] });
  });
});
