package host

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/suggest"
)

// Reload looks at the folders again and brings every extension up to date. A
// version that works is put in place at once; calls that run finish on the one
// they began on. One that does not leaves the last good version serving, and is
// reported. Whether an extension has changed is decided by the content of all
// its modules, and of what decides about its imports.
//
// With ids only those extensions are looked at, and loaded anew even where
// nothing has changed. An id that there is no extension of is an error.
func (h *Host) Reload(ctx context.Context, ids ...string) (Report, error) {
	return h.reload(ctx, &look{only: ids, retry: true})
}

// look is one look at the extensions.
type look struct {
	only  []string // nothing means all
	keep  bool     // those that are named are loaded anew only where they changed
	retry bool     // what failed is tried again, changed or not
	// patience is how long a file that is empty or gone counts as one that is
	// being saved; then it is tried again.
	patience time.Duration
	// unsettled says that something was left for later.
	unsettled bool
}

func (l *look) wants(id string) bool { return len(l.only) == 0 || slices.Contains(l.only, id) }
func (l *look) named(id string) bool { return !l.keep && slices.Contains(l.only, id) }

// record is what is known of an extension since it was last looked at.
type record struct {
	source   Source
	graph    bundle.Graph
	stamp    string    // empty: look again
	failures []Failure // why the last attempt failed, if it did
	version  int       // how many were put in place
	odd      time.Time // since when it looks as if it was being saved
	at       time.Time // of the stamp
}

func (h *Host) record(id string) *record {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.records[id]
}

// recordOf gives the record of an extension, a new one if need be. The caller
// holds h.mu.
func (h *Host) recordOf(id string) *record {
	r := h.records[id]
	if r == nil {
		r = &record{}
		h.records[id] = r
	}
	return r
}

// nextVersion counts what is put in place. The caller holds h.mu.
func (h *Host) nextVersion(id string) int {
	r := h.recordOf(id)
	r.version++
	return r.version
}

func (h *Host) reload(ctx context.Context, l *look) (Report, error) {
	h.reloading.Lock()
	defer h.reloading.Unlock()
	if h.isClosed() {
		return Report{}, ErrClosed
	}
	begin := time.Now()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(h.ctx, func() { cancel(ErrClosed) })()
	sources, failures, not := discover(h.options())
	if err := h.known(sources, failures, l); err != nil {
		return Report{}, err
	}
	h.returned(sources, l)
	if err := l.runnable(sources); err != nil {
		return Report{}, err
	}
	h.noteCode(sources)
	h.noteOrder(sources)
	rep := Report{}
	h.discovered(failures, l, &rep)
	likely, rest := h.needed(sources)
	sources = h.removeGone(sources, not, l, &rep)
	skipped := map[string]bool{}
	for _, group := range [][]Source{likely, rest} {
		if h.hasTool() {
			if group = h.unneeded(skipped, group); len(group) == 0 {
				continue
			}
		}
		built := h.buildAll(ctx, group, l)
		if err := ctx.Err(); err != nil {
			return rep, context.Cause(ctx)
		}
		h.patient(built, l)
		h.apply(ctx, built, skipped, &rep)
	}
	if err := ctx.Err(); err != nil {
		return rep, context.Cause(ctx)
	}
	h.note(sources, h.absentGuards(sources, skipped), skipped, l, &rep)
	rep.Duration = time.Since(begin)
	return rep, nil
}

// NameError says that an extension that was named is not there, or may not run.
type NameError struct {
	Name    string
	Message string
}

func (e *NameError) Error() string { return e.Message }

