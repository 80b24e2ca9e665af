package worker

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// reap waits for the worker's end and settles what it leaves behind.
func (l *link) reap() {
	defer close(l.gone)
	<-l.proc.exited
	// All that it wrote counts: a request may have had an effect. Nobody but the
	// worker has its ends of the pipes, so both come to an end.
	within(l.proc.words.done, time.Second)
	if !within(l.read, time.Second) {
		l.proc.in.Close()
		<-l.read
	}
	l.proc.in.Close()
	l.proc.out.Close()
	l.proc.words.file.Close()
	l.proc.release()

	l.mu.Lock()
	l.dead = true
	if l.ending == nil {
		l.ending = &ending{cause: CauseCrash}
	}
	calls, sandboxes := l.calls, l.sandboxes
	l.calls, l.sandboxes = nil, nil
	for _, t := range l.closing {
		t.Stop()
	}
	v := l.judge(calls, sandboxes)
	l.mu.Unlock()

	f := l.factory
	for s, sure := range v.accused {
		if sure {
			f.accuse(s.req.Extension, s.req.Hash)
		} else {
			f.accuse(s.req.Extension, "")
		}
	}
	f.mu.Lock()
	delete(f.all, l)
	f.mu.Unlock()
	for _, s := range sandboxes {
		s.bury(l)
	}
	for _, c := range calls {
		v.settle(c)
	}
	if v.cause != "" && f.opts.OnDeath != nil {
		d := Death{Time: time.Now(), Cause: v.cause, Detail: v.detail, Lost: len(calls)}
		if v.by != nil {
			d.Extension, d.Hash = v.by.req.Extension, v.by.req.Hash
		}
		f.opts.OnDeath(d)
	}
}

// bury ends a sandbox whose worker is dead. One that was loading may go to
// another.
func (s *remote) bury(l *link) {
	s.mu.Lock()
	here := s.link == l && !s.loading
	s.mu.Unlock()
	if here {
		s.finish()
		s.end()
	}
}

func within(c <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}

// verdict says why a worker died and through whom.
type verdict struct {
	cause   Cause
	detail  string
	limit   int64
	late    *call
	by      *remote          // whose code it was, where that is clear
	guilty  *call            // the call, where that is clear
	accused map[*remote]bool // true: it was the one
}

// judge finds out. l.mu is held.
func (l *link) judge(calls map[uint64]*call, sandboxes map[uint64]*remote) *verdict {
	words, trace := l.proc.words.get()
	v := &verdict{late: l.ending.late, by: l.ending.by, limit: l.factory.opts.HardMemory, accused: map[*remote]bool{}}
	v.cause, v.detail = classify(*l.ending, words, l.proc.signalled(), l.peak > l.factory.opts.HardMemory/2)
	if v.cause != "" && v.cause != CauseKilled && v.cause != CauseStart {
		v.blame(trace, isGreedy(words), calls, sandboxes)
		if len(sandboxes) > 1 && l.ending.cause == CauseCrash && isShort(words) {
			v.doubt()
		}
	}
	return v
}

// doubt takes the blame back: each of those who were at work gets a worker of its
// own, where it can be told what it does.
func (v *verdict) doubt() {
	for s := range v.accused {
		v.accused[s] = false
	}
	v.by, v.guilty = nil, nil
}

// blame finds who was at work. greedy says that it was one large allocation
// that failed.
func (v *verdict) blame(trace trace, greedy bool, calls map[uint64]*call, sandboxes map[uint64]*remote) {
	count := map[*remote]int{}
	for _, c := range calls {
		count[c.sandbox]++
	}
	near := map[*remote]bool{} // nil stands for sandboxes that are forgotten
	switch {
	case v.by != nil:
		near[v.by] = true
	case trace.first != 0 && (v.cause == CauseStack || v.cause == CauseCrash || greedy):
		near[sandboxes[trace.first]] = true // the goroutine that died is told first
	default:
		for id := range trace.working {
			near[sandboxes[id]] = true
		}
		if v.late != nil && len(near) == 0 {
			near[v.late.sandbox] = true
		}
		if len(near) == 0 {
			for s := range count {
				near[s] = true
			}
		}
	}
	for s := range near {
		if s == nil {
			continue
		}
		v.accused[s] = len(near) == 1
		if len(near) > 1 {
			continue
		}
		v.by = s
		v.guilty = guiltyOf(s, calls, trace.calls)
		for _, c := range calls {
			// Only a call whose deadline has passed can have taken too long.
			if v.guilty == nil && c.sandbox == s && (count[s] == 1 && v.cause != CauseTimeout || c == v.late) {
				v.guilty = c
			}
		}
	}
}

