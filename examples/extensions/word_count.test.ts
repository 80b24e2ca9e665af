import { callTool, expect, project, test } from "rho-ext/test";

// Each row is a call: the arguments of test.each are those of the function.
test.each([
  ["", { lines: 0, words: 0, bytes: 0 }],
  ["one\n", { lines: 1, words: 1, bytes: 4 }],
  ["no newline at the end", { lines: 0, words: 5, bytes: 21 }],
  ["é 😀\r\n", { lines: 1, words: 2, bytes: 9 }],
])("counts %j as wc does", async (text, counted) => {
  await project.write("text.txt", text);
  expect((await callTool("word_count", { path: "text.txt" })).structured).toEqual(counted);
});

test("has no answer for what is no text", async () => {
  await project.write("image.png", new Uint8Array([0x89, 0x50, 0xff]));
  const r = await callTool("word_count", { path: "image.png" });
  expect(r.isError).toBe(true);
  expect(r.text).toMatch(/not UTF-8/);
});
