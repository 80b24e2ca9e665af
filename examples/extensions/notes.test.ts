import { callTool, expect, project, test } from "rho-ext/test";

test("keeps lines in the project", async () => {
  await callTool("note_add", { name: "shopping", line: "milk" });
  await callTool("note_add", { name: "shopping", line: "bread" });
  expect(await project.read("notes/shopping.md")).toBe("- milk\n- bread\n");
  expect((await callTool("note_read", { name: "shopping" })).text).toBe("- milk\n- bread\n");
  expect((await callTool("note_read")).text).toBe("notes/shopping.md");
});

test("says which note is missing, and how to find others", async () => {
  const r = await callTool("note_read", { name: "none" });
  expect(r.failure).toMatchObject({ kind: "not_found" });
  expect(r.text).toMatchInlineSnapshot(`
    "there is no note none
    note_read without a name lists them"
  `);
});

test("leaves its folder alone where a name would leave it", async () => {
  expect((await callTool("note_add", { name: "../x", line: "y" })).failure?.kind).toBe("invalid_args");
  expect(await project.list()).toEqual([]);
});
