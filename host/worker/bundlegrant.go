package worker

import (
	"maps"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/host/bundle"
)

// grants are the places that a bundler may read: what may be read there and the
// path, and what tells it from another of that name later. A folder that was
// removed and made again is another one to the kernel.
type grants map[string]string

// What may be read; it stands before the path.
const (
	grantTree  = "t"
	grantNames = "n"
	grantFile  = "f"
)

func grantsOf(o bundle.Options) grants {
	g := grants{}
	r := bundle.ReadsOf(o)
	for what, paths := range map[string][]string{grantTree: r.Trees, grantNames: r.Names, grantFile: r.Files} {
		for _, path := range paths {
			g[what+path] = fileID(path)
		}
	}
	return g
}

func (g grants) add(more grants) { maps.Copy(g, more) }

// cover reports whether all that is needed may be read.
func (g grants) cover(need grants) bool {
	for place, id := range need {
		if have, ok := g[place]; !ok || have != id {
			return false
		}
	}
	return true
}

// key is the same for the same grants.
func (g grants) key() string {
	var s strings.Builder
	for _, place := range slices.Sorted(maps.Keys(g)) {
		s.WriteString(place + "\x00" + g[place] + "\x00")
	}
	return s.String()
}

func (g grants) reads() (r bundle.Reads) {
	for _, place := range slices.Sorted(maps.Keys(g)) {
		switch what, path := place[:1], place[1:]; what {
		case grantTree:
			r.Trees = append(r.Trees, path)
		case grantNames:
			r.Names = append(r.Names, path)
		case grantFile:
			r.Files = append(r.Files, path)
		}
	}
	return r
}
