package host

import (
	"context"
	"sync"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/registry"
)

// answers are what a person has granted to one call.
type answers struct {
	questions *questions

	mu      sync.Mutex
	granted []permission.Held
	set     *permission.Set // of granted
}

func (a *answers) once() *permission.Set {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.set
}

func (a *answers) grant(root string, g permission.Grant) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.granted = append(a.granted, permission.Held{Grant: g, By: registry.Once.String()})
	a.set = permission.NewSet(root, a.granted...)
}

// maxQuestions bounds how often one call, with all that it calls, may have a
// person asked: one that would ask for ever is told no.
const maxQuestions = 20

// questions are those that were put for a call and for what it has called.
type questions struct {
	mu      sync.Mutex
	asked   int
	refused map[question]bool
}

// noQuestions are those of a call, and of what it calls, for which nobody is
// asked.
func noQuestions() *questions { return &questions{asked: maxQuestions} }

// question is what one extension may be granted.
type question struct {
	extension string
	grant     permission.Grant
}

func (b *broker) question(n *permission.Need) question { return question{b.extension, n.Grant} }

// may says whether another question may be put, and counts it.
func (qs *questions) may(q question) bool {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	if qs.refused[q] || qs.asked >= maxQuestions {
		return false
	}
	qs.asked++
	return true
}

func (qs *questions) refuse(q question) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	if qs.refused == nil {
		qs.refused = map[question]bool{}
	}
	qs.refused[q] = true
}

// wasRefused reports whether the answer was no.
func (qs *questions) wasRefused(q question) bool {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	return qs.refused[q]
}

type questionsKey struct{}

// withQuestions has the calls that are made under ctx share their questions with
// the one that makes them.
func withQuestions(ctx context.Context, qs *questions) context.Context {
	return context.WithValue(ctx, questionsKey{}, qs)
}

// questionsOf are those of the call that makes one, or new ones.
func questionsOf(ctx context.Context) *questions {
	if qs, ok := ctx.Value(questionsKey{}).(*questions); ok {
		return qs
	}
	return &questions{}
}