// guiltyOf is the call of a sandbox whose code was executing, where a trace says
// so.
func guiltyOf(s *remote, calls map[uint64]*call, executing map[uint64]bool) *call {
	for id := range executing {
		if c := calls[id]; c != nil && c.sandbox == s {
			return c
		}
	}
	return nil
}

// classify tells the cause of a death from what the host wanted, what the worker
// said and how it ended.
func classify(e ending, words string, signalled, large bool) (Cause, string) {
	said := func(texts ...string) bool {
		for _, t := range texts {
			if strings.Contains(words, t) {
				return true
			}
		}
		return false
	}
	switch {
	case e.cause == "":
		return "", ""
	case e.cause != CauseCrash:
		return e.cause, e.detail
	case said(outOfMemory, "cannot allocate memory", "pthread_create failed", "failed to create new OS thread"):
		return CauseMemory, firstLine(words)
	case said("stack exceeds", "stack overflow"):
		return CauseStack, firstLine(words)
	case signalled && large:
		return CauseMemory, "the system ended it"
	case signalled, strings.HasPrefix(words, "SIGQUIT"):
		return CauseKilled, "somebody ended it"
	default:
		return CauseCrash, firstLine(words)
	}
}

// blockSize finds what Go could not get memory for.
var blockSize = regexp.MustCompile(`cannot allocate (\d+)-byte block`)

// isGreedy reports whether a worker died of one large allocation. A small one
// may just be the last of many, and another's.
func isGreedy(words string) bool {
	m := blockSize.FindStringSubmatch(words)
	if m == nil {
		return false
	}
	n, err := strconv.ParseUint(m[1], 10, 64)
	return err != nil || n > 128<<20
}

// isShort reports whether a worker died because no memory was left for something
// small, which another may have used up who is idle now.
func isShort(words string) bool {
	return strings.Contains(words, "pthread_create failed") || strings.Contains(words, "failed to create new OS thread") ||
		strings.Contains(words, "cannot allocate") && !isGreedy(words)
}

func firstLine(words string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(words), "\n")
	return line
}

// settle ends a load or call that the worker did not answer.
func (v *verdict) settle(c *call) {
	guilty := c == v.guilty
	switch {
	case !guilty && c != v.late:
		culprit := ""
		if v.guilty != nil && v.guilty.sandbox == c.sandbox {
			culprit = v.guilty.req.Tool // names of tools are the extension's own
		}
		c.lose(culprit, true)
	case c.load:
		f := loadFailure(v.thrown(c))
		if v.cause == CauseTimeout {
			f = lateLoad()
		}
		c.finishLoad(wire.LoadResult{Failure: f}, nil)
	default:
		c.finish(wire.CallResult{Thrown: v.thrown(c), Guilty: guilty})
	}
}

// thrown is the error of the call that the worker died of.
func (v *verdict) thrown(c *call) *wire.Thrown {
	switch v.cause {
	case CauseTimeout:
		t := &wire.Thrown{Kind: registry.KindCancelled, Message: "cancelled", Code: codeStuck,
			Hint: "the code is in a native function that cannot be interrupted"}
		switch cause := context.Cause(c.caller); {
		case cause == nil: // another call's deadline passed
			t.Kind, t.Message = registry.KindOther, "its code held the worker process up, beyond the deadline of another call"
		case errors.Is(cause, wire.ErrDeadline), errors.Is(cause, context.DeadlineExceeded):
			t.Kind, t.Message = registry.KindTimeout, "timed out"
		}
		if c != v.guilty {
			t.Code, t.Hint = "", "the worker process was held by another extension"
		}
		return t
	case CauseMemory:
		return memoryThrown(v.limit)
	case CauseStack:
		return &wire.Thrown{Kind: registry.KindOther, Code: codeStack, Name: "RangeError", Retryable: registry.RetryNo,
			Message: "the stack overflowed in native code",
			Hint:    "look for data or source text that is nested very deep, or refers to itself"}
	default:
		return &wire.Thrown{Kind: registry.KindOther, Code: codeLost, Internal: true,
			Message: fmt.Sprintf("the worker process ended under the call (%s): %s", v.cause, v.detail)}
	}
}
