package registry

import (
	"encoding/json"
	"slices"

	"github.com/rho-ext/rho-ext/internal/suggest"
)

// Entry is one registered tool, as it was when it was registered.
type Entry struct {
	Tool  Tool
	Owner string // empty is the host program
	Info  Info   // with every derived field filled in, see [InfoOf]

	// What the tool said at registration, so that it cannot slip away under its
	// key, or show another schema than the one that is enforced.
	name        string
	description string
	parameters  json.RawMessage
	risk        Risk

	args   *argSchema  // compiled from the parameters
	format *textFormat // of a freeform tool, or nil
	life   *lifetime

	effecter    Effecter
	footprinter Footprinter
}

// Name is the registered name.
func (e Entry) Name() string { return e.name }

// Description is what the model is told of the tool.
func (e Entry) Description() string { return e.description }

// Parameters is the schema of the arguments, as the author wrote it.
func (e Entry) Parameters() json.RawMessage { return slices.Clone(e.parameters) }

// Snapshot is the content of a [Registry] at one moment. It never changes and
// is safe for concurrent use.
type Snapshot struct {
	generation uint64
	entries    []Entry
	index      map[string]int
}

func newSnapshot(generation uint64, entries []Entry) *Snapshot {
	s := &Snapshot{generation: generation, entries: entries, index: make(map[string]int, len(entries))}
	for i := range entries {
		s.index[entries[i].name] = i
	}
	return s
}

// Generation counts the changes of the registry; a later snapshot has a higher
// one.
func (s *Snapshot) Generation() uint64 { return s.generation }

// Tools lists the tools in the order in which their names were registered. The
// slice is the caller's own.
func (s *Snapshot) Tools() []Entry {
	return append([]Entry(nil), s.entries...)
}

// Len is the number of tools.
func (s *Snapshot) Len() int { return len(s.entries) }

// Lookup finds a tool by its name.
func (s *Snapshot) Lookup(name string) (Entry, bool) {
	if e := s.find(name); e != nil {
		return *e, true
	}
	return Entry{}, false
}

// find is Lookup without the copy.
func (s *Snapshot) find(name string) *Entry {
	i, ok := s.index[name]
	if !ok {
		return nil
	}
	return &s.entries[i]
}

// closeNames lists at most max names that look like name, quoted, the likeliest
// first.
func (s *Snapshot) closeNames(name string, max int) []string {
	names := make([]string, len(s.entries))
	for i := range s.entries {
		names[i] = s.entries[i].name
	}
	names = suggest.Names(name, names, max)
	for i, n := range names {
		names[i] = quote(n)
	}
	return names
}