// known checks the ids that were asked for.
func (h *Host) known(sources []Source, failures []Failure, l *look) error {
	have := map[string]bool{}
	for _, s := range sources {
		have[s.ID] = true
	}
	for _, f := range failures {
		have[f.Extension] = true
	}
	h.mu.RLock()
	for id := range h.loaded {
		have[id] = true
	}
	h.mu.RUnlock()
	for _, id := range l.only {
		if have[id] {
			continue
		}
		names := slices.Sorted(maps.Keys(have))
		hint := suggest.Hint(suggest.Names(id, names, 1)...)
		if hint == "" && len(names) > 0 {
			hint = "; there are " + strings.Join(names, ", ")
		}
		return &NameError{id, fmt.Sprintf("there is no extension %q%s", id, hint)}
	}
	return nil
}

// runnable refuses to load anew what may not run.
func (l *look) runnable(sources []Source) error {
	for _, id := range l.only {
		if !l.named(id) || slices.ContainsFunc(sources, func(s Source) bool { return s.ID == id && s.runs() }) {
			continue
		}
		for _, s := range sources {
			switch {
			case s.ID != id:
			case s.Disabled:
				return &NameError{id, fmt.Sprintf("extension %q is disabled: enable it first", id)}
			case s.Untrusted:
				return &NameError{id, fmt.Sprintf("extension %q is not trusted: see rho-ext trust", id)}
			}
		}
	}
	return nil
}

// unchanged gives the record of an extension of which nothing has changed, or
// nil.
func (h *Host) unchanged(src Source, l *look) *record {
	r := h.record(src.ID)
	if r == nil || r.stamp == "" || r.source != src || l.named(src.ID) || l.retry && len(r.failures) > 0 {
		return nil
	}
	g := h.current(src.ID)
	if len(r.failures) == 0 && (g == nil || g.source != src || g.broker.earlyNow() != g.early) {
		return nil
	}
	if h.stamps.Of(h.bundling(src), r.graph, h.failedToBuild(r)) != r.stamp {
		return nil
	}
	return r
}

func (h *Host) failedToBuild(r *record) bool {
	return slices.ContainsFunc(r.failures, func(f Failure) bool { return f.Stage == wire.StageBundle || f.Stage == wire.StageResolve })
}

// settle notes and reports what became of a candidate.
func (h *Host) settle(c *candidate, rep *Report) {
	id := c.source.ID
	h.mu.Lock()
	r := h.recordOf(id)
	before := r.failures
	if c.same == nil {
		r.source, r.graph, r.stamp, r.failures = c.source, c.graph, c.stamp, c.failures
		r.at = time.Now()
		if c.refused != nil && len(c.failures) > 0 {
			r.stamp = "" // it depends on the other extensions
		}
	}
	change := Change{Extension: id, Bundled: c.spent, Loaded: c.took}
	if g := h.loaded[id]; g != nil {
		change.serves(g)
	}
	h.mu.Unlock()
	switch {
	case c.same != nil && len(c.same.failures) > 0:
		rep.Failures = append(rep.Failures, c.same.failures...)
		return
	case len(c.failures) > 0:
		rep.Failures = append(rep.Failures, c.failures...)
		change.Kind, change.Failures = ChangeFailed, c.failures
		change.again = reflect.DeepEqual(before, c.failures)
	case c.made == nil:
		rep.Unchanged = append(rep.Unchanged, id)
		if len(before) == 0 {
			return
		}
		change.Kind = ChangeRestored
	case c.old == nil:
		rep.Added = append(rep.Added, id)
		change.Kind, change.Tools = ChangeAdded, toolChanges(nil, c.made)
	default:
		rep.Reloaded = append(rep.Reloaded, id)
		change.Kind, change.Tools, change.Silenced = ChangeReloaded, toolChanges(c.old, c.made), silenced(c.old, c.made)
	}
	rep.Changes = append(rep.Changes, change)
}

