// A test may import the extension's own modules, to look at a part of it alone.
import { describe, expect, test } from "rho-ext/test";
import { CSVError, parse } from "./csv";

const fields = (text: string, delimiter = ",") => parse(text, delimiter).map((row) => row.fields);

describe("parse", () => {
  test.each([
    ["a,b\n1,2\n", [["a", "b"], ["1", "2"]]],
    ['"a,b","c""d"\n', [["a,b", 'c"d']]],
    ['"two\nlines",x', [["two\nlines", "x"]]],
    ["", []],
  ])("reads %j", (text, rows) => {
    expect(fields(text)).toEqual(rows);
  });

  test("names the line where a quote does not end", () => {
    expect(() => parse('a\n"b', ",")).toThrow(CSVError);
    expect(() => parse('a\n"b', ",")).toThrow(expect.objectContaining({ line: 2 }));
  });
});
