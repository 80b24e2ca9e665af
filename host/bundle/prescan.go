package bundle

import (
	"github.com/evanw/esbuild/pkg/api"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/nesting"
)

// prescan refuses source that nests too deeply for a parser.
func prescan(text []byte, name string) *api.Message {
	e := nesting.Find(text)
	if e == nil {
		return nil
	}
	m := problem(wire.StageBundle, "generated code like this belongs in a data file", "nested too deeply: more than %s", e.Limit)
	m.Location = &api.Location{File: name, Line: e.Line, Column: e.Offset - e.LineStart, LineText: string(text[e.LineStart:e.Offset])}
	return m
}
