package permission

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// Key names an extension for the grants that are kept for it. What is granted
// to one key holds for no other: not for an extension of the same name in
// another place, nor for the same one when it asks for more.
type Key struct {
	Scope     string `json:"scope"`          // user, project or explicit
	Root      string `json:"root"`           // the project's, canonical; empty without one
	Dir       string `json:"dir"`            // the folder in which extensions are looked for
	Extension string `json:"extension"`      // its id
	Hash      string `json:"hash,omitempty"` // of its ceiling
}

// Store keeps grants. It must be safe for concurrent use.
type Store interface {
	// Grants are those of a key. What cannot be read is no grant; the error
	// says so, beside what could be.
	Grants(Key) ([]Grant, error)
	Add(Key, ...Grant) error
	Remove(Key, ...Grant) error
}

// AccessOptions say what an extension may touch.
type AccessOptions struct {
	Key     Key
	Ceiling *Ceiling
	Flags   []Grant // given on the command line, to every extension
	Kept    Store   // nil keeps nothing
	Session Store   // nil forgets at once
	// Whole are kinds of which everything that the ceiling admits counts as
	// granted; of files only what lies in the project. It is for tests, where
	// nothing real is behind a kind.
	Whole []Kind
	// Command begins the command that grants something, such as "rho-ext".
	Command string
}

// Access decides for one extension. What it allows is what its ceiling admits
// and something grants. It is safe for concurrent use.
type Access struct {
	opts AccessOptions
	root string
	base *Set // default and flags

	mu   sync.Mutex
	last map[string]cached // by what gave them
}

// cached spares compiling grants that have not changed.
type cached struct {
	list []Grant
	set  *Set
}

// NewAccess makes one.
func NewAccess(o AccessOptions) *Access {
	a := &Access{opts: o, root: o.Key.Root, last: map[string]cached{}}
	if o.Command == "" {
		a.opts.Command = "rho-ext"
	}
	var held []Held
	if a.root != "" {
		held = append(held, Held{Grant{KindRead, "."}, "default"})
	}
	for _, g := range o.Flags {
		held = append(held, Held{g, g.Flag()})
	}
	a.base = NewSet(a.root, held...)
	return a
}

// Key is the extension's.
func (a *Access) Key() Key { return a.opts.Key }

// Ceiling is the extension's.
func (a *Access) Ceiling() *Ceiling { return a.opts.Ceiling }

// Root is the project's.
func (a *Access) Root() string { return a.root }

// Check says whether the extension may do what n needs, by what it holds or by
// once, which was granted to one call. On a yes it names what grants it, and
// fills in n.Rule of a host.
func (a *Access) Check(n *Need, once *Set) (by string, denied *Denial) {
	if !n.below(a.opts.Ceiling) {
		return "", &Denial{access: a, Need: *n, Undeclared: true}
	}
	if n.Kind == KindRun { // no more than the manifest asks for
		if h, ok := n.coveredBy(a.opts.Ceiling.set); ok && h.Target != "*" {
			n.Grant = h.Grant
		}
	}
	// Of a host, the rule that says most grants most: look at all.
	var found Held
	var rule NetRule
	ok := false
	for _, s := range a.sets(once) {
		h, yes := n.coveredBy(s)
		if !yes || ok && n.Rule.precision() <= rule.precision() {
			continue
		}
		found, rule, ok = h, n.Rule, true
		if n.Kind != KindNet {
			break
		}
	}
	n.Rule = rule
	if !ok && a.whole(n) {
		_, ok = n.coveredBy(NewSet(a.root, Held{n.Grant, wholeBy}))
		found.By = wholeBy
	}
	if !ok {
		return "", &Denial{access: a, Need: *n}
	}
	return found.By, nil
}

// wholeBy is what grants that nobody gave are shown as.
const wholeBy = "test"

// whole reports whether everything below the ceiling counts as granted.
func (a *Access) whole(n *Need) bool {
	if !slices.Contains(a.opts.Whole, n.Kind) {
		return false
	}
	return n.Kind != KindRead && n.Kind != KindWrite || a.root != "" && within(n.real, a.root)
}

// Held lists all that the extension holds now, ceiling or not.
func (a *Access) Held() []Held {
	var out []Held
	for _, s := range a.sets(nil) {
		out = append(out, s.Grants()...)
	}
	return out
}

