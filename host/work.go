package host

import (
	"sync"
	"time"
)

// work is what the host does for a call. The call's outcome tells all of it, so
// the end of the call waits for what has begun, and nothing begins after it.
type work struct {
	mu    sync.Mutex
	n     int
	ended bool
	idle  chan struct{} // made by end; closed when n is zero
}

// begin reports false when the call has ended.
func (w *work) begin() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return false
	}
	w.n++
	return true
}

func (w *work) done() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n--; w.n == 0 && w.ended {
		close(w.idle)
	}
}

// over reports whether the call has ended: what has begun does not act any more.
func (w *work) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// endWait bounds the wait for work whose context has ended: the system may hold
// it up.
const endWait = time.Second

// end waits until nothing is done any more.
func (w *work) end() {
	w.mu.Lock()
	w.ended, w.idle = true, make(chan struct{})
	if w.n == 0 {
		close(w.idle)
	}
	w.mu.Unlock()
	t := time.NewTimer(endWait)
	defer t.Stop()
	select {
	case <-w.idle:
	case <-t.C:
	}
}
