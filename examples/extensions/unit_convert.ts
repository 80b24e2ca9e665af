// A tool that only computes, in a full manifest: version, description and the
// version of rho-ext that it needs. The schema builder's enums tell a model
// exactly which values there are.
import { defineExtension, defineTool, s, ToolError } from "rho-ext";

// An exact number: a fraction. 0.1 + 0.2 is 0.3 here.
type Exact = readonly [numerator: bigint, denominator: bigint];

// exact reads the shortest decimal text of a number, which is what was meant.
function exact(value: number | string): Exact {
  const [, sign, whole, part = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(String(value))!;
  const digits = BigInt(`${sign}${whole}${part}`);
  const power = Number(exponent) - part.length;
  return power >= 0 ? [digits * 10n ** BigInt(power), 1n] : [digits, 10n ** BigInt(-power)];
}
const add = ([a, b]: Exact, [c, d]: Exact): Exact => [a * d + c * b, b * d];
const times = ([a, b]: Exact, [c, d]: Exact): Exact => [a * c, b * d];
const over = ([a, b]: Exact, [c, d]: Exact): Exact => (c < 0n ? [-a * d, -b * c] : [a * d, b * c]);

// decimal writes a fraction: whole numbers in full, others to 15 digits, which
// is what a JavaScript number can hold.
function decimal([n, d]: Exact): string {
  if (n % d === 0n && String(n / d).length <= 21) return String(n / d);
  const size = n < 0n ? -n : n;
  // scale moves the point so that the quotient has 15 digits or one more.
  const scale = 15 - (String(size).length - String(d).length);
  const [up, down] = scale >= 0 ? [10n ** BigInt(scale), 1n] : [1n, 10n ** BigInt(-scale)];
  let quotient = (size * up * 2n + d * down) / (d * down * 2n); // rounds half up
  let exponent = -scale;
  if (quotient >= 10n ** 15n) {
    quotient = (size * up * 2n + d * down * 10n) / (d * down * 20n);
    exponent++;
  }
  return String(Number(`${n < 0n ? "-" : ""}${quotient}e${exponent}`));
}

// Each unit is some number of its quantity's base unit, after its zero is moved.
interface Unit {
  quantity: string;
  factor: Exact;
  zero: Exact;
}
const unit = (quantity: string, factor: string, parts = "1", zero = "0"): Unit => ({ quantity, factor: over(exact(factor), exact(parts)), zero: exact(zero) });

const units = {
  mm: unit("length", "0.001"), cm: unit("length", "0.01"), m: unit("length", "1"), km: unit("length", "1000"),
  in: unit("length", "0.0254"), ft: unit("length", "0.3048"), yd: unit("length", "0.9144"), mi: unit("length", "1609.344"), nmi: unit("length", "1852"),
  mg: unit("mass", "0.001"), g: unit("mass", "1"), kg: unit("mass", "1000"), t: unit("mass", "1000000"),
  oz: unit("mass", "28.349523125"), lb: unit("mass", "453.59237"), st: unit("mass", "6350.29318"),
  K: unit("temperature", "1"), C: unit("temperature", "1", "1", "273.15"), F: unit("temperature", "5", "9", "459.67"),
  bit: unit("data", "0.125"), B: unit("data", "1"),
  kB: unit("data", "1e3"), MB: unit("data", "1e6"), GB: unit("data", "1e9"), TB: unit("data", "1e12"),
  KiB: unit("data", "1024"), MiB: unit("data", "1048576"), GiB: unit("data", "1073741824"), TiB: unit("data", "1099511627776"),
};
type Name = keyof typeof units;
const names = Object.keys(units) as Name[];

const convert = defineTool({
  name: "unit_convert",
  description:
    "Convert a value between units of length (mm cm m km in ft yd mi nmi), mass (mg g kg t oz lb st), temperature (C F K) " +
    "or data (bit B kB MB GB TB by 1000, KiB MiB GiB TiB by 1024). Exact to 15 digits.",
  risk: "read", // the least there is
  parameters: {
    value: s.number().describe("The value to convert"),
    from: s.enum(names).describe("The unit it is in"),
    to: s.enum(names).describe("The unit to convert to; of the same quantity as from"),
  },
  examples: [{ args: { value: 26.2, from: "mi", to: "km" }, note: "a marathon" }],
  execute({ value, from, to }) {
    const source = units[from];
    const target = units[to];
    if (source.quantity !== target.quantity) {
      throw new ToolError(`${from} is a unit of ${source.quantity}, ${to} of ${target.quantity}`, {
        hint: `${from} converts to ${names.filter((name) => name !== from && units[name].quantity === source.quantity).join(", ")}`,
        kind: "invalid_args",
        retryable: false,
      });
    }
    const base = times(add(exact(value), source.zero), source.factor);
    if (source.quantity === "temperature" && base[0] < 0n) {
      throw new ToolError(`${value} ${from} is below absolute zero`, { hint: "the lowest are 0 K, -273.15 C and -459.67 F", kind: "invalid_args", retryable: false });
    }
    const [zero, one] = target.zero;
    const text = decimal(add(over(base, target.factor), [-zero, one]));
    if (!Number.isFinite(Number(text))) throw new ToolError(`${value} ${from} is too large to be written in ${to}`, { kind: "invalid_args", retryable: false });
    return { value: Number(text), unit: to, text: `${value} ${from} = ${text} ${to}` };
  },
});

export default defineExtension({
  name: "Unit converter",
  version: "1.0.0",
  description: "Length, mass, temperature and data",
  engines: { rhoExt: ">=0.1" }, // an older rho-ext refuses the file and says why
  tools: [convert],
});
