package jsapi

import "testing"

func TestTextEncoder(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"UTF-8", `return [...new TextEncoder().encode("aé€😀")]`, `[97,195,169,226,130,172,240,159,152,128]`},
		{"nothing is empty", `return [new TextEncoder().encode().length, new TextEncoder().encode(undefined).length, new TextEncoder().encoding]`, `[0,0,"utf-8"]`},
		{"a lone surrogate becomes U+FFFD", `return [...new TextEncoder().encode("\ud800x")]`, `[239,191,189,120]`},
		{"converts other values", `return [...new TextEncoder().encode(12)]`, `[49,50]`},
		{"encodeInto stops before a character that does not fit", `const b = new Uint8Array(5); const r = new TextEncoder().encodeInto("a€€", b); return [r, [...b]]`, `[{"read":2,"written":4},[97,226,130,172,0]]`},
		{"encodeInto counts UTF-16 units", `return new TextEncoder().encodeInto("😀x\udc00", new Uint8Array(20))`, `{"read":4,"written":8}`},
		{"encodeInto respects the view", `const b = new Uint8Array(4); new TextEncoder().encodeInto("abc", b.subarray(1, 3)); return [...b]`, `[0,97,98,0]`},
		{"encodeInto refuses other arrays", `new TextEncoder().encodeInto("a", new Int8Array(2))`, `TypeError: TextEncoder.encodeInto: the destination must be a Uint8Array`},
	})
}

func TestTextDecoder(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"labels", `return ["utf8", " UTF-8\n", "latin1", "ascii", "utf-16", "sjis", "gb18030", "koi8-r", "x-user-defined"].map(l => new TextDecoder(l).encoding)`, `["utf-8","utf-8","windows-1252","windows-1252","utf-16le","shift_jis","gb18030","koi8-r","x-user-defined"]`},
		{"unknown label", `new TextDecoder("utf-7")`, `RangeError: TextDecoder: the encoding "utf-7" is not supported`},
		{"label with a space of another kind", `new TextDecoder("utf-8\u00a0")`, "RangeError: TextDecoder: the encoding \"utf-8\u00a0\" is not supported"},
		{"replacement is no label", `new TextDecoder("iso-2022-kr")`, `RangeError: TextDecoder: the encoding "iso-2022-kr" is not supported`},
		{"legacy bytes", `return [new TextDecoder("latin1").decode(new Uint8Array([0x80, 0xe9])), new TextDecoder("shift_jis").decode(new Uint8Array([0x82, 0xa0])), new TextDecoder("utf-16be").decode(new Uint8Array([0, 97, 0x20, 0xac]))]`, `["€é","あ","a€"]`},
		{"one U+FFFD per maximal part", `return new TextDecoder().decode(new Uint8Array([0x61, 0xe2, 0x82, 0x62, 0xf0, 0x9f, 0x98, 0xff, 0xc0, 0x80]))`, "\"a\ufffdb\ufffd\ufffd\ufffd\ufffd\""},
		{"takes buffers and views", `const b = new Uint8Array([97, 98, 99, 100]); return [b.buffer, new DataView(b.buffer, 1, 2), b.subarray(2), new Uint16Array(b.buffer)].map(x => new TextDecoder().decode(x))`, `["abcd","bc","cd","abcd"]`},
		{"no input is empty", `return new TextDecoder().decode()`, `""`},
		{"refuses other values", `new TextDecoder().decode("text")`, `TypeError: TextDecoder.decode: the input must be an ArrayBuffer or a view of one`},
		{"drops the byte order mark", `const b = new Uint8Array([0xef, 0xbb, 0xbf, 97]); const d = new TextDecoder(); return [d.decode(b), d.decode(b), new TextDecoder("utf-8", { ignoreBOM: true }).decode(b).length, new TextDecoder("utf-16le").decode(new Uint8Array([0xff, 0xfe, 97, 0]))]`, `["a","a",2,"a"]`},
		{"fatal refuses", `new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([0xff]))`, `TypeError: TextDecoder.decode: the bytes are not valid utf-8`},
		{"fatal takes a true U+FFFD", `return [new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([0xef, 0xbf, 0xbd])), new TextDecoder("utf-16le", { fatal: true }).decode(new Uint8Array([0xfd, 0xff]))]`, "[\"\ufffd\",\"\ufffd\"]"},
		{"fatal refuses a lone UTF-16 surrogate", `new TextDecoder("utf-16le", { fatal: true }).decode(new Uint8Array([0, 0xd8, 97, 0]))`, `TypeError: TextDecoder.decode: the bytes are not valid utf-16le`},
		{"fatal refuses half a UTF-16 unit", `new TextDecoder("utf-16le", { fatal: true }).decode(new Uint8Array([97]))`, `TypeError: TextDecoder.decode: the bytes are not valid utf-16le`},
		{"streams across characters", `const d = new TextDecoder(); const b = new TextEncoder().encode("a€😀"); let s = ""; for (const x of b) s += d.decode(new Uint8Array([x]), { stream: true }); return s + d.decode()`, `"a€😀"`},
		{"a stream that ends early", `const d = new TextDecoder(); return [d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }), d.decode(), d.decode(new Uint8Array([97]))]`, "[\"\",\"\ufffd\",\"a\"]"},
		{"a stream that ends early, fatal", `const d = new TextDecoder("utf-8", { fatal: true }); d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }); d.decode()`, `TypeError: TextDecoder.decode: the bytes are not valid utf-8`},
		{"fatal starts afresh after an error", `const d = new TextDecoder("utf-8", { fatal: true }); try { d.decode(new Uint8Array([0xff]), { stream: true }) } catch {} return d.decode(new Uint8Array([97]))`, `"a"`},
		{"streams UTF-16 byte by byte", `const d = new TextDecoder("utf-16le", { fatal: true }); let s = ""; for (const x of [0x3d, 0xd8, 0, 0xde, 97, 0]) s += d.decode(new Uint8Array([x]), { stream: true }); return s + d.decode()`, `"😀a"`},
		{"streams shift_jis byte by byte", `const d = new TextDecoder("sjis"); let s = ""; for (const x of [0x82, 0xa0, 0x82, 0xa2]) s += d.decode(new Uint8Array([x]), { stream: true }); return s + d.decode()`, `"あい"`},
		{"properties", `const d = new TextDecoder("utf-8", { fatal: 1 }); return [d.fatal, d.ignoreBOM, String(d)]`, `[true,false,"[object TextDecoder]"]`},
	})
}

