// Runs in the same sandbox as the extension, and through all that a model's call
// goes through. `project` is a folder of this test alone.
import { callTool, describe, expect, project, test } from "rho-ext/test";

describe("my_tool", () => {
  test("gives the lines that hold the word", async () => {
    await project.write("notes.txt", "buy milk\nsell milk\nBuy bread\n");
    const r = await callTool("my_tool", { path: "notes.txt", word: "buy", case: "ignore" });
    expect(r.isError).toBe(false);
    expect(r.structured).toEqual({
      path: "notes.txt",
      total: 2,
      lines: [
        { line: 1, text: "buy milk" },
        { line: 3, text: "Buy bread" },
      ],
    });
  });

  test("gives no more lines than it is asked for, and says how many there are", async () => {
    await project.write("long.txt", "x\n".repeat(9));
    const r = await callTool("my_tool", { path: "long.txt", word: "x", limit: 2 });
    expect(r.structured).toMatchObject({ total: 9, lines: [{ line: 1 }, { line: 2 }] });
  });

  test("says that a file is missing, and what to do", async () => {
    const r = await callTool("my_tool", { path: "none.txt", word: "x" });
    expect(r.isError).toBe(true);
    expect(r.failure?.kind).toBe("not_found");
    expect(r.text).toContain("there is no file none.txt");
  });

  test("refuses arguments that break its schema", async () => {
    const r = await callTool("my_tool", { path: "notes.txt", limit: 0 });
    expect(r.failure?.kind).toBe("invalid_args");
    expect(r.text).toContain("word");
    expect(r.text).toContain("limit");
  });
});