// removeGone takes out extensions that are no longer there, or may not run any
// more. One that is there but cannot be read, as while it is being saved, goes
// on serving: its source is added to those that were found.
func (h *Host) removeGone(sources []Source, not unread, l *look, rep *Report) []Source {
	here, off, seen := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, s := range sources {
		if s.ShadowedBy == "" {
			here[s.ID] = true
			off[s.ID] = !s.runs() && (off[s.ID] || !seen[s.ID])
			seen[s.ID] = true
		}
	}
	h.mu.Lock()
	var kept []Source
	var gone []string
	for id, g := range h.loaded {
		switch {
		case here[id] && !off[id]:
		case !l.wants(id) && !off[id], not.holds(g.source), !off[id] && h.beingSaved(id, l):
			kept = append(kept, g.source)
		default:
			gone = append(gone, id)
		}
	}
	// What failed and is gone is no failure any more.
	for id, r := range h.records {
		if !here[id] && h.loaded[id] == nil && len(r.failures) > 0 && !not.holds(r.source) && l.wants(id) {
			r.failures, r.stamp = nil, ""
			rep.Changes = append(rep.Changes, Change{Extension: id, Kind: ChangeRemoved})
		}
	}
	h.mu.Unlock()
	slices.SortFunc(kept, func(a, b Source) int { return strings.Compare(a.ID, b.ID) })
	sort.Strings(gone)
	for _, id := range gone {
		old := h.current(id)
		if err := h.replace(id, nil); err != nil {
			f := Failure{Extension: id, Stage: wire.StageManifest, Message: err.Error()}
			rep.Failures = append(rep.Failures, f)
			continue
		}
		rep.Removed = append(rep.Removed, id)
		change := Change{Extension: id, Kind: ChangeRemoved, Tools: toolChanges(old, nil)}
		if off[id] {
			change.Kind = ChangeDisabled
		}
		rep.Changes = append(rep.Changes, change)
	}
	return append(sources, kept...)
}

// discovered notes and reports the failures of discovery.
func (h *Host) discovered(failures []Failure, l *look, rep *Report) {
	byID := map[string][]Failure{}
	var ids []string
	for _, f := range failures {
		if byID[f.Extension] == nil {
			ids = append(ids, f.Extension)
		}
		byID[f.Extension] = append(byID[f.Extension], f)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		r := h.recordOf(id)
		list := byID[id]
		if !l.wants(id) || h.beingSaved(id, l) {
			continue
		}
		rep.Failures = append(rep.Failures, list...)
		change := Change{Extension: id, Kind: ChangeFailed, Failures: list, again: reflect.DeepEqual(r.failures, list)}
		if g := h.loaded[id]; g != nil {
			change.serves(g)
		}
		r.failures, r.stamp = list, ""
		rep.Changes = append(rep.Changes, change)
	}
}

// note keeps what was found for those who ask.
func (h *Host) note(sources []Source, absent []string, skipped map[string]bool, l *look, rep *Report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(l.only) > 0 {
		// Of the others what was known holds.
		for _, f := range h.failures {
			if !l.wants(f.Extension) {
				rep.Failures = append(rep.Failures, f)
			}
		}
		var list []Source
		for _, s := range h.sources {
			if !l.wants(s.ID) {
				list = append(list, s)
			}
		}
		for _, s := range sources {
			if l.wants(s.ID) {
				list = append(list, s)
			}
		}
		slices.SortStableFunc(list, func(a, b Source) int { return inOrder(sources, a) - inOrder(sources, b) })
		sources, skipped = list, h.skipped
	}
	sortFailures(rep.Failures)
	sort.Strings(rep.Added)
	sort.Strings(rep.Reloaded)
	sort.Strings(rep.Unchanged)
	sort.SliceStable(rep.Changes, func(i, j int) bool { return rep.Changes[i].Extension < rep.Changes[j].Extension })
	h.sources, h.failures, h.skipped, h.absent = sources, rep.Failures, skipped, absent
}

func inOrder(all []Source, s Source) int {
	if i := slices.IndexFunc(all, func(o Source) bool { return o.ID == s.ID && o.Entry == s.Entry }); i >= 0 {
		return i
	}
	return len(all)
}
