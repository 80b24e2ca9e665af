package jsapi

import (
	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/internal/nesting"
)

var guardsScript = define("guards", map[string]native{"shallow": shallow, "sourceDepth": sourceDepth})

// maxJSONDepth bounds JSON text: the engine's parser recurses in Go,
// where running out of stack kills the process.
const maxJSONDepth = 2000

// shallow reports whether JSON text is nested no deeper than maxJSONDepth.
func shallow(g *Globals, c goja.FunctionCall) goja.Value {
	depth, inString, escaped := 0, false, false
	for _, b := range []byte(c.Argument(0).String()) {
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped = b == '\\'
			inString = b != '"'
		case b == '"':
			inString = true
		case b == '[' || b == '{':
			if depth++; depth > maxJSONDepth {
				return g.vm.ToValue(false)
			}
		case b == ']' || b == '}':
			depth--
		}
	}
	return g.vm.ToValue(true)
}

// sourceDepth says which limit a source text goes beyond, or nothing.
func sourceDepth(g *Globals, c goja.FunctionCall) goja.Value {
	if e := nesting.Find([]byte(c.Argument(0).String())); e != nil {
		return g.vm.ToValue(e.Limit)
	}
	return g.vm.ToValue("")
}
