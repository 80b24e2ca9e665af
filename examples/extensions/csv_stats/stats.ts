import type { Row } from "./csv";

export interface Column {
  name: string;
  /** Values that are not empty. */
  count: number;
  empty: number;
  distinct: number;
  /** Only where every value is a number. */
  min?: number;
  max?: number;
  mean?: number;
}

export interface Ragged {
  line: number;
  fields: number;
  expected: number;
}

const form = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

// Number itself takes more than what people write, such as 0x10 and Infinity.
const isNumber = (value: string) => form.test(value.trim()) && Number.isFinite(Number(value));

/** Describes each column. In a ragged row nobody knows which field is which, so it is only reported. */
export function summarise(names: string[], rows: Row[]): { rows: number; columns: Column[]; ragged: Ragged[] } {
  const ragged: Ragged[] = [];
  const whole = rows.filter(({ line, fields }) => {
    if (fields.length !== names.length) ragged.push({ line, fields: fields.length, expected: names.length });
    return fields.length === names.length;
  });
  const columns = names.map((name, i) => describe(name, whole.map((row) => row.fields[i] ?? "")));
  return { rows: whole.length, columns, ragged };
}

function describe(name: string, all: string[]): Column {
  const values = all.filter((value) => value !== "");
  const column: Column = { name, count: values.length, empty: all.length - values.length, distinct: new Set(values).size };
  if (values.length > 0 && values.every(isNumber)) {
    const numbers = values.map(Number);
    column.min = numbers.reduce((a, b) => Math.min(a, b));
    column.max = numbers.reduce((a, b) => Math.max(a, b));
    column.mean = mean(numbers);
  }
  return column;
}

// Neumaier's sum keeps what a plain one loses to rounding. Each value is divided
// first, so that the sum cannot overflow; 15 digits are what a double is good for.
function mean(numbers: number[]): number {
  let sum = 0;
  let lost = 0;
  for (const n of numbers) {
    const x = n / numbers.length;
    const next = sum + x;
    lost += Math.abs(sum) >= Math.abs(x) ? sum - next + x : x - next + sum;
    sum = next;
  }
  return Number((sum + lost).toPrecision(15));
}
