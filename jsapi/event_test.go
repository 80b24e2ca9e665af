package jsapi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"has the fields of its init", `const e = new Event("x", { cancelable: true, bubbles: true }); return [e.type, e.bubbles, e.cancelable, e.composed, e.defaultPrevented, e.target, e.eventPhase, e.isTrusted, typeof e.timeStamp]`, `["x",true,true,false,false,null,0,false,"number"]`},
		{"needs a type", `new Event()`, `TypeError: Event constructor: 1 argument required, but only 0 present`},
		{"custom event has detail", `return [new CustomEvent("x", { detail: { a: 1 } }).detail, new CustomEvent("x").detail, new CustomEvent("x") instanceof Event]`, `[{"a":1},null,true]`},
		{"dispatch calls in order with this and event", `const t = new EventTarget(), o = []; t.addEventListener("x", function (e) { o.push(this === t, e.target === t, e.currentTarget === t, e.eventPhase) }); t.dispatchEvent(new Event("x")); return o`, `[true,true,true,2]`},
		{"objects with handleEvent", `const t = new EventTarget(); const l = { n: 0, handleEvent() { this.n++ } }; t.addEventListener("x", l); t.dispatchEvent(new Event("x")); return l.n`, `1`},
		{"the same listener counts once", `const t = new EventTarget(); let n = 0; const f = () => n++; t.addEventListener("x", f); t.addEventListener("x", f, { once: true }); t.addEventListener("x", f, true); t.dispatchEvent(new Event("x")); return n`, `2`},
		{"once", `const t = new EventTarget(); let n = 0; t.addEventListener("x", () => n++, { once: true }); t.dispatchEvent(new Event("x")); t.dispatchEvent(new Event("x")); return n`, `1`},
		{"a signal removes the listener", `const t = new EventTarget(), c = new AbortController(); let n = 0; t.addEventListener("x", () => n++, { signal: c.signal }); c.abort(); t.addEventListener("x", () => n++, { signal: c.signal }); t.dispatchEvent(new Event("x")); return n`, `0`},
		{"a listener removed meanwhile is not called", `const t = new EventTarget(); let n = 0; const f = () => n++; t.addEventListener("x", () => t.removeEventListener("x", f)); t.addEventListener("x", f); t.dispatchEvent(new Event("x")); return n`, `0`},
		{"a listener added meanwhile waits", `const t = new EventTarget(); let n = 0; t.addEventListener("x", () => t.addEventListener("x", () => n++)); t.dispatchEvent(new Event("x")); return n`, `0`},
		{"stopImmediatePropagation", `const t = new EventTarget(); let n = 0; t.addEventListener("x", e => e.stopImmediatePropagation()); t.addEventListener("x", () => n++); t.dispatchEvent(new Event("x")); return n`, `0`},
		{"preventDefault decides the result", `const t = new EventTarget(); t.addEventListener("x", e => e.preventDefault()); return [t.dispatchEvent(new Event("x")), t.dispatchEvent(new Event("x", { cancelable: true }))]`, `[true,false]`},
		{"passive listeners cannot prevent", `const t = new EventTarget(); t.addEventListener("x", e => e.preventDefault(), { passive: true }); return t.dispatchEvent(new Event("x", { cancelable: true }))`, `true`},
		{"an event in flight cannot be dispatched", `const t = new EventTarget(); let name; t.addEventListener("x", e => { try { t.dispatchEvent(e) } catch (err) { name = err.name } }); t.dispatchEvent(new Event("x")); return name`, `"InvalidStateError"`},
		{"an event can be dispatched again", `const t = new EventTarget(); let n = 0; t.addEventListener("x", () => n++); const e = new Event("x"); t.dispatchEvent(e); t.dispatchEvent(e); return n`, `2`},
		{"null listeners are ignored", `const t = new EventTarget(); t.addEventListener("x", null); t.removeEventListener("x", null); return t.dispatchEvent(new Event("x"))`, `true`},
		{"refuses a listener that is no object", `new EventTarget().addEventListener("x", 1)`, `TypeError: addEventListener: the listener must be a function or an object with handleEvent`},
		{"refuses what is no event", `new EventTarget().dispatchEvent({ type: "x" })`, `TypeError: dispatchEvent: the argument must be an Event`},
		{"can be extended", `class T extends EventTarget { go() { return this.dispatchEvent(new Event("x")) } } const t = new T(); let n = 0; t.addEventListener("x", () => n++); t.go(); return n`, `1`},
	})
}

func TestListenerThatThrowsIsReportedAndDoesNotStopOthers(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	require.Equal(t, "1", r.async(`const t = new EventTarget(); let n = 0; t.addEventListener("x", () => { throw new TypeError("first") }); t.addEventListener("x", () => n++); t.dispatchEvent(new Event("x")); return n`))
	require.Len(t, r.reported, 1)
	require.Contains(t, r.reported[0], "TypeError: first")
}

func TestDOMException(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"name, message and code", `const e = new DOMException("m", "NotFoundError"); return [e.name, e.message, e.code, String(e), e instanceof Error, Object.prototype.toString.call(e)]`, `["NotFoundError","m",8,"NotFoundError: m",true,"[object DOMException]"]`},
		{"defaults", `const e = new DOMException(); return [e.name, e.message, e.code]`, `["Error","",0]`},
		{"options", `const e = new DOMException("m", { name: "DataError", cause: 1 }); return [e.name, e.cause, e.code]`, `["DataError",1,0]`},
		{"constants", `return [DOMException.ABORT_ERR, new DOMException().DATA_CLONE_ERR, DOMException.prototype.TIMEOUT_ERR]`, `[20,25,23]`},
		{"name cannot be set", `"use strict"; const e = new DOMException("m"); e.name = "x"`, `TypeError: Cannot assign to read only property 'name'`},
	})
}
