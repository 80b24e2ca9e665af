package bundle

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/rho-ext/rho-ext/host/wire"
)

// Outcome is what [Build] gives, as plain data that can cross to another
// process.
type Outcome struct {
	Script, SourceMap []byte
	Hash              string
	Graph
	Sources, Aliases map[string]string
	Meta, Map        []byte // with [Options.Details]
	// Failures are there instead of a script; Unfinished is
	// [Failures.Unfinished].
	Failures   []wire.Failure
	Unfinished bool
}

// OutcomeOf takes apart what [Build] gave.
func OutcomeOf(b *Bundle, err error) Outcome {
	var fails *Failures
	if errors.As(err, &fails) {
		return Outcome{Failures: fails.List, Sources: fails.Sources, Graph: fails.Graph, Unfinished: fails.Unfinished}
	}
	return Outcome{Script: b.Script, SourceMap: b.SourceMap, Hash: b.Hash, Graph: b.Graph, Sources: b.sources, Aliases: b.aliases, Meta: b.Meta, Map: b.Map}
}

// Result puts together what [Build] gave for the options. It does not trust the
// process that says so: an error that is no [*Failures] is an outcome that no
// build has.
func (out Outcome) Result(o Options) (*Bundle, error) {
	trees := append([]string{o.Root}, packageRoots(o)...)
	if len(out.Failures) > 0 {
		f := &Failures{List: out.Failures, Sources: out.Sources, Unfinished: out.Unfinished, Graph: out.Graph, root: o.Root}
		for _, path := range f.Inputs {
			if filepath.Clean(path) != path || !within(trees, path) {
				f.Graph = Graph{}
				break
			}
		}
		return nil, f
	}
	if len(out.Script) == 0 || len(out.SourceMap) == 0 || out.Hash == "" || len(out.Inputs) == 0 {
		return nil, errors.New("a bundle without its parts")
	}
	for _, path := range out.Inputs {
		if filepath.Clean(path) != path || !within(trees, path) {
			return nil, fmt.Errorf("a bundle of %q, which is outside the extension", path)
		}
	}
	return &Bundle{Script: out.Script, SourceMap: out.SourceMap, Hash: out.Hash, Graph: out.Graph,
		root: o.Root, sources: out.Sources, aliases: out.Aliases, Meta: out.Meta, Map: out.Map}, nil
}
