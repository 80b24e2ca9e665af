// The virtual module "rho-ext": pure functions over plain data, so that a
// bundler can drop what an extension does not import.
//
// Tools and schemas share no helper. Static reading follows what is passed
// through one, and would take two tools that share a schema for one.

const brand = (o, name, value) =>
  Object.defineProperty(o, Symbol.for(name), { value, enumerable: false, configurable: false, writable: false });

const isObject = (v) => typeof v === "object" && v !== null;

const kindOf = (v) => (v === null ? "null" : Array.isArray(v) ? "an array" : typeof v === "object" ? "an object" : typeof v);

function mustBe(what, field, v, type) {
  if (typeof v !== type || v === "") {
    const got = v === undefined ? "is missing" : v === "" ? "is empty" : `is ${kindOf(v)}`;
    throw new TypeError(`${what}: ${field} must be a ${type}, but it ${got}`);
  }
}

/** Marks an object as a tool, whose execute gets (args, ctx). */
export function defineTool(tool) {
  if (!isObject(tool)) throw new TypeError(`defineTool: expected an object with name, description and execute, got ${kindOf(tool)}`);
  mustBe("defineTool", "name", tool.name, "string");
  const what = `defineTool (${tool.name})`;
  mustBe(what, "description", tool.description, "string");
  mustBe(what, "execute", tool.execute, "function");
  return brand(tool, "rho-ext.tool", true);
}

/** Marks an object as an extension's manifest. */
export function defineExtension(extension) {
  if (!isObject(extension)) throw new TypeError(`defineExtension: expected an object with name and tools, got ${kindOf(extension)}`);
  mustBe("defineExtension", "name", extension.name, "string");
  if (extension.tools !== undefined && !Array.isArray(extension.tools)) {
    throw new TypeError(`defineExtension (${extension.name}): tools must be an array, but it is ${kindOf(extension.tools)}`);
  }
  return brand(extension, "rho-ext.extension", true);
}

/** An error whose message is meant for the model. */
export class ToolError extends Error {
  constructor(message, options = {}) {
    if (!isObject(options)) throw new TypeError(`ToolError: the options must be an object, got ${kindOf(options)}`);
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    for (const key of ["hint", "details", "kind", "retryable", "code"]) {
      if (options[key] !== undefined) this[key] = options[key];
    }
    // Own and writable: subclasses assign this.name.
    Object.defineProperty(this, "name", { value: "ToolError", writable: true, configurable: true });
    brand(this, "rho-ext.error", true);
  }
}

const mark = (o, name, value) =>
  Object.defineProperty(o, Symbol.for(name), { value, enumerable: false, configurable: false, writable: false });

const isRecord = (v) => typeof v === "object" && v !== null;

const typeName = (v) => (v === null ? "null" : Array.isArray(v) ? "an array" : typeof v === "object" ? "an object" : typeof v);

// The methods of a schema stay on the prototype, so that JSON.stringify and
// loops see the JSON Schema alone. Each returns a new schema.
class Schema {
  describe(text) {
    if (typeof text !== "string") throw new TypeError(`describe: expected a string, got ${typeName(text)}`);
    return derive(this, { description: text }, false);
  }
  optional() {
    return derive(this, {}, true);
  }
  default(value) {
    if (value === undefined) throw new TypeError("default: expected a value, got undefined; use optional() for none");
    return derive(this, { default: value }, true);
  }
}

function schema(json, optional = false) {
  const o = new Schema();
  for (const key of Object.keys(json)) {
    // Defined, not assigned: __proto__ is a key like any other.
    if (json[key] !== undefined) Object.defineProperty(o, key, { value: json[key], writable: true, enumerable: true, configurable: true });
  }
  return mark(o, "rho-ext.schema", Object.freeze({ optional }));
}

// type and description first, as people write it.
function derive(from, changes, optional) {
  const { type, description, ...rest } = { ...from, ...changes };
  return schema({ type, description, ...rest }, optional || from[Symbol.for("rho-ext.schema")].optional);
}

const isSchema = (v) => isRecord(v) && isRecord(v[Symbol.for("rho-ext.schema")]);

function mustBeSchema(what, v) {
  if (!isSchema(v)) throw new TypeError(`${what}: expected a schema such as s.string(), got ${typeName(v)}`);
  return v;
}

// Copies the known options and refuses others, which are usually typing errors.
function options(what, given, known) {
  if (given === undefined) return {};
  if (!isRecord(given)) throw new TypeError(`${what}: the options must be an object, got ${typeName(given)}`);
  const out = {};
  for (const key of Object.keys(given)) {
    if (given[key] === undefined) continue;
    const type = known[key];
    if (type === undefined) throw new TypeError(`${what}: unknown option ${key}; known are ${Object.keys(known).join(", ")}`);
    if (typeof given[key] !== type || Number.isNaN(given[key])) {
      throw new TypeError(`${what}: ${key} must be a ${type}, got ${typeName(given[key])}`);
    }
    out[key] = given[key];
  }
  return out;
}

/** Builds schemas; each one is a JSON Schema object. */
export const s = /* @__PURE__ */ Object.freeze({
  string: (o) =>
    schema({ type: "string", ...options("s.string", o, { minLength: "number", maxLength: "number", pattern: "string", format: "string" }) }),
  number: (o) => schema({ type: "number", ...options("s.number", o, { minimum: "number", maximum: "number" }) }),
  integer: (o) => schema({ type: "integer", ...options("s.integer", o, { minimum: "number", maximum: "number" }) }),
  boolean: () => schema({ type: "boolean" }),
  enum(values) {
    if (!Array.isArray(values) || values.length === 0) throw new TypeError("s.enum: expected a list of at least one value");
    for (const v of values) {
      if (typeof v !== "string" && typeof v !== "number") throw new TypeError(`s.enum: values must be strings or numbers, got ${typeName(v)}`);
    }
    const strings = values.every((v) => typeof v === "string");
    return schema({ type: strings ? "string" : undefined, enum: [...values] });
  },
  array: (items, o) =>
    schema({
      type: "array",
      items: mustBeSchema("s.array", items),
      ...options("s.array", o, { minItems: "number", maxItems: "number" }),
    }),
  object(props) {
    if (!isRecord(props) || Array.isArray(props) || isSchema(props)) {
      throw new TypeError(`s.object: expected an object of schemas, got ${isSchema(props) ? "a schema" : typeName(props)}`);
    }
    const required = [];
    for (const key of Object.keys(props)) {
      if (!mustBeSchema(`s.object: property ${key}`, props[key])[Symbol.for("rho-ext.schema")].optional) required.push(key);
    }
    return schema({
      type: "object",
      properties: { ...props },
      required: required.length > 0 ? required : undefined,
      additionalProperties: false,
    });
  },
  record: (values) => schema({ type: "object", additionalProperties: mustBeSchema("s.record", values) }),
  union(of) {
    if (!Array.isArray(of) || of.length === 0) throw new TypeError("s.union: expected a list of at least one schema");
    return schema({ anyOf: of.map((v, i) => mustBeSchema(`s.union: element ${i}`, v)) });
  },
  json(raw) {
    if (!isRecord(raw) || Array.isArray(raw)) throw new TypeError(`s.json: expected a JSON Schema object, got ${typeName(raw)}`);
    return schema(raw, isSchema(raw) && raw[Symbol.for("rho-ext.schema")].optional);
  },
});
