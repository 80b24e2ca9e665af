// Each test has a state of its own.
import { callCommand, completeCommand, describe, expect, test } from "rho-ext/test";

describe("my-tool", () => {
  test("begins with an empty list", async () => {
    expect(await callCommand("my-tool", "")).toMatchObject({ text: "nothing to do", isError: false });
  });

  test("keeps what is added until it is done", async () => {
    await callCommand("my-tool", "add buy milk");
    await callCommand("my-tool", "add  call  Ada ");
    expect((await callCommand("my-tool", "list")).text).toBe("1. buy milk\n2. call Ada");
    expect((await callCommand("my-tool", "done 1")).text).toBe("1. call Ada");
    expect((await callCommand("my-tool", "clear")).text).toBe("nothing to do");
  });

  test("completes its words and the numbers of items", async () => {
    await callCommand("my-tool", "add buy milk");
    expect(await completeCommand("my-tool", "d")).toEqual(["done"]);
    expect(await completeCommand("my-tool", "done ")).toEqual(["done 1"]);
  });

  for (const text of ["done 1", "done", "done -1", "add", "ad milk"]) {
    test(`says what is wrong with ${JSON.stringify(text)}, and changes nothing`, async () => {
      expect((await callCommand("my-tool", text)).isError).toBe(true);
      expect((await callCommand("my-tool", "list")).text).toBe("nothing to do");
    });
  }
});
