// An extension in more than one file is a folder with a mod.ts. It imports its
// neighbours, and whatever npm packages lie in node_modules.
import { defineTool, s, ToolError } from "rho-ext";

import { CSVError, parse } from "./csv";
import { summarise } from "./stats";

export default defineTool({
  name: "csv_stats",
  description:
    "Read a CSV file of the project (RFC 4180) and give for each column: how many values, how many empty, how many distinct, " +
    "and for columns of numbers the minimum, maximum and mean. " +
    "Rows that have more or fewer fields than the header are listed under ragged, with their line, and not counted.",
  risk: "read",
  parameters: {
    path: s.string({ minLength: 1 }).describe("Path of the file, relative to the project's root"),
    delimiter: s.enum([",", ";", "\t", "|"]).describe("What separates the fields").default(","),
    header: s.boolean().describe("Whether the first row holds the names of the columns").default(true),
  },
  execute({ path, delimiter, header }) {
    let rows;
    try {
      rows = parse(rho.readFile(path), delimiter);
    } catch (error) {
      if (!(error instanceof CSVError)) throw error;
      // A ToolError's message and hint are written for the model that called.
      throw new ToolError(`${path}, line ${error.line}: ${error.message}`, { hint: error.hint, code: "csv", retryable: false });
    }
    const first = rows[0];
    if (first === undefined) throw new ToolError(`${path} is empty`, { hint: "a CSV file has at least one row", code: "csv", retryable: false });
    const names = first.fields.map((name, i) => (header && name.trim() !== "" ? name : `column ${i + 1}`));
    const { rows: counted, columns, ragged } = summarise(names, header ? rows.slice(1) : rows);
    return { file: path, rows: counted, columns, ragged };
  },
});
