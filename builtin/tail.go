package builtin

import (
	"strings"
	"sync"

	"github.com/rho-ext/rho-ext/internal/proc"
)

// tail keeps the end of a stream, and knows how far it is.
type tail struct {
	mu    sync.Mutex
	kept  []byte
	total int64
	limit int
	more  chan struct{}
}

func newTail(limit int) *tail { return &tail{limit: limit, more: make(chan struct{})} }

func (t *tail) add(b []byte) {
	t.mu.Lock()
	t.total += int64(len(b))
	t.kept = append(t.kept, b[max(0, len(b)-t.limit):]...)
	if len(t.kept) > 2*t.limit { // now and then, not at every byte
		t.kept = append([]byte(nil), t.kept[len(t.kept)-t.limit:]...)
	}
	t.mu.Unlock()
	t.wake()
}

func (t *tail) wake() {
	t.mu.Lock()
	close(t.more)
	t.more = make(chan struct{})
	t.mu.Unlock()
}

func (t *tail) changed() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.more
}

func (t *tail) size() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total
}

// read gives at most n bytes from an offset, the offset behind them, and how
// many bytes of what was asked for are gone.
func (t *tail) read(offset int64, n int) (text string, next, lost int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.kept[max(0, len(t.kept)-t.limit):]
	first := t.total - int64(len(kept))
	offset = min(offset, t.total)
	if offset < first {
		lost, offset = first-offset, first
	}
	part := kept[offset-first:]
	if len(part) > n {
		part = part[:max(n, 1)]
		if i := strings.LastIndexByte(string(part), '\n'); i > 0 {
			part = part[:i+1]
		}
	}
	return proc.Decode(part), offset + int64(len(part)), lost
}
