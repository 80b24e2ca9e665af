package jsapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
)

// serve makes the realm answer every fetch with one response, whose body comes
// in the given pieces.
func (r *realm) serve(head wire.FetchResponse, chunks ...string) {
	next := wire.Stream(0)
	r.answer = func(wire.Request) (wire.Response, error) {
		data, err := json.Marshal(head)
		require.NoError(r.t, err)
		if len(chunks) == 0 {
			return wire.Response{Data: data}, nil
		}
		next++
		for _, c := range chunks {
			r.streams[next] = append(r.streams[next], []byte(c))
		}
		return wire.Response{Data: data, Stream: next}, nil
	}
}

var okHead = wire.FetchResponse{Status: 200, StatusText: "OK", URL: "http://h/p", Headers: [][2]string{{"Content-Type", "text/plain"}, {"Set-Cookie", "a=1"}, {"Set-Cookie", "b=2"}}}

func TestFetchSendsWhatWasAsked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, call, data, payload string }{
		{"text address", `fetch("http://h/p?q#frag")`, `{"url":"http://h/p?q","method":"GET","headers":[],"redirect":"follow"}`, "none"},
		{"URL", `fetch(new URL("http://h/ä"))`, `{"url":"http://h/%C3%A4","method":"GET","headers":[],"redirect":"follow"}`, "none"},
		{"whatever has a toString", `fetch({ toString: () => "http://h/" })`, `{"url":"http://h/","method":"GET","headers":[],"redirect":"follow"}`, "none"},
		{"method and headers", `fetch("http://h", { method: "delete", headers: { "X-A": "1" }, redirect: "manual" })`, `{"url":"http://h/","method":"DELETE","headers":[["x-a","1"]],"redirect":"manual"}`, "none"},
		{"patch keeps its case", `fetch("http://h", { method: "patch" })`, `{"url":"http://h/","method":"patch","headers":[],"redirect":"follow"}`, "none"},
		{"text body", `fetch("http://h", { method: "POST", body: "é" })`, `{"url":"http://h/","method":"POST","headers":[["content-type","text/plain;charset=UTF-8"]],"redirect":"follow"}`, "é"},
		{"own content type", `fetch("http://h", { method: "PUT", body: "{}", headers: { "Content-Type": "application/json" } })`, `{"url":"http://h/","method":"PUT","headers":[["content-type","application/json"]],"redirect":"follow"}`, "{}"},
		{"form body", `fetch("http://h", { method: "POST", body: new URLSearchParams({ a: "b c" }) })`, `{"url":"http://h/","method":"POST","headers":[["content-type","application/x-www-form-urlencoded;charset=UTF-8"]],"redirect":"follow"}`, "a=b+c"},
		{"bytes", `fetch("http://h", { method: "POST", body: new Uint8Array([97, 98, 99]).subarray(1) })`, `{"url":"http://h/","method":"POST","headers":[],"redirect":"follow"}`, "bc"},
		{"buffer", `fetch("http://h", { method: "POST", body: new Uint8Array([97]).buffer })`, `{"url":"http://h/","method":"POST","headers":[],"redirect":"follow"}`, "a"},
		{"empty body", `fetch("http://h", { method: "POST", body: "" })`, `{"url":"http://h/","method":"POST","headers":[["content-type","text/plain;charset=UTF-8"]],"redirect":"follow"}`, ""},
		{"request", `fetch(new Request("http://h/r", { method: "POST", body: "x", headers: { a: "1" } }))`, `{"url":"http://h/r","method":"POST","headers":[["a","1"],["content-type","text/plain;charset=UTF-8"]],"redirect":"follow"}`, "x"},
		{"request and init", `fetch(new Request("http://h/r", { headers: { a: "1" } }), { method: "POST", headers: { b: "2" }, redirect: "error" })`, `{"url":"http://h/r","method":"POST","headers":[["b","2"]],"redirect":"error"}`, "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRealm(t)
			r.serve(okHead)
			require.Equal(t, "undefined", r.async("await "+tt.call))
			require.Len(t, r.requests, 1)
			require.Equal(t, wire.OpFetch, r.requests[0].Op)
			require.JSONEq(t, tt.data, string(r.requests[0].Data))
			payload := "none"
			if r.requests[0].Payload != nil {
				payload = string(r.requests[0].Payload)
			}
			require.Equal(t, tt.payload, payload)
		})
	}
}

