package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/host/wire"
)

// instead says what to use in place of what is not there.
var instead = map[string]string{
	"Intl":                  "format by hand, or import a package such as date-fns",
	"WeakRef":               "keep a plain reference: a runtime lives as long as the extension's version",
	"FinalizationRegistry":  "clean up in dispose()",
	"crypto":                "there is no randomness or hashing by the system yet; a package such as @noble/hashes works",
	"require":               "use import",
	"module":                "use export default",
	"exports":               "use export default",
	"Buffer":                "use Uint8Array, TextEncoder and TextDecoder, atob and btoa",
	"__dirname":             "use ctx.extensionDir",
	"__filename":            "use ctx.extensionDir",
	"global":                "use globalThis",
	"window":                "use globalThis; there is no page",
	"document":              "there is no page; parse HTML with a package such as node-html-parser",
	"XMLHttpRequest":        "use fetch",
	"WebSocket":             "use fetch",
	"setImmediate":          "use setTimeout(fn, 0)",
	"clearImmediate":        "use clearTimeout",
	"WebAssembly":           "use a package that is written in JavaScript",
	"Worker":                "do the work in the tool itself, or run a program with ctx.exec",
	"localStorage":          "use ctx.state",
	"sessionStorage":        "use ctx.state",
	"alert":                 "use ctx.log, or return a text",
	"prompt":                "ask by a parameter of the tool",
	"confirm":               "set the tool's risk, and the user is asked",
	"Deno":                  "use ctx.fs, ctx.exec and fetch",
	"Bun":                   "use ctx.fs, ctx.exec and fetch",
	"Iterator":              "use a generator function, or an array",
	"process.exit":          "throw an Error",
	"process.cwd":           "use ctx.projectRoot",
	"process.argv":          "use the tool's parameters",
	"process.platform":      "there is no way to know; paths have forward slashes everywhere",
	"process.stdout":        "use ctx.log, or return a text",
	"process.stderr":        "use ctx.log",
	"process.nextTick":      "use queueMicrotask",
	"process.on":            "clean up in dispose()",
	"Object.groupBy":        "use a loop, or reduce",
	"Map.groupBy":           "use a loop",
	"Array.fromAsync":       "use for await",
	"Promise.withResolvers": "use new Promise and keep its functions",
	"Promise.try":           "use an async function",
}

func insteadOf(name string) string {
	if slices.Contains([]string{"defineExtension", "defineTool", "s", "ToolError"}, name) {
		return "write import { " + name + " } from \"rho-ext\""
	}
	return cmp.Or(instead[name], "check the spelling, or import it")
}

// trapRules tell of what the engine has not.
func trapRules(u *unit) {
	if u.Survey == nil {
		return
	}
	for _, t := range u.Survey.Traps {
		if !u.Owns(t.At) {
			continue
		}
		where := at{pos: t.At}
		switch t.Kind {
		case wire.TrapGlobal:
			if t.Name != u.absent {
				u.say("missing-global", where, insteadOf(t.Name), "%s is not defined in the sandbox", t.Name)
			}
		case wire.TrapMember:
			u.say("missing-member", where, instead[t.Name], "%s is not there in the sandbox", t.Name)
		case wire.TrapRegexp:
			hint := "write the characters out, such as [A-Za-zÀ-ÿ]"
			if !strings.Contains(t.Detail, "{") {
				hint = "write it without what the engine does not know"
			}
			u.say("regexp", where, hint, "the regular expression %s does not work: %s", short(t.Name, 60), t.Detail)
		case wire.TrapLocale:
			u.say("locale-arguments", where, "format by hand, such as with toFixed or toISOString", "%s: %s", t.Name, t.Detail)
		}
	}
}

func short(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// argumentRules tell of functions that want their arguments in a form that they
// do not get.
func argumentRules(u *unit) {
	if u.Manifest == nil || u.Survey == nil {
		return
	}
	for _, t := range u.Manifest.Tools {
		text := u.Survey.Tools[t.Name].Text
		if text == "" {
			continue
		}
		if t.Arguments == wire.ArgsObject {
			u.say("arguments-text", u.toolKey(t, "execute"), "use its members: a tool of defineTool gets an object", "%s: %s fails, as the arguments are an object", t.Name, text)
			continue
		}
		u.say("arguments-text", u.toolKey(t, "execute"), "use the arguments as an object, or parse them with JSON.parse first and use nothing else of them",
			"%s: %s fails, as the function also uses its arguments as an object and so gets one", t.Name, text)
	}
}
