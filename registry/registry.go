package registry

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Registry holds tools from every source side by side, under unique names.
// Its methods are safe for concurrent use. Reading goes through an immutable
// [Snapshot] and takes no lock; no method waits for a running tool.
type Registry struct {
	current atomic.Pointer[Snapshot]

	mu       sync.Mutex // guards writing current, and what follows
	reserved map[string]bool
	notifier notifier

	hooks atomic.Pointer[[]hookSource]
}

// New makes an empty registry.
func New() *Registry {
	r := &Registry{reserved: map[string]bool{}}
	r.current.Store(newSnapshot(0, nil))
	return r
}

// Snapshot is the current content.
func (r *Registry) Snapshot() *Snapshot { return r.current.Load() }

// Register adds tools of owner, all or none; the empty owner is the host
// program. A name that is taken gives a [*DuplicateError], a reserved one a
// [*ReservedError], a tool that breaks a rule of [Tool] an
// [*InvalidToolError]. Parameters are compiled here, once.
func (r *Registry) Register(owner string, tools ...Tool) error {
	added, err := newEntries(owner, tools)
	if err != nil || len(added) == 0 {
		return err
	}
	return r.change(func(old []Entry) ([]Entry, error) {
		if err := r.checkNames(owner, added, old); err != nil {
			return nil, err
		}
		return append(append(make([]Entry, 0, len(old)+len(added)), old...), added...), nil
	})
}

// MustRegister is Register for tools that are known to be right; it panics
// with the error.
func (r *Registry) MustRegister(owner string, tools ...Tool) {
	if err := r.Register(owner, tools...); err != nil {
		panic(err)
	}
}

// Reserve keeps names for the host program, the empty owner. A tool that
// already has one of them stays.
func (r *Registry) Reserve(names ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range names {
		r.reserved[n] = true
	}
}

// Swap makes tools exactly the tools of owner, in one step: no snapshot shows
// a part of it. Without tools it removes all of the owner's. Names that stay
// keep their place in the order and new ones go to the end, so that a reload
// moves nothing. On an error nothing changes. Calls that run are not touched;
// they finish on the tool they started with.
func (r *Registry) Swap(owner string, tools []Tool) error {
	added, err := newEntries(owner, tools)
	if err != nil {
		return err
	}
	return r.change(func(old []Entry) ([]Entry, error) {
		others := make([]Entry, 0, len(old))
		for _, e := range old {
			if e.Owner != owner {
				others = append(others, e)
			}
		}
		if err := r.checkNames(owner, added, others); err != nil {
			return nil, err
		}
		if len(added) == 0 && len(others) == len(old) {
			return old, nil
		}
		fresh := newSnapshot(0, added)
		next := make([]Entry, 0, len(others)+len(added))
		placed := map[string]bool{}
		for _, e := range old {
			if e.Owner != owner {
				next = append(next, e)
			} else if n := fresh.find(e.name); n != nil {
				next = append(next, *n)
				placed[e.name] = true
			}
		}
		for _, e := range added {
			if !placed[e.name] {
				next = append(next, e)
			}
		}
		return next, nil
	})
}

// Replace puts tool in the place of the one of its name, or at the end where
// there is none. A name of another owner gives a [*DuplicateError] unless
// override is set; the tool then belongs to owner.
func (r *Registry) Replace(owner string, tool Tool, override bool) error {
	added, err := newEntries(owner, []Tool{tool})
	if err != nil {
		return err
	}
	return r.change(func(old []Entry) ([]Entry, error) {
		others := make([]Entry, 0, len(old))
		place := len(old)
		for i, e := range old {
			if e.name == added[0].name && (e.Owner == owner || override) {
				place = i
				continue
			}
			others = append(others, e)
		}
		if err := r.checkNames(owner, added, others); err != nil {
			return nil, err
		}
		return slices.Insert(others, min(place, len(others)), added[0]), nil
	})
}

// Remove takes the tool of that name out and reports whether there was one.
func (r *Registry) Remove(name string) bool {
	removed := false
	_ = r.change(func(old []Entry) ([]Entry, error) { // never fails
		next := make([]Entry, 0, len(old))
		for _, e := range old {
			if e.name != name {
				next = append(next, e)
			}
		}
		if removed = len(next) < len(old); !removed {
			return old, nil
		}
		return next, nil
	})
	return removed
}

// change replaces the content by what edit makes of it and tells the
// subscribers. An edit that returns its argument changes nothing.
func (r *Registry) change(edit func(old []Entry) ([]Entry, error)) error {
	r.mu.Lock()
	old := r.current.Load()
	next, err := edit(old.entries)
	if err != nil || sameEntries(next, old.entries) {
		r.mu.Unlock()
		return err
	}
	keepLifetimes(old, next)
	s := newSnapshot(old.generation+1, next)
	r.current.Store(s)
	r.notifier.push(s)
	r.mu.Unlock()
	retireGone(old.entries, s)
	r.notifier.drain()
	return nil
}

// keepLifetimes lets a tool that was registered again under its name live on.
func keepLifetimes(old *Snapshot, next []Entry) {
	for i := range next {
		if e := old.find(next[i].name); e != nil && next[i].life != e.life && sameTool(e.Tool, next[i].Tool) {
			next[i].life = e.life
		}
	}
}

// sameTool compares tools, also those of a type that cannot be compared.
func sameTool(a, b Tool) (same bool) {
	defer func() { _ = recover() }() // uncomparable
	return a == b
}

// retireGone lets go of tools that are no longer there.
func retireGone(old []Entry, now *Snapshot) {
	for i := range old {
		if e := now.find(old[i].name); e == nil || e.life != old[i].life {
			old[i].life.retire()
		}
	}
}

// sameEntries reports whether a and b are one and the same slice.
func sameEntries(a, b []Entry) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// checkNames makes sure that added may stand beside others. The caller holds
// r.mu.
func (r *Registry) checkNames(owner string, added, others []Entry) error {
	taken := make(map[string]string, len(others))
	for _, e := range others {
		taken[e.name] = e.Owner
	}
	for _, e := range added {
		name := e.name
		if holder, ok := taken[name]; ok {
			return &DuplicateError{Name: name, Owner: holder, By: owner}
		}
		if owner != "" && r.reserved[name] {
			return &ReservedError{Name: name, By: owner}
		}
		taken[name] = owner
	}
	return nil
}
