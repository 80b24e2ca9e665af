package host

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/frame"
)

// Inspection is what was found out about one extension, for linters; see
// [Options.Inspect].
type Inspection struct {
	Source   Source
	Failures []Failure // why it did not load
	// Manifest is there where the module gave one, even if it was not accepted.
	// Its positions are for Locate.
	Manifest *wire.Manifest
	// Survey is there where the code could be parsed. Its positions are for
	// Locate, too.
	Survey *wire.Survey
	// Size is how many bytes of script there are to run, Inputs the files that
	// went in.
	Size   int
	Inputs []Input

	place place
	own   []string
}

// Input is a file that went into a bundle.
type Input struct {
	File string // as people see it
	Size int64
}

// Location is a place in a file, for people.
type Location struct {
	Path         string // absolute
	File         string // as people see it
	Line, Column int    // 1-based; 0 is unknown
}

func (c *candidate) inspection() *Inspection {
	i := &Inspection{Source: c.source, Failures: c.failures, Manifest: c.manifest, Survey: c.survey, place: place{root: c.host.opts.Root}}
	switch {
	case c.bundle != nil:
		i.place.sources, i.Size, i.own = c.bundle, len(c.bundle.Script), c.bundle.Own()
	case c.fails != nil:
		i.place.sources, i.own = c.fails, slices.Sorted(maps.Keys(c.fails.Sources))
	}
	for _, path := range c.graph.Inputs {
		if st, err := os.Stat(path); err == nil {
			i.Inputs = append(i.Inputs, Input{File: showPath(c.host.opts.Root, path), Size: st.Size()})
		}
	}
	return i
}

// Own are the names of the files of its own, without those of packages, as
// positions use them.
func (i *Inspection) Own() []string { return i.own }

// Owns reports whether a position lies in one of them.
func (i *Inspection) Owns(pos wire.Position) bool {
	return pos.Line > 0 && !strings.Contains(pos.File, "node_modules/") && slices.Contains(i.own, pos.File)
}

// Text is the source of a file.
func (i *Inspection) Text(name string) string {
	if i.place.sources == nil {
		return ""
	}
	text, _ := i.place.sources.Source(name)
	return text
}

// Locate makes a position presentable. One that is not known is the
// extension as a whole.
func (i *Inspection) Locate(pos wire.Position) Location {
	if pos.File == "" || i.place.sources == nil {
		return Location{Path: i.Source.Entry, File: showPath(i.place.root, i.Source.Entry)}
	}
	return Location{Path: i.place.sources.Path(pos.File), File: i.place.show(pos.File), Line: pos.Line, Column: pos.Column}
}

// Frame draws the source around a position, or gives "".
func (i *Inspection) Frame(pos wire.Position) string {
	if text := i.Text(pos.File); text != "" && pos.Line > 0 {
		return frame.Draw(text, pos.Line, pos.Column)
	}
	return ""
}