func (a *Access) sets(once *Set) []*Set {
	sets := []*Set{a.base, a.stored(a.opts.Kept, "granted"), a.stored(a.opts.Session, "session")}
	if once != nil {
		sets = append(sets, once)
	}
	return sets
}

// stored is what a store has for the extension.
func (a *Access) stored(s Store, by string) *Set {
	if s == nil {
		return nil
	}
	list, _ := s.Grants(a.opts.Key) // doctor and permissions report what cannot be read
	a.mu.Lock()
	defer a.mu.Unlock()
	if c, ok := a.last[by]; ok && slices.Equal(c.list, list) {
		return c.set
	}
	held := make([]Held, len(list))
	for i, g := range list {
		held[i] = Held{g, by}
	}
	c := cached{slices.Clone(list), NewSet(a.root, held...)}
	a.last[by] = c
	return c.set
}

// Keep stores a grant: in the user's files, or for the session.
func (a *Access) Keep(g Grant, scope registry.Scope) error {
	switch {
	case scope == registry.Always && a.opts.Kept != nil:
		return a.opts.Kept.Add(a.opts.Key, g)
	case scope != registry.Once && a.opts.Session != nil:
		return a.opts.Session.Add(a.opts.Key, g)
	}
	return nil
}

// CanKeep reports whether there is a place for grants that are kept.
func (a *Access) CanKeep() bool { return a.opts.Kept != nil }

// Paths are all granted places, absolute. One outside the project opens its
// folder; one that names a protected file lets that be used.
func (a *Access) Paths(once *Set) (paths []string) {
	for _, s := range a.sets(once) {
		if s == nil {
			continue
		}
		for _, c := range s.held {
			if c.Kind == KindRead || c.Kind == KindWrite {
				paths = append(paths, c.path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Denial is the answer no.
type Denial struct {
	Need
	// Undeclared: the extension's manifest does not ask for it, so that nobody
	// can grant it.
	Undeclared bool
	access     *Access
}

// Error implements error.
func (d *Denial) Error() string {
	if d.Undeclared {
		return fmt.Sprintf("extension %q: %s is not among its permissions", d.access.opts.Key.Extension, d.what(d.shown().Target))
	}
	return fmt.Sprintf("extension %q: %s is not granted", d.access.opts.Key.Extension, d.what(d.shown().Target))
}

// CanAsk reports whether a person can be asked to allow it.
func (d *Denial) CanAsk() bool { return !d.Undeclared && d.Need.nameable(d.access.root) }

// Suggest is the command that grants what a flag says.
func (a *Access) Suggest(flag string) string {
	id := a.opts.Key.Extension
	if strings.HasPrefix(id, "-") { // it must not look like a flag
		return fmt.Sprintf("%s grant %s -- %s", a.opts.Command, flag, ShellQuote(id))
	}
	return fmt.Sprintf("%s grant %s %s", a.opts.Command, ShellQuote(id), flag)
}

// Hint says what would allow it.
func (d *Denial) Hint() string {
	command := d.access.Suggest(d.shown().Flag())
	switch {
	case d.Given == "" && !d.Need.nameable(d.access.root):
		return "nothing can be granted by that name: use a plain one"
	case !d.Undeclared:
		return "to allow it: " + command
	case !d.access.opts.Ceiling.Declared():
		return fmt.Sprintf("its code was not seen to use %s; add permissions: { %s: [%q] } to its manifest, then: %s",
			d.Kind, d.Kind.manifestKey(), d.shown().Target, command)
	}
	return fmt.Sprintf("add %q to %s in its manifest's permissions, then: %s", d.shown().Target, d.Kind.manifestKey(), command)
}

// manifestKey is the kind's key in a manifest's permissions.
func (k Kind) manifestKey() string {
	if k == KindTool || k == KindHook {
		return string(k) + "s"
	}
	return string(k)
}

// Subject is what was wanted, such as "writing out/a.txt"; of a program with its
// arguments, though a grant is of the program.
func (d *Denial) Subject() string {
	if d.Kind != KindRun || len(d.argv) < 2 {
		return d.what(d.Grant.Target)
	}
	words := []string{ShellQuote(d.command)}
	for _, arg := range d.argv[1:] {
		words = append(words, ShellQuote(arg))
	}
	return "running " + strings.Join(words, " ")
}

// Wire is the denial as the code of the extension sees it.
func (d *Denial) Wire() *wire.Error {
	return &wire.Error{Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Code: string(d.Kind),
		Message: strings.TrimSpace(d.Error()), Hint: d.Hint()}
}
