package jail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxVisited is how many names one Glob looks at, and maxEffort what it spends
// on comparing them: patterns can be made that cost a thousand times as much as
// those that people write.
const (
	maxVisited = 500_000
	maxEffort  = 40 * maxVisited
)

// errEnough ends a Glob.
var errEnough = errors.New("enough")

// Glob finds files and directories by a pattern with slashes: each component is
// a pattern of [path.Match], or ** for any number of directories, none too. It
// starts as a path does. What comes back is sorted, as OpenFile would name it,
// at most max (when above 0); more says that there is more, or that half a
// million names were looked at, fewer with an elaborate pattern. No link is entered while searching; one that
// leads to what may be seen is found by its own name. Protected names are not
// found, nor is anything in a directory that cannot be read.
func (j *Jail) Glob(pattern string, max int) (found []string, more bool, err error) {
	pattern = filepath.ToSlash(pattern)
	base, rest := "", components(pattern)
	for len(rest) > 0 && !strings.ContainsAny(rest[0], `*?[\`) {
		base += rest[0] + "/"
		rest = rest[1:]
	}
	if strings.HasPrefix(pattern, "/") {
		base = "/" + base
	}
	if base == "" {
		base = "."
	}
	rest = slices.CompactFunc(rest, func(a, b string) bool { return a == "**" && b == "**" })
	if len(pattern) > maxPath || len(rest) > maxDepth {
		return nil, false, fmt.Errorf("a pattern of %d components and %d bytes is too long: nothing lies so deep", len(rest), len(pattern))
	}
	for i, p := range rest {
		if p == ".." {
			return nil, false, fmt.Errorf("pattern %q: %w", pattern, &EscapeError{Path: pattern})
		}
		if _, err := path.Match(p, ""); err != nil {
			return nil, false, fmt.Errorf("pattern %q: component %d, %q: %w", pattern, i+1, p, err)
		}
	}
	err = again(func() error {
		found, more = nil, false
		w, err := j.walk(base, way{op: "glob"})
		defer w.close()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if len(rest) == 0 {
			found = []string{w.rel()}
			return nil
		}
		if !w.info.IsDir() {
			return nil
		}
		d, err := w.openDir()
		if err != nil {
			return w.fail(err)
		}
		defer d.Close()
		g := &glob{walk: w, parts: rest, max: max}
		names := w.names()
		if w.name != "" {
			names = append(names, w.name)
		}
		err = g.in(d, names, g.start())
		found, more = g.found, g.more
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	})
	return found, more, err
}

type glob struct {
	walk    *walk // to where the search starts
	parts   []string
	max     int
	visited int
	effort  int
	found   []string
	more    bool
}

// start are the places in the pattern before the first name.
func (g *glob) start() []int { return g.skip(nil, 0) }

// skip adds place i to states, and those after a ** there, which may stand for
// nothing.
func (g *glob) skip(states []int, i int) []int {
	for ; !slices.Contains(states, i); i++ {
		states = append(states, i)
		if i == len(g.parts) || g.parts[i] != "**" {
			break
		}
	}
	return states
}

// step gives the places in the pattern after a name, and whether the name
// completes it.
func (g *glob) step(states []int, name string) (next []int, hit bool) {
	for _, i := range states {
		g.effort++
		switch {
		case i == len(g.parts):
		case g.parts[i] == "**":
			next = g.skip(next, i)
			hit = hit || i == len(g.parts)-1
		default:
			g.effort += len(g.parts[i]) * len(name) / 64
			if ok, _ := path.Match(g.parts[i], name); ok { // Glob has checked the patterns
				next = g.skip(next, i+1)
				hit = hit || i == len(g.parts)-1
			}
		}
	}
	return next, hit
}

// in searches d, whose names lead to it.
func (g *glob) in(d *os.Root, names []string, states []int) error {
	if len(names) > maxDepth {
		return nil
	}
	f, err := d.Open(".")
	if err != nil {
		return nil // not to be read
	}
	entries, _ := f.ReadDir(maxVisited - g.visited + 1)
	f.Close()
	// In the order of the paths, where "a.b" comes before "a/b".
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(sortName(a), sortName(b)) })
	for _, e := range entries {
		if g.visited++; g.visited > maxVisited || g.effort > maxEffort {
			g.more = true
			return errEnough
		}
		name := e.Name()
		next, hit := g.step(states, name)
		if len(next) == 0 {
			continue
		}
		here := append(slices.Clip(names), name)
		if hit && g.visible(e, here) {
			if g.max > 0 && len(g.found) == g.max {
				g.more = true
				return errEnough
			}
			g.found = append(g.found, g.rel(here))
		}
		if e.IsDir() {
			if err := g.enter(d, here, next); err != nil {
				return err
			}
		}
	}
	return nil
}

// enter searches a directory in d, the last of names.
func (g *glob) enter(d *os.Root, names []string, states []int) error {
	name := names[len(names)-1]
	if badName(name) != "" || g.walk.withheld(names, false, true) != "" {
		return nil
	}
	info, err := d.Lstat(name)
	if err != nil || !info.IsDir() {
		return nil
	}
	next, err := openSub(d, name)
	if err != nil {
		return nil
	}
	defer next.Close()
	now, err := next.Stat(".")
	if err != nil || !os.SameFile(now, info) {
		return nil
	}
	return g.in(next, names, states)
}

// visible reports whether what was found may be named.
func (g *glob) visible(e fs.DirEntry, names []string) bool {
	j := g.walk.jail
	if badName(e.Name()) != "" || g.walk.withheld(names, true, false) != "" {
		return false // before allow, which may ask a person
	}
	if e.Type()&fs.ModeSymlink != 0 {
		_, _, err := j.Stat(joinAbs(g.walk.root.canonical, names))
		if err != nil {
			return false
		}
	}
	return j.allow == nil || j.allow(joinAbs(g.walk.root.canonical, names), false) == nil
}

func (g *glob) rel(names []string) string {
	if g.walk.root == g.walk.roots[0] {
		return strings.Join(names, "/")
	}
	return filepath.ToSlash(joinAbs(g.walk.root.canonical, names))
}

// sortName makes a directory's name sort as its content does.
func sortName(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}
