package worker

import (
	"fmt"
	"time"
)

// retire lets calls that run finish for a while, and takes no new ones: code
// that nothing stops is using up a processor.
func (l *link) retire(e ending) {
	l.mu.Lock()
	if l.retired || l.dead {
		l.mu.Unlock()
		return
	}
	l.retired = true
	var list []*remote
	for _, s := range l.sandboxes {
		list = append(list, s)
	}
	l.mu.Unlock()
	for _, s := range list {
		s.finish()
	}
	go func() {
		late := time.NewTimer(drainFor)
		defer late.Stop()
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			l.mu.Lock()
			n := len(l.calls)
			l.mu.Unlock()
			if n == 0 {
				break
			}
			select {
			case <-tick.C:
				continue
			case <-late.C:
			case <-l.gone:
			}
			break
		}
		l.end(e)
	}()
}

// doubt keeps new sandboxes out of a worker until it is known whether code that
// was given up has come to an end.
func (l *link) doubt(sandbox uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doubted[sandbox] = true
}

// abandon lets a worker go when its last sandbox is closed.
func (l *link) abandon() {
	l.mu.Lock()
	l.abandoned = true
	empty := l.open == 0
	l.mu.Unlock()
	if empty {
		l.end(ending{})
	}
}

// drainFor is how long calls of a retired worker may go on.
const drainFor = 2 * time.Second

// testifyFor is how long a worker has to say who is at work in it. It is at
// fault then, so it is not given long.
const testifyFor = 150 * time.Millisecond

// end ends the worker. The first reason counts.
func (l *link) end(e ending) {
	l.mu.Lock()
	if l.ending != nil || l.dead {
		l.mu.Unlock()
		return
	}
	l.ending = &e
	l.mu.Unlock()
	switch e.cause {
	case CauseTimeout, CauseMemory:
		l.proc.testify()
		time.AfterFunc(testifyFor, l.proc.kill)
	case CauseCrash:
		// Its end of the pipe is closed: give it the time to die of its own and to
		// say why.
		time.AfterFunc(testifyFor, l.proc.kill)
	default:
		l.proc.kill()
	}
}

// meter ends a worker that uses too much memory. It looks only while something
// runs; what idle code does, the limit on data bounds.
func (l *link) meter() {
	m, err := l.proc.newMeter()
	if err != nil {
		return
	}
	defer m.close()
	tick := time.NewTicker(meterEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.busy:
		case <-l.gone:
			return
		}
		for l.running() {
			select {
			case <-tick.C:
			case <-l.gone:
				return
			}
			resident, _, err := m.read()
			if err != nil {
				return
			}
			l.mu.Lock()
			l.peak = max(l.peak, resident)
			l.mu.Unlock()
			if limit := l.factory.opts.HardMemory * memoryFactor; resident > limit {
				l.end(ending{cause: CauseMemory, detail: fmt.Sprintf("it used %d MB", resident>>20)})
				return
			}
		}
	}
}

const meterEvery = 5 * time.Millisecond

func (l *link) running() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.calls) > 0
}
