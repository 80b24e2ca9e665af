package jsapi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestURL(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"parts", `const u = new URL("https://u:p@h.x:8443/a/b?c=1#d"); return [u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash]`, `["https://u:p@h.x:8443/a/b?c=1#d","https://h.x:8443","https:","u","p","h.x:8443","h.x","8443","/a/b","?c=1","#d"]`},
		{"base", `return [new URL("../c", "http://h/a/b/").href, new URL("?q", new URL("http://h/a#f")).href]`, `["http://h/a/c","http://h/a?q"]`},
		{"invalid", `new URL("nope")`, `TypeError: Invalid URL: nope`},
		{"invalid with base", `new URL("x", "also bad")`, `TypeError: Invalid URL: x with base also bad`},
		{"invalid has a code", `try { new URL("") } catch (e) { return e.code }`, `"ERR_INVALID_URL"`},
		{"no argument", `new URL()`, `TypeError: URL constructor: 1 argument required, but only 0 present`},
		{"canParse and parse", `return [URL.canParse("x"), URL.canParse("x", "http://h"), URL.parse("nope"), URL.parse("/p", "http://h").href]`, `[false,true,null,"http://h/p"]`},
		{"setters", `const u = new URL("http://h/"); u.protocol = "https"; u.port = "81"; u.pathname = "a b"; u.search = "x=1"; u.hash = "z"; u.username = "me"; return u.href`, `"https://me@h:81/a%20b?x=1#z"`},
		{"href refuses an invalid value and keeps the old", `const u = new URL("http://h/"); try { u.href = "nope" } catch (e) { return [e.name, u.href] }`, `["TypeError","http://h/"]`},
		{"searchParams is live", `const u = new URL("http://h/?a=1"); const p = u.searchParams; p.append("b", "x y"); const one = u.href; u.search = "?z=9"; const two = p.get("z"); u.href = "http://g/?q=2"; return [one, two, p.get("q"), p === u.searchParams]`, `["http://h/?a=1\u0026b=x+y","9","2",true]`},
		{"removing the last parameter removes the mark", `const u = new URL("http://h/?a=1#f"); u.searchParams.delete("a"); return u.href`, `"http://h/#f"`},
		{"JSON and text", `const u = new URL("http://h"); return [JSON.stringify({ u }), String(u), Object.prototype.toString.call(u)]`, `["{\"u\":\"http://h/\"}","http://h/","[object URL]"]`},
		{"blob origin", `return [new URL("blob:https://h/x").origin, new URL("blob:file:///x").origin, new URL("file:///x").origin, new URL("data:x").origin]`, `["https://h","null","null","null"]`},
		{"searchParams cannot be replaced", `"use strict"; new URL("http://h").searchParams = 1`, `TypeError: Cannot assign to read only property 'searchParams'`},
		{"members are enumerable, as on the web", `const keys = []; for (const k in new URL("http://h")) keys.push(k); return keys.includes("href") && keys.includes("toString")`, `true`},
	})
}

func TestURLSearchParams(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"from text", `return [...new URLSearchParams("?a=1&b=%20x+y&&c&d=%zz&e=%E2%82&=v")]`, "[[\"a\",\"1\"],[\"b\",\" x y\"],[\"c\",\"\"],[\"d\",\"%zz\"],[\"e\",\"\ufffd\"],[\"\",\"v\"]]"},
		{"plus and its code", `return new URLSearchParams("a=%2B+1").get("a")`, `"+ 1"`},
		{"from a record, pairs and itself", `const p = new URLSearchParams({ a: 1, b: "2" }); return [String(p), String(new URLSearchParams([["x", "y"], new Set(["k", "v"])])), String(new URLSearchParams(p)), String(new URLSearchParams(new Map([["m", 1]])))]`, `["a=1\u0026b=2","x=y\u0026k=v","a=1\u0026b=2","m=1"]`},
		{"nothing", `return [new URLSearchParams().size, String(new URLSearchParams(undefined)), String(new URLSearchParams(null))]`, `[0,"","null="]`},
		{"refuses a pair of three", `new URLSearchParams([[1, 2, 3]])`, `TypeError: URLSearchParams constructor: each pair must be an iterable of two values`},
		{"refuses a pair that is none", `new URLSearchParams(["ab"])`, `TypeError: URLSearchParams constructor: each pair must be an iterable of two values`},
		{"get, getAll, has", `const p = new URLSearchParams("a=1&a=2"); return [p.get("a"), p.get("x"), p.getAll("a"), p.has("a"), p.has("a", "3"), p.has("a", undefined), p.size]`, `["1",null,["1","2"],true,false,true,2]`},
		{"set and delete", `const p = new URLSearchParams("a=1&b=2&a=3"); p.set("a", "9"); p.set("c", "c"); p.delete("b", "x"); const one = String(p); p.delete("b", "2"); return [one, String(p)]`, `["a=9\u0026b=2\u0026c=c","a=9\u0026c=c"]`},
		{"sort is stable and by UTF-16 units", `const p = new URLSearchParams("z=1&ﬃ=2&🌈=3&z=0&a=4"); p.sort(); return [...p.keys()]`, `["a","z","z","🌈","ﬃ"]`},
		{"encodes", `return String(new URLSearchParams([["a b", "*-._~!'()é\ud800"]]))`, `"a+b=*-._%7E%21%27%28%29%C3%A9%EF%BF%BD"`},
		{"iterates while it changes", `const p = new URLSearchParams("a=1&b=2"); const seen = []; for (const [k] of p) { seen.push(k); if (k === "a") p.append("c", "3") } return seen`, `["a","b","c"]`},
		{"forEach", `const p = new URLSearchParams("a=1"); const o = []; p.forEach(function (v, k, all) { o.push(v, k, all === p, this.x) }, { x: 5 }); return o`, `["1","a",true,5]`},
		{"iterators", `const p = new URLSearchParams("a=1"); const it = p.entries(); return [Object.prototype.toString.call(it), it[Symbol.iterator]() === it, it.next(), it.next(), [...p.values()]]`, `["[object URLSearchParams Iterator]",true,{"value":["a","1"],"done":false},{"done":true},["1"]]`},
		{"an iterator's next refuses strangers", `new URLSearchParams().keys().next.call({})`, `TypeError: next called on a value that is not a URLSearchParams Iterator`},
		{"forEach wants a function", `new URLSearchParams("a").forEach(1)`, `TypeError: URLSearchParams.forEach: the callback must be a function`},
	})
}

func TestURLInspectsAsItsHref(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	require.Equal(t, "URL 'http://h/'", r.g.Inspect(r.eval(`new URL("http://h")`)))
	require.Equal(t, "URLSearchParams 'a=1'", r.g.Inspect(r.eval(`new URLSearchParams("a=1")`)))
}

// FuzzURL looks for input that makes the parser or a setter panic, or whose
// serialisation is not stable.
func FuzzURL(f *testing.F) {
	for _, s := range []string{"http://a/b?c#d", "data:x  #", "file:///C|/", "http://[::1]:80/", "a:b", "//x", "http://%zz", "blob:http://x"} {
		f.Add(s, "http://base/", s)
	}
	f.Fuzz(func(t *testing.T, input, base, value string) {
		r := newRealm(t)
		require.NoError(t, r.vm.Set("args", []any{input, base, value}))
		r.eval(`(() => {
			const [input, base, value] = args;
			for (const u of [URL.parse(input), URL.parse(input, base)]) {
				if (u === null) continue;
				for (const k of ["protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"]) u[k] = value;
				String(u.searchParams); u.searchParams.append(value, value); String(u);
			}
		})()`)
	})
}
