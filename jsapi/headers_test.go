package jsapi

import "testing"

func TestHeaders(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"from a record, pairs and headers", `return [new Headers({ "X-A": 1, b: " 2 " }), new Headers([["c", "3"]]), new Headers(new Headers({ d: "4" })), new Headers(new Map([["e", "5"]])), new Headers()].map(h => [...h])`, `[[["b","2"],["x-a","1"]],[["c","3"]],[["d","4"]],[["e","5"]],[]]`},
		{"combine", `const h = new Headers(); h.append("A", "1"); h.append("a", "2"); return [h.get("A"), [...h], h.has("a"), h.get("x")]`, `["1, 2",[["a","1, 2"]],true,null]`},
		{"set replaces all", `const h = new Headers([["a", "1"], ["b", "2"], ["A", "3"]]); h.set("a", "9"); h.delete("B"); h.set("c", ""); return [...h]`, `[["a","9"],["c",""]]`},
		{"cookies stand alone", `const h = new Headers([["set-cookie", "a=1"], ["x", "y"], ["Set-Cookie", "b=2"]]); return [h.getSetCookie(), [...h], h.get("set-cookie")]`, `[["a=1","b=2"],[["set-cookie","a=1"],["set-cookie","b=2"],["x","y"]],"a=1, b=2"]`},
		{"iterators", `const h = new Headers({ b: "2", a: "1" }); const seen = []; h.forEach(function (v, k, all) { seen.push(k, v, all === h, this.x) }, { x: 0 }); return [[...h.keys()], [...h.values()], [...h.entries()], seen, Object.prototype.toString.call(h.keys())]`, `[["a","b"],["1","2"],[["a","1"],["b","2"]],["a","1",true,0,"b","2",true,0],"[object Headers Iterator]"]`},
		{"iterates while it changes", `const h = new Headers({ a: "1", c: "3" }); const seen = []; for (const [k] of h) { seen.push(k); if (k === "a") h.append("b", "2") } return seen`, `["a","b","c"]`},
		{"trims values", `return new Headers({ a: "\t x y \r\n" }).get("a")`, `"x y"`},
		{"takes bytes", `return new Headers({ a: "é" }).get("a")`, `"é"`},
		{"refuses a bad name", `new Headers({ "a b": "1" })`, `TypeError: Headers: "a b" is not a valid header name`},
		{"refuses an empty name", `new Headers().get("")`, `TypeError: Headers: "" is not a valid header name`},
		{"refuses a line break", `new Headers({ auth: "secret\r\nx: y" })`, `TypeError: Headers: the value of auth must not have a line break or NUL`},
		{"refuses characters above a byte", `new Headers({ a: "€" })`, `TypeError: Headers: the value of a must not have characters above U+00FF`},
		{"refuses null", `new Headers(null)`, `TypeError: Headers constructor: the argument must be an object or an iterable of pairs`},
		{"refuses pairs of one", `new Headers([["a"]])`, `TypeError: Headers constructor: each pair must be an iterable of a name and a value`},
		{"refuses symbols as names", `new Headers({ [Symbol("x")]: "1" })`, `TypeError: Cannot convert a Symbol value to a string`},
		{"methods refuse strangers", `Headers.prototype.entries.call({})`, `TypeError: Cannot read private member #at from an object whose class did not declare it`},
	})
}
