package registry

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
)

// BatchOptions configure one batch.
type BatchOptions struct {
	// Concurrency is how many calls run at once at most. Zero and one run them
	// one after the other, in order.
	Concurrency int
}

// Batch runs the calls of one turn of a model and gives their outcomes in the
// order of the calls, each exactly one.
//
// One after the other, each call is asked about just before it runs. Side by
// side, the whole batch is asked about first, in order, and then calls that
// cannot disturb each other run together: a call that writes a path waits for
// earlier calls on that path, and one whose footprint nobody knows runs alone.
//
// A call that stops the batch lets those finish that run; the others are
// skipped. The end of ctx cancels the calls that run and skips the others.
//
// Middleware runs side by side as well where the calls do. It must not hold one
// call back until another one of the batch has ended, as with a lock around
// next: the first of them waits for the second to be asked about.
func (d *Door) Batch(ctx context.Context, calls []Request, o *BatchOptions) []*Outcome {
	bound := 1
	if o != nil {
		bound = max(1, o.Concurrency)
	}
	b := &batch{bound: bound, slots: make([]*slot, len(calls))}
	b.changed = sync.NewCond(&b.mu)
	for i := range calls {
		b.slots[i] = &slot{batch: b, index: i}
	}
	unwatch := context.AfterFunc(ctx, b.wake)
	defer unwatch()
	out := make([]*Outcome, len(calls))
	var wg sync.WaitGroup
	for i, req := range calls {
		wg.Go(func() {
			defer b.slots[i].end()
			defer func() {
				if out[i] == nil { // foreign code ended this goroutine
					out[i] = d.broken(req)
				}
			}()
			out[i] = d.Call(context.WithValue(ctx, slotKey{}, b.slots[i]), req)
		})
		if bound == 1 {
			wg.Wait() // also the middleware of one call after that of the other
		}
	}
	wg.Wait()
	return out
}

type slotKey struct{}

// slotFrom finds the place of a call in its batch. The context that it returns
// has none: a call that a tool or a hook makes itself is not of the batch.
func slotFrom(ctx context.Context) (*slot, context.Context) {
	s, _ := ctx.Value(slotKey{}).(*slot)
	if s == nil {
		return nil, ctx
	}
	return s, context.WithValue(ctx, slotKey{}, nil)
}

// batch orders the calls of one turn.
type batch struct {
	bound int
	slots []*slot

	mu        sync.Mutex
	changed   *sync.Cond
	stoppedBy int // index+1 of the first call that stopped the batch, or 0
	reason    string
}

// stage is how far a call of a batch has come.
type stage uint8

const (
	waiting stage = iota
	admitting
	ready
	running
	ended
)

// slot is one call's place in its batch.
type slot struct {
	batch *batch
	index int

	// Guarded by batch.mu.
	inUse bool // a run of the call is between enter and leave
	stage stage
	print Footprint
}

func (b *batch) wake() {
	b.mu.Lock()
	b.changed.Broadcast()
	b.mu.Unlock()
}

// enter waits for the call's turn to be prepared and asked about. It returns
// why the call must not start, or "", and leave is due then. Middleware that
// runs a call again enters again, one run after the other.
func (s *slot) enter(ctx context.Context) (why string) {
	b := s.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		why, over := s.over(ctx)
		if why != "" {
			return why
		}
		least := ready
		if b.bound == 1 {
			least = ended
		}
		if !over && !s.inUse && !slices.ContainsFunc(b.slots[:s.index], func(e *slot) bool { return e.stage < least }) {
			s.inUse, s.stage = true, admitting
			return ""
		}
		b.changed.Wait()
	}
}

// leave ends what enter began. The call keeps its place until its outcome is
// out.
func (s *slot) leave() {
	b := s.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	s.inUse = false
	b.changed.Broadcast()
}

// start waits until the call can run beside the others.
func (s *slot) start(ctx context.Context, print Footprint) (why string) {
	b := s.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.stage != ended {
		s.stage, s.print = ready, print
	}
	b.changed.Broadcast()
	for {
		why, over := s.over(ctx)
		if why != "" {
			return why
		}
		if !over && s.free() {
			s.stage = running
			return ""
		}
		b.changed.Wait()
	}
}

// free reports whether nothing holds the call back. Calls start in their order,
// as far as they do not conflict. The caller holds the lock.
func (s *slot) free() bool {
	b := s.batch
	if b.bound == 1 {
		return true // enter saw to it
	}
	busy := 0
	for _, e := range b.slots {
		switch {
		case e.stage < ready:
			return false // every approval comes before the first run
		case e.stage == running:
			busy++
		}
	}
	for _, e := range b.slots[:s.index+1] {
		if busy >= b.bound {
			return false
		}
		if e.stage == ready && !e.held() {
			busy++
		}
	}
	return !s.held()
}

// held reports whether the call conflicts with one that runs, or that comes
// first. The caller holds the lock.
func (s *slot) held() bool {
	return slices.ContainsFunc(s.batch.slots, func(e *slot) bool {
		return e != s && (e.stage == running || e.stage == ready && e.index < s.index) && conflict(e.print, s.print)
	})
}

// over reports whether the call must not start any more, and why, as soon as
// that is certain: an earlier call that still runs may have a reason that
// counts more. The caller holds the lock.
func (s *slot) over(ctx context.Context) (why string, over bool) {
	b := s.batch
	switch {
	case s.stage == ended: // some middleware did not wait for it
		return "the call had its outcome before it came to run", true
	case ctx.Err() != nil:
		return "the batch was cancelled", true
	case b.stoppedBy == 0:
		return "", false
	case slices.ContainsFunc(b.slots[:b.stoppedBy-1], func(e *slot) bool {
		return e != s && (e.stage == admitting || e.stage == running)
	}):
		return "", true
	default:
		return "another call stopped the batch: " + b.reason, true
	}
}

// stop keeps calls from starting. Of several reasons that of the earliest call
// counts.
func (s *slot) stop(reason string) {
	b := s.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stoppedBy == 0 || s.index+1 < b.stoppedBy {
		b.stoppedBy, b.reason = s.index+1, reason
	}
	b.changed.Broadcast()
}

func (s *slot) end() {
	b := s.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	s.stage = ended
	b.changed.Broadcast()
}

// conflict reports whether two calls must not run at the same time.
func conflict(a, b Footprint) bool {
	if a.Exclusive || b.Exclusive {
		return true
	}
	return overlap(a.Writes, b.Writes) || overlap(a.Writes, b.Reads) || overlap(a.Reads, b.Writes)
}

// overlap reports whether a path of a is, or holds, or lies in one of b.
func overlap(a, b []string) bool {
	for _, p := range a {
		p = path.Clean(p)
		for _, q := range b {
			q = path.Clean(q)
			if p == q || p == "." || q == "." || strings.HasPrefix(p, q+"/") || strings.HasPrefix(q, p+"/") {
				return true
			}
		}
	}
	return false
}
