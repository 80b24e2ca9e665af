// Package relay passes values on to a slow receiver without holding up who
// sends them: a tool that reports its progress must not wait for a client that
// reads slowly.
package relay

import "sync"

// Relay passes values to one function, in order. The zero value is not usable.
type Relay[T any] struct {
	pass func(T)
	done chan struct{}

	mu     sync.Mutex // guards closed and sending on queue
	closed bool
	queue  chan T
}

// New makes a relay to pass that holds up to size values. Close it.
func New[T any](size int, pass func(T)) *Relay[T] {
	r := &Relay[T]{pass: pass, done: make(chan struct{}), queue: make(chan T, size)}
	go func() {
		defer close(r.done)
		for v := range r.queue {
			r.pass(v)
		}
	}()
	return r
}

// Send queues v. When the queue is full or the relay closed, v is dropped.
func (r *Relay[T]) Send(v T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	select {
	case r.queue <- v:
	default:
	}
}

// Close passes on what is queued, and returns when that is done.
func (r *Relay[T]) Close() {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.queue)
	}
	r.mu.Unlock()
	<-r.done
}