func TestBase64(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"both ways", `return [btoa("\x00ÿa"), atob("AP9h"), atob(btoa("round")) ]`, "[\"AP9h\",\"\\u0000ÿa\",\"round\"]"},
		{"spaces and missing padding are fine", `return [atob(" YQ\n= =\t"), atob("YQ"), atob("YWI"), atob("")]`, `["a","a","ab",""]`},
		{"left-over bits are fine", `return atob("YR==")`, `"a"`},
		{"null is a word", `return [atob(null).length, btoa(null)]`, `[3,"bnVsbA=="]`},
		{"refuses one left-over character", `atob("YWJjZ")`, `InvalidCharacterError: atob: the string is not correctly encoded base64`},
		{"refuses too much padding", `atob("YQ===")`, `InvalidCharacterError: atob: the string is not correctly encoded base64`},
		{"refuses padding that does not fit", `atob("YWI==")`, `InvalidCharacterError: atob: the string is not correctly encoded base64`},
		{"refuses the URL alphabet", `atob("-_")`, `InvalidCharacterError: atob: the string is not correctly encoded base64`},
		{"refuses other spaces", `atob("YQ\v")`, `InvalidCharacterError: atob: the string is not correctly encoded base64`},
		{"refuses characters above U+00FF", `btoa("€")`, `InvalidCharacterError: btoa: the string has characters above U+00FF; encode it with TextEncoder first`},
		{"needs an argument", `atob()`, `TypeError: atob: 1 argument required, but only 0 present`},
	})
}
