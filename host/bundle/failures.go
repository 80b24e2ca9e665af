package bundle

import (
	"fmt"

	"github.com/rho-ext/rho-ext/host/wire"
)

// Failures is the error of [Build]: everything that is wrong, at least one.
type Failures struct {
	List []wire.Failure
	// Sources holds the text of files by the name that failures use, for code
	// frames.
	Sources map[string]string
	// Unfinished says that the work goes on although nobody waits for it: it
	// cannot be stopped but with its process.
	Unfinished bool
	// Graph is what was read until then, if anything is known of it.
	Graph
	root string
}

// Error is the first failure's message.
func (f *Failures) Error() string { return f.List[0].Message }

// Path is as [Bundle.Path].
func (f *Failures) Path(name string) string { return pathOf(f.root, name) }

// Source is as [Bundle.Source].
func (f *Failures) Source(name string) (text string, ok bool) {
	text, ok = f.Sources[name]
	return text, ok
}

// Late is the failure of an extension whose build takes longer than its options
// allow.
func Late(o Options) *Failures {
	return Broken(o, fmt.Sprintf("the extension could not be bundled within %v", o.Timeout),
		"look for arrow functions nested in conditions or default values, and for computed imports such as import(\"../\" + name)")
}

// Broken is the failure of an extension as a whole.
func Broken(o Options, message, hint string) *Failures {
	return &Failures{List: []wire.Failure{{Stage: wire.StageBundle, Position: entryOf(o), Message: message, Hint: hint}}, root: o.Root}
}

// shown gives the texts of the files that failures point into. Some of those
// the bundler has read by itself: packages' settings.
func (l *loader) shown(list []wire.Failure) map[string]string {
	out := map[string]string{}
	for _, f := range list {
		name := f.Position.File
		if _, ok := out[name]; ok || f.Position.Line == 0 {
			continue
		}
		if text, ok := l.sources[name]; ok {
			out[name] = text
		} else if data, err := readRegular(pathOf(l.opts.Root, name)); err == nil {
			out[name] = string(data)
		}
	}
	return out
}
