// What stands for many values: expect.any(String) and the like.
(function (host, use) {
  "use strict";
  const { isArray, isObject, keys, enumerableSymbols, hasOwn, getPrototypeOf, plural, tagOf, defineProperty } = use("testing/base");
  const { equals } = use("testing/equal");
  const ErrorClass = Error, WrongType = TypeError;
  const { abs } = Math;

  class Matcher {
    constructor(sample, inverse = false) {
      defineProperty(this, "$$typeof", { value: Symbol.for("jest.asymmetricMatcher"), enumerable: false });
      this.sample = sample;
      this.inverse = inverse;
    }
    asymmetricMatch(other, testers) {
      const yes = this.matches(other, testers);
      return this.inverse ? !yes : yes;
    }
    named(before, after) { return `${before}${this.inverse ? "Not" : ""}${after}`; }
  }

  class Anything extends Matcher {
    matches(other) { return other !== undefined && other !== null; }
    toString() { return "Anything"; }
    toAsymmetricMatcher() { return "Anything"; }
  }

  const kinds = new Map([[String, "string"], [Number, "number"], [Function, "function"], [Object, "object"], [Boolean, "boolean"], [BigInt, "bigint"], [Symbol, "symbol"]]);
  class Any extends Matcher {
    constructor(sample) {
      if (sample === undefined) throw new WrongType("any() expects to be passed a constructor function. Please pass one or use anything() to match any object.");
      super(sample);
    }
    matches(other) {
      const C = this.sample, kind = kinds.get(C);
      if (kind === "object") return typeof other === "object";
      if (kind === "function") return typeof other === "function";
      return (kind !== undefined && typeof other === kind) || other instanceof C;
    }
    toString() { return "Any"; }
    getExpectedType() { const kind = kinds.get(this.sample); return kind !== undefined && kind !== "bigint" && kind !== "symbol" ? kind : this.name(); }
    name() { return this.sample.name || "<anonymous>"; }
    toAsymmetricMatcher() { return `Any<${this.name()}>`; }
  }

  const isString = (v) => tagOf(v) === "String";
  class StringContaining extends Matcher {
    constructor(sample, inverse) {
      if (!isString(sample)) throw new ErrorClass("Expected is not a string");
      super(sample, inverse);
    }
    matches(other) { return isString(other) && other.includes(this.sample); }
    toString() { return this.named("String", "Containing"); }
    getExpectedType() { return "string"; }
  }
  class StringMatching extends Matcher {
    constructor(sample, inverse) {
      if (!isString(sample) && tagOf(sample) !== "RegExp") throw new ErrorClass("Expected is not a String or a RegExp");
      super(new RegExp(sample), inverse);
    }
    matches(other) { return isString(other) && this.sample.test(other); }
    toString() { return this.named("String", "Matching"); }
    getExpectedType() { return "string"; }
  }

  function has(o, key) {
    for (; o !== undefined && o !== null; o = getPrototypeOf(Object(o))) if (hasOwn(o, key)) return true;
    return false;
  }
  class ObjectContaining extends Matcher {
    matches(other, testers) {
      if (typeof this.sample !== "object") throw new WrongType(`You must provide an object to ${this.toString()}, not '${typeof this.sample}'.`);
      const ks = [...keys(this.sample), ...enumerableSymbols(this.sample)];
      for (let i = 0; i < ks.length; i++) {
        if (!has(other, ks[i]) || !equals(this.sample[ks[i]], other[ks[i]], testers)) return false;
      }
      return true;
    }
    toString() { return this.named("Object", "Containing"); }
    getExpectedType() { return "object"; }
  }
  class ArrayContaining extends Matcher {
    matches(other, testers) {
      if (!isArray(this.sample)) throw new WrongType(`You must provide an array to ${this.toString()}, not '${typeof this.sample}'.`);
      return this.sample.length === 0 || (isArray(other) && this.sample.every((item) => other.some((another) => equals(item, another, testers))));
    }
    toString() { return this.named("Array", "Containing"); }
    getExpectedType() { return "array"; }
  }
  class CloseTo extends Matcher {
    constructor(sample, precision = 2, inverse = false) {
      if (tagOf(sample) !== "Number") throw new ErrorClass("Expected is not a Number");
      if (tagOf(precision) !== "Number") throw new ErrorClass("Precision is not a Number");
      super(sample, inverse);
      this.precision = precision;
    }
    asymmetricMatch(other) {
      if (tagOf(other) !== "Number") return false;
      const same = (other === Infinity || other === -Infinity) && other === this.sample;
      const yes = same || abs(this.sample - other) < 10 ** -this.precision / 2;
      return this.inverse ? !yes : yes;
    }
    toString() { return this.named("Number", "CloseTo"); }
    getExpectedType() { return "number"; }
    toAsymmetricMatcher() { return `${this.toString()} ${this.sample} (${plural(this.precision, "digit")})`; }
  }
  class SchemaMatching extends Matcher {
    constructor(sample, inverse) {
      if (typeof sample?.["~standard"]?.validate !== "function") throw new WrongType("SchemaMatching expected to receive a Standard Schema.");
      super(sample, inverse);
    }
    matches(other) {
      const r = this.sample["~standard"].validate(other);
      if (r instanceof Promise) throw new WrongType("Async schema validation is not supported in asymmetric matchers.");
      return !r.issues || r.issues.length === 0;
    }
    toString() { return this.named("Schema", "Matching"); }
    getExpectedType() { return "object"; }
    toAsymmetricMatcher() { return this.toString(); }
  }

  const family = (inverse) => ({
    stringContaining: (v) => new StringContaining(v, inverse),
    stringMatching: (v) => new StringMatching(v, inverse),
    objectContaining: (v) => new ObjectContaining(v, inverse),
    arrayContaining: (v) => new ArrayContaining(v, inverse),
    closeTo: (v, precision) => new CloseTo(v, precision, inverse),
    schemaMatching: (v) => new SchemaMatching(v, inverse),
  });
  const all = { ...family(false), any: (C) => new Any(C), anything: () => new Anything(), not: family(true) };
  return { all, Matcher, isObject };
})
