package registry

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Approvals is a [Gate] whose answers come in from elsewhere, such as over a
// connection, by the id of the request. An answer approves exactly one request:
// a repeated, late or unknown one is an error and approves nothing. The zero
// value is ready; it is safe for concurrent use.
type Approvals struct {
	mu        sync.Mutex
	waiting   map[string]pending
	listeners map[*listener]struct{}
}

type listener struct{ hear func(Question) }

// pending is a question that waits. Its call may have ended a moment ago.
type pending struct {
	ctx    context.Context
	answer chan Answer
}

var _ Gate = (*Approvals)(nil)

var (
	// ErrNoQuestion is the error of an answer that nobody waits for.
	ErrNoQuestion = errors.New("no request with this id waits for an answer")
	// ErrNobodyListens is the error of a question that nobody would hear.
	ErrNobodyListens = errors.New("nobody is connected who could answer")
)

// Listen has hear called with every question, until stop is called. hear must
// not block for long. When the last one stops, questions that wait fail: nobody
// is left who could answer.
func (g *Approvals) Listen(hear func(Question)) (stop func()) {
	l := &listener{hear}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.listeners == nil {
		g.listeners = map[*listener]struct{}{}
	}
	g.listeners[l] = struct{}{}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.listeners, l)
		if len(g.listeners) == 0 {
			for id, p := range g.waiting {
				delete(g.waiting, id)
				close(p.answer)
			}
		}
	}
}

// Ask implements [Gate].
func (g *Approvals) Ask(ctx context.Context, q Question) (Answer, error) {
	ch := make(chan Answer, 1)
	g.mu.Lock()
	if len(g.listeners) == 0 {
		g.mu.Unlock()
		return Answer{}, ErrNobodyListens
	}
	if g.waiting == nil {
		g.waiting = map[string]pending{}
	}
	if _, taken := g.waiting[q.ID]; taken {
		g.mu.Unlock()
		return Answer{}, fmt.Errorf("a request with the id %q waits already", q.ID)
	}
	g.waiting[q.ID] = pending{ctx, ch}
	hear := make([]func(Question), 0, len(g.listeners))
	for l := range g.listeners {
		hear = append(hear, l.hear)
	}
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		if g.waiting[q.ID].answer == ch {
			delete(g.waiting, q.ID)
		}
		g.mu.Unlock()
	}()
	for _, f := range hear {
		f(q)
	}
	select {
	case a, ok := <-ch:
		if !ok {
			return Answer{}, ErrNobodyListens
		}
		return a, nil
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
}

// Answer gives the answer to the question that a.ID names.
func (g *Approvals) Answer(a Answer) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, ok := g.waiting[a.ID]
	if !ok || p.ctx.Err() != nil {
		return fmt.Errorf("%w: %q", ErrNoQuestion, a.ID)
	}
	delete(g.waiting, a.ID)
	p.answer <- a
	return nil
}
