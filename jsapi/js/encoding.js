(function (host, use) {
  "use strict";
  const { expose, need, dictionary, usv, bytesOf, inspectors } = use("webidl");
  const { apply } = Reflect;
  const U8 = Uint8Array;
  const typedName = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(U8.prototype), Symbol.toStringTag).get;

  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(input = "") { return new U8(host.encode(`${input}`)); }
    encodeInto(source, destination) {
      need(arguments, 2, "TextEncoder.encodeInto");
      source = `${source}`;
      if (apply(typedName, destination, []) !== "Uint8Array") {
        throw new TypeError("TextEncoder.encodeInto: the destination must be a Uint8Array");
      }
      const [read, written] = host.encodeInto(source, destination);
      return { read, written };
    }
  }
  expose(TextEncoder, "TextEncoder");

  class TextDecoder {
    #encoding; #fatal; #ignoreBOM; #decoder;
    constructor(label = "utf-8", options) {
      label = usv(label);
      const o = dictionary(options, "The options of TextDecoder");
      this.#fatal = !!o.fatal;
      this.#ignoreBOM = !!o.ignoreBOM;
      const made = host.decoder(label, this.#fatal, this.#ignoreBOM);
      if (made === undefined) throw new RangeError(`TextDecoder: the encoding ${JSON.stringify(label)} is not supported`);
      [this.#decoder, this.#encoding] = made;
    }
    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(input, options) {
      const bytes = input === undefined ? new U8(0) : bytesOf(input);
      if (bytes === undefined) {
        throw new TypeError("TextDecoder.decode: the input must be an ArrayBuffer or a view of one");
      }
      const stream = !!dictionary(options, "The options of TextDecoder.decode").stream;
      const text = host.decode(this.#decoder, bytes, stream);
      if (text === undefined) throw new TypeError(`TextDecoder.decode: the bytes are not valid ${this.#encoding}`);
      return text;
    }
    static {
      inspectors.push((v) => (#encoding in v ? { encoding: v.#encoding, fatal: v.#fatal, ignoreBOM: v.#ignoreBOM } : undefined));
    }
  }
  expose(TextDecoder, "TextDecoder");

  return { TextEncoder, TextDecoder };
})