func TestFetchRefusesBadRequestsWithoutAskingTheHost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ call, want string }{
		{`fetch()`, "TypeError: fetch: 1 argument required, but only 0 present"},
		{`fetch("/relative")`, `TypeError: Request: "/relative" is not an absolute URL`},
		{`fetch("http://u:p@h/")`, "TypeError: Request: the URL must not hold a user name or password; use an Authorization header"},
		{`fetch("http://h", { method: "A B" })`, `TypeError: Request: "A B" is not a valid method`},
		{`fetch("http://h", { method: "connect" })`, "TypeError: Request: the method CONNECT is not allowed"},
		{`fetch("http://h", { body: "x" })`, "TypeError: Request: a GET request cannot have a body"},
		{`fetch("http://h", { method: "HEAD", body: "x" })`, "TypeError: Request: a HEAD request cannot have a body"},
		{`fetch("http://h", { redirect: "maybe" })`, "TypeError: Request: redirect must be one of follow, error, manual"},
		{`fetch("http://h", { signal: {} })`, "TypeError: Request: signal must be an AbortSignal"},
		{`fetch("http://h", { headers: { "a b": "" } })`, `TypeError: Headers: "a b" is not a valid header name`},
		{`fetch("http://h", 5)`, "TypeError: The init argument of Request must be an object"},
		{`fetch("http://h", { signal: AbortSignal.abort(new RangeError("mine")) })`, "RangeError: mine"},
		{`fetch("http://h", { signal: AbortSignal.abort() })`, "AbortError: This operation was aborted"},
	} {
		r := newRealm(t)
		require.Equal(t, tt.want, r.async(`const p = `+tt.call+`; if (!(p instanceof Promise)) return "thrown at once"; await p`), tt.call)
		require.Empty(t, r.requests, tt.call)
	}
}

