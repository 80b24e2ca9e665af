package permission

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/rho-ext/rho-ext/registry"
)

// Asker asks a person whether an extension may touch something. It must be safe
// for concurrent use, though it is asked one question at a time, and return when
// ctx ends.
type Asker interface {
	AskPermission(ctx context.Context, q Question) (Answer, error)
}

// AskerFunc is a function as an [Asker].
type AskerFunc func(ctx context.Context, q Question) (Answer, error)

// AskPermission implements [Asker].
func (f AskerFunc) AskPermission(ctx context.Context, q Question) (Answer, error) { return f(ctx, q) }

// Question is what is asked.
type Question struct {
	ID        string // an answer names it
	Extension string
	Scope     string // where the extension was found: user, project or explicit
	Tool      string
	CallID    string
	Grant     Grant // what a yes would grant
	// Text says what is wanted, such as "network access to api.github.com:443".
	Text string
	// CanKeep says that an answer for always has a place to be kept in.
	CanKeep bool
}

// Answer answers one question.
type Answer struct {
	ID    string // of the question; another id allows nothing
	Allow bool
	Scope registry.Scope // how long a yes holds; once is this call
}

// ErrNobody is the error of a question where nobody can be asked.
var ErrNobody = errors.New("nobody can be asked")

// Desk asks one question at a time, however many calls have some. The zero
// value, and a nil one, asks nobody.
type Desk struct {
	asker Asker
	turn  chan struct{}
}

// NewDesk makes a desk in front of a; nil asks nobody.
func NewDesk(a Asker) *Desk {
	if a == nil {
		return nil
	}
	return &Desk{asker: a, turn: make(chan struct{}, 1)}
}

// Open reports whether somebody can be asked.
func (d *Desk) Open() bool { return d != nil && d.asker != nil }

// Ask waits for its turn and asks, unless settled says then that an earlier
// answer has settled it, and whether by a yes: the answer has no id. An error is
// a no.
func (d *Desk) Ask(ctx context.Context, q Question, settled func() (answered, yes bool)) (Answer, error) {
	if !d.Open() {
		return Answer{}, ErrNobody
	}
	select {
	case d.turn <- struct{}{}:
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
	defer func() { <-d.turn }()
	if ctx.Err() != nil {
		return Answer{}, context.Cause(ctx)
	}
	if answered, yes := settled(); answered {
		return Answer{Allow: yes}, nil
	}
	q.ID = "grant-" + rand.Text()[:12]
	a, err := d.asker.AskPermission(ctx, q)
	switch {
	case err != nil:
		return Answer{}, err
	case ctx.Err() != nil: // an answer that came too late
		return Answer{}, context.Cause(ctx)
	case a.ID != q.ID:
		return Answer{}, errors.New("the answer was to another question")
	}
	return a, nil
}
