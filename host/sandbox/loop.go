package sandbox

import (
	"container/heap"
	"sync"
	"time"
)

// Clock tells the time and wakes the loop. Tests bring their own to move it.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in its own goroutine after d. stop prevents a call
	// that has not begun.
	AfterFunc(d time.Duration, f func()) (stop func())
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// loop is a queue of jobs and a heap of timers, run by one goroutine. Jobs may
// be posted from anywhere; everything else belongs to that goroutine.
type loop struct {
	clock Clock
	wake  chan struct{}

	mu     sync.Mutex
	jobs   []func()
	closed bool

	now    time.Time // frozen while a turn runs, so that equal delays keep their order
	timers timerHeap
	seq    uint64
	alarm  func() // stops the alarm that is set, or nil
}

func newLoop(clock Clock) *loop {
	return &loop{clock: clock, wake: make(chan struct{}, 1), now: clock.Now()}
}

// post queues a job. It reports false when the loop is closed and the job will
// not run.
func (l *loop) post(job func()) bool {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return false
	}
	l.jobs = append(l.jobs, job)
	l.mu.Unlock()
	l.ring()
	return true
}

func (l *loop) ring() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// close drops all jobs and refuses new ones.
func (l *loop) close() {
	l.mu.Lock()
	l.closed = true
	l.jobs = nil
	l.mu.Unlock()
}

// take gives the jobs that are due: posted ones, then expired timers in order.
func (l *loop) take() []func() {
	l.mu.Lock()
	jobs := l.jobs
	l.jobs = nil
	l.mu.Unlock()
	l.now = l.clock.Now()
	for len(l.timers) > 0 && !l.timers[0].due.After(l.now) {
		t := heap.Pop(&l.timers).(*timer)
		jobs = append(jobs, func() {
			if !t.stopped {
				t.fire()
			}
		})
	}
	return jobs
}

// arm sets the alarm for the next timer.
func (l *loop) arm() {
	if l.alarm != nil {
		l.alarm()
		l.alarm = nil
	}
	if len(l.timers) > 0 {
		l.alarm = l.clock.AfterFunc(l.timers[0].due.Sub(l.clock.Now()), l.ring)
	}
}

// timer is one pending timer.
type timer struct {
	due     time.Time
	seq     uint64
	index   int // in the heap, or -1
	stopped bool
	fire    func()
}

// start adds a timer that fires once.
func (l *loop) start(d time.Duration, fire func()) *timer {
	t := &timer{fire: fire}
	l.restart(t, d)
	return t
}

func (l *loop) restart(t *timer, d time.Duration) {
	l.seq++
	t.due, t.seq = l.now.Add(d), l.seq
	heap.Push(&l.timers, t)
}

func (l *loop) stop(t *timer) {
	t.stopped = true
	if t.index >= 0 && t.index < len(l.timers) && l.timers[t.index] == t {
		heap.Remove(&l.timers, t.index)
	}
}

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if h[i].due.Equal(h[j].due) {
		return h[i].seq < h[j].seq
	}
	return h[i].due.Before(h[j].due)
}
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}
func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	t.index = -1
	return t
}
