package host_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rho-ext/rho-ext/registry"
)

// endOf says in one word how a call ended, and what it said.
func endOf(out *registry.Outcome) (end, said string) {
	f := out.Failure
	switch {
	case out.Status == registry.StatusSuccess:
		return "done", out.Text
	case f == nil:
		return "error", out.Text // the tool says that it failed
	case out.Status == registry.StatusDenied:
		return "denied", f.Message
	case strings.Contains(f.Message, "ThreadSanitizer failed to allocate"):
		return "memory_limit", f.Message // the race detector is first to see it
	case f.Kind != registry.KindOther:
		return string(f.Kind), f.Message
	case f.Code != "":
		return f.Code, f.Message
	default:
		return "error", f.Message
	}
}

// bystander calls the calm extension every 20 ms, while no more than 16 calls wait
// for their answer.
type bystander struct {
	stop    chan struct{}
	done    sync.WaitGroup
	calls   atomic.Int64
	slowest atomic.Int64

	mu  sync.Mutex
	bad []string
}

func newBystander(call func(string, time.Duration) *registry.Outcome) *bystander {
	b := &bystander{stop: make(chan struct{})}
	one := func() {
		begin := time.Now()
		end, said := endOf(call("calm", 10*time.Second))
		b.calls.Add(1)
		if took := int64(time.Since(begin)); took > b.slowest.Load() {
			b.slowest.Store(took)
		}
		if end != "done" || said != "calm" {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.bad = append(b.bad, end+": "+said)
		}
	}
	one()
	b.done.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		waiting := make(chan struct{}, 16)
		for {
			select {
			case waiting <- struct{}{}:
				b.done.Go(func() { one(); <-waiting })
			default:
			}
			select {
			case <-tick.C:
			case <-b.stop:
				return
			}
		}
	})
	return b
}

func (b *bystander) end(r *trial) {
	close(b.stop)
	b.done.Wait()
	r.calls, r.slowest = int(b.calls.Load()), time.Duration(b.slowest.Load())
	if len(b.bad) > 0 {
		r.blame("%d of %d calls of another extension failed: %.300s", len(b.bad), r.calls, b.bad[0])
	}
}
