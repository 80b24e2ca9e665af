package registry

import "sync"

// Subscribe has fn called with the new snapshot after each change, in order
// and one at a time. It runs on the goroutine of a change, without a lock, so
// that fn may itself use the registry: a change that it makes is told when it
// has returned. Where changes overlap, one goroutine tells of all of them, and
// the method that made another may return before fn has heard of it.
//
// After cancel no new call of fn starts; one that runs may still be running.
func (r *Registry) Subscribe(fn func(*Snapshot)) (cancel func()) {
	r.mu.Lock() // no change falls between the generation and the subscription
	defer r.mu.Unlock()
	return r.notifier.subscribe(fn, r.current.Load().generation)
}

// notifier hands snapshots to subscribers, in order.
type notifier struct {
	mu      sync.Mutex
	subs    []*subscription
	pending []*Snapshot
	busy    bool // a goroutine is handing out
}

type subscription struct {
	fn    func(*Snapshot)
	after uint64 // generation at the time of subscribing
}

func (n *notifier) subscribe(fn func(*Snapshot), generation uint64) (cancel func()) {
	sub := &subscription{fn: fn, after: generation}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.subs = append(n.subs, sub)
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		for i, s := range n.subs {
			if s == sub {
				n.subs = append(n.subs[:i:i], n.subs[i+1:]...)
				return
			}
		}
	}
}

// push queues a snapshot. Pushes come in order of generation: the registry
// holds its lock.
func (n *notifier) push(s *Snapshot) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.subs) > 0 {
		n.pending = append(n.pending, s)
	}
}

// drain hands out what is queued, unless another goroutine is at it.
func (n *notifier) drain() {
	n.mu.Lock()
	if n.busy {
		n.mu.Unlock()
		return
	}
	n.busy = true
	defer func() { // also when a subscriber panics, or nobody would hear of later changes
		n.busy = false
		n.mu.Unlock()
	}()
	for len(n.pending) > 0 {
		s := n.pending[0]
		n.pending = n.pending[1:]
		for _, sub := range n.subs { // cancel makes a new slice
			if s.generation > sub.after && n.subscribed(sub) {
				n.call(sub, s)
			}
		}
	}
}

// subscribed reports whether sub is still there. The caller holds n.mu.
func (n *notifier) subscribed(sub *subscription) bool {
	for _, s := range n.subs {
		if s == sub {
			return true
		}
	}
	return false
}

// call runs a subscriber without the lock that the caller holds.
func (n *notifier) call(sub *subscription, s *Snapshot) {
	n.mu.Unlock()
	defer n.mu.Lock()
	sub.fn(s)
}