func TestFetchGivesTheResponse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, want string }{
		{"head", `return [q.status, q.ok, q.statusText, q.url, q.redirected, q.type, q.headers.get("content-type"), q.headers.getSetCookie(), q.bodyUsed, q instanceof Response]`, `[200,true,"OK","http://h/p",false,"basic","text/plain",["a=1","b=2"],false,true]`},
		{"text", `return [await q.text(), q.bodyUsed]`, `["{\"a\":[1,2]}",true]`},
		{"json", `return await q.json()`, `{"a":[1,2]}`},
		{"arrayBuffer", `const b = await q.arrayBuffer(); return [b instanceof ArrayBuffer, b.byteLength]`, `[true,11]`},
		{"bytes", `const b = await q.bytes(); return [b instanceof Uint8Array, b[0]]`, `[true,123]`},
		{"a body is read once", `await q.text(); await q.json()`, `TypeError: Body is unusable: it has been read already`},
		{"a read in progress counts", `q.text(); await q.text()`, `TypeError: Body is unusable: it has been read already`},
		{"clone", `const c = q.clone(); const [a, b] = await Promise.all([q.text(), c.json()]); return [a.length, b, c.url, c.status, c.headers.get("content-type")]`, `[11,{"a":[1,2]},"http://h/p",200,"text/plain"]`},
		{"clones do not share memory", `const c = q.clone(); const a = await q.bytes(); a[0] = 0; return (await c.bytes())[0]`, `123`},
		{"clone after use", `await q.text(); q.clone()`, `TypeError: Body is unusable: it has been read already, so it cannot be cloned`},
		{"headers are locked", `q.headers.set("a", "b")`, `TypeError: Headers: these headers cannot be changed`},
		{"a clone's headers are not", `const c = q.clone(); c.headers.set("a", "b"); return c.headers.get("a")`, `"b"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRealm(t)
			r.serve(okHead, `{"a":`, `[1,`, `2]}`)
			require.Equal(t, tt.want, r.async(`const q = await fetch("http://h/p"); `+tt.body))
		})
	}
}

func TestBodiesArePulledOnlyWhenRead(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	r.serve(okHead, "a", "b")
	require.Equal(t, "undefined", r.async(`globalThis.q = await fetch("http://h/p")`))
	require.Empty(t, r.reads)
	require.Equal(t, `"ab"`, r.async(`return await q.text()`))
	require.Equal(t, []int{65536, 65536, 65536}, r.reads)
	require.Empty(t, r.closed)
}

func TestResponseWithoutStreamHasAnEmptyBody(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	r.serve(wire.FetchResponse{Status: 204, URL: "http://h/#f"})
	require.Equal(t, `["",0,"http://h/",false]`, r.async(`const q = await fetch("http://h"); return [await q.text(), (await q.bytes()).length, q.url, q.bodyUsed]`))
}

func TestFetchFailsWithTheHostsError(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	r.answer = func(wire.Request) (wire.Response, error) {
		return wire.Response{}, &wire.Error{Name: "PermissionDenied", Message: "net is not granted", Hint: "grant it"}
	}
	require.Equal(t, `["PermissionDenied","net is not granted","grant it"]`, r.async(`try { await fetch("http://h") } catch (e) { return [e.name, e.message, e.hint] }`))
	require.Equal(t, "PermissionDenied: net is not granted", r.async(`await fetch("http://h", { signal: new AbortController().signal })`))
}

func TestAbortWhileFetching(t *testing.T) {
	t.Parallel()
	r := newRealm(t) // never answers
	require.Equal(t, "AbortError: This operation was aborted", r.async(`const c = new AbortController(); setTimeout(() => c.abort(), 5); await fetch("http://h", { signal: c.signal })`))
	require.Equal(t, 1, r.canceled)
	require.Equal(t, "TimeoutError: The operation was aborted due to timeout", r.async(`await fetch(new Request("http://h", { signal: AbortSignal.timeout(5) }))`))
	require.Equal(t, 2, r.canceled)
}

func TestAbortAfterTheResponseStopsItsBody(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	r.serve(okHead, "a", "b")
	require.Equal(t, "RangeError: enough", r.async(`const c = new AbortController(); const q = await fetch("http://h", { signal: c.signal }); const p = q.text(); c.abort(new RangeError("enough")); await p`))
	require.Equal(t, []wire.Stream{1}, r.closed)
	require.Equal(t, "AbortError: This operation was aborted", r.async(`const c = new AbortController(); const q = await fetch("http://h", { signal: c.signal }); c.abort(); await q.json()`))
	require.Equal(t, []wire.Stream{1, 2}, r.closed)
	require.Zero(t, r.canceled)
}

func TestAbortAfterTheEndDoesNothing(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	r.serve(okHead, "a")
	require.Equal(t, `"a"`, r.async(`const c = new AbortController(); const q = await fetch("http://h", { signal: c.signal }); const s = await q.text(); c.abort(); return s`))
	require.Zero(t, r.canceled)
	require.Empty(t, r.closed)
}

func TestJSONThatIsTooDeepIsRefused(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	r.serve(okHead, strings.Repeat("[", 3_000_000))
	require.Equal(t, "SyntaxError: The body is JSON that is nested too deeply", r.async(`await (await fetch("http://h")).json()`))
	r.serve(okHead, strings.Repeat("[", 1900)+`"[[[\"["`+strings.Repeat("]", 1900))
	require.Equal(t, "undefined", r.async(`await (await fetch("http://h")).json()`))
}

func TestRequest(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"fields", `const r = new Request("http://h/x#f", { method: "post", body: "b", headers: { a: "1" } }); return [r.url, r.method, [...r.headers], r.redirect, r.bodyUsed, r.signal.aborted, r.signal instanceof AbortSignal]`, `["http://h/x#f","POST",[["a","1"],["content-type","text/plain;charset=UTF-8"]],"follow",false,false,true]`},
		{"body methods", `return await new Request("http://h", { method: "POST", body: '{"a":1}' }).json()`, `{"a":1}`},
		{"no body", `const r = new Request("http://h"); return [await r.text(), await r.text(), r.bodyUsed]`, `["","",false]`},
		{"from a request, whose body moves", `const a = new Request("http://h", { method: "POST", body: "x" }); const b = new Request(a); return [a.bodyUsed, await b.text()]`, `[true,"x"]`},
		{"from a used request", `const a = new Request("http://h", { method: "POST", body: "x" }); await a.text(); new Request(a)`, `TypeError: Body is unusable: it has been read already, so it cannot be cloned`},
		{"a used body can be replaced", `const a = new Request("http://h", { method: "POST", body: "x" }); await a.text(); return await new Request(a, { body: "y" }).text()`, `"y"`},
		{"clone", `const a = new Request("http://h", { method: "POST", body: "x", headers: { a: "1" } }); const b = a.clone(); return [await a.text(), await b.text(), b.method, b.headers.get("a")]`, `["x","x","POST","1"]`},
		{"its signal follows", `const c = new AbortController(); const r = new Request("http://h", { signal: c.signal }); const s = r.signal; c.abort("why"); return [s !== c.signal, s.reason]`, `[true,"why"]`},
		{"signal null means none", `return new Request(new Request("http://h", { signal: AbortSignal.abort() }), { signal: null }).signal.aborted`, `false`},
		{"needs an argument", `new Request()`, `TypeError: Request constructor: 1 argument required, but only 0 present`},
	})
}

func TestResponse(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"defaults", `const r = new Response(); return [r.status, r.ok, r.statusText, r.type, r.url, r.redirected, await r.text(), [...r.headers]]`, `[200,true,"","default","",false,"",[]]`},
		{"body and init", `const r = new Response("x", { status: 404, statusText: "No", headers: { a: "1" } }); return [r.status, r.ok, r.statusText, [...r.headers], await r.text()]`, `[404,false,"No",[["a","1"],["content-type","text/plain;charset=UTF-8"]],"x"]`},
		{"bodies are copied", `const b = new Uint8Array([1]); const r = new Response(b); b[0] = 9; return (await r.bytes())[0]`, `1`},
		{"other values become text", `return await new Response(12).text()`, `"12"`},
		{"json", `const r = Response.json({ a: 1 }, { status: 201 }); return [r.status, r.headers.get("content-type"), await r.json()]`, `[201,"application/json",{"a":1}]`},
		{"json of nothing", `Response.json(undefined)`, `TypeError: Response.json: the value has no JSON form`},
		{"error", `const r = Response.error(); return [r.status, r.type, r.ok]`, `[0,"error",false]`},
		{"redirect", `const r = Response.redirect("http://h/x", 301); return [r.status, r.headers.get("location")]`, `[301,"http://h/x"]`},
		{"redirect refuses other statuses", `Response.redirect("http://h", 200)`, `RangeError: Response.redirect: status must be 301, 302, 303, 307 or 308`},
		{"refuses a bad status", `new Response("", { status: 99 })`, `RangeError: Response: status must be from 200 to 599`},
		{"refuses a body where none may be", `new Response("x", { status: 204 })`, `TypeError: Response: a response with status 204 cannot have a body`},
		{"refuses a line break in the status text", `new Response("", { statusText: "a\nb" })`, `TypeError: Response: statusText has characters that are not allowed`},
		{"text drops a byte order mark", `return await new Response(new Uint8Array([0xef, 0xbb, 0xbf, 97])).text()`, `"a"`},
		{"json that is not valid", `await new Response("{").json()`, `SyntaxError: Unexpected end of JSON input (EOF)`},
		{"body methods reject strangers", `const p = Response.prototype.text.call({}); await p`, `TypeError: Cannot read private member #body from an object whose class did not declare it`},
	})
}
