// RFC 4180, with LF as well as CRLF between rows.

export interface Row {
  /** Where the row begins, from 1. A field in quotes may hold newlines. */
  line: number;
  fields: string[];
}

export class CSVError extends Error {
  constructor(
    readonly line: number,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** Splits a text into rows of fields. The newline after the last row is optional. */
export function parse(text: string, delimiter: string): Row[] {
  const rows: Row[] = [];
  let at = text.startsWith("\ufeff") ? 1 : 0; // a byte order mark is no data
  let line = 1;
  const nextDelimiter = finder(delimiter);
  const nextNewline = finder("\n");
  const nextQuote = finder('"');
  while (at < text.length) {
    const row: Row = { line, fields: [] };
    rows.push(row);
    do row.fields.push(text[at] === '"' ? quoted() : plain());
    while (text[at] === delimiter && ++at);
    // The row ends here, or the text does.
    if (text[at] === "\r") at++;
    at++;
    line++;
  }
  return rows;

  function plain(): string {
    const start = at;
    const newline = nextNewline();
    at = Math.min(nextDelimiter(), newline);
    if (at === newline && at > start && at < text.length && text[at - 1] === "\r") at--;
    if (nextQuote(start) < at) {
      throw new CSVError(line, "there is a quote inside a field that does not begin with one", 'put the whole field in quotes and write each quote in it twice, as in "5"" pipe"');
    }
    return text.slice(start, at);
  }

  function quoted(): string {
    const opened = line;
    let value = "";
    for (;;) {
      const close = text.indexOf('"', at + 1);
      if (close < 0) throw new CSVError(opened, "a quote is opened and never closed", "is the file cut off, or is there a single quote where two are needed?");
      const piece = text.slice(at + 1, close);
      value += piece;
      line += piece.split("\n").length - 1;
      at = close + 1;
      if (text[at] !== '"') break;
      value += '"'; // two quotes stand for one
    }
    const ends = at >= text.length || text[at] === delimiter || text[at] === "\n" || (text[at] === "\r" && text[at + 1] === "\n");
    if (!ends) throw new CSVError(line, "there is text between a closing quote and the end of its field", "write a quote inside a field twice, or check the delimiter");
    return value;
  }

  // finder makes a function that gives the next place of a character, or the
  // end, and remembers it: each part of the text is looked through once.
  function finder(character: string): (from?: number) => number {
    let found = -1;
    return (from = at) => {
      if (found < from) {
        found = text.indexOf(character, from);
        if (found < 0) found = text.length;
      }
      return found;
    };
  }
}
