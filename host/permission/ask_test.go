package permission

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

func never() (answered, yes bool) { return false, false }

func TestWhereNobodySitsNobodyIsAsked(t *testing.T) {
	t.Parallel()
	for _, d := range []*Desk{nil, {}, NewDesk(nil)} {
		require.False(t, d.Open())
		_, err := d.Ask(t.Context(), Question{}, never)
		require.ErrorIs(t, err, ErrNobody)
	}
}

func TestOneQuestionAtATime(t *testing.T) {
	t.Parallel()
	const calls = 20
	var mu sync.Mutex
	open, most := 0, 0
	ids := map[string]bool{}
	d := NewDesk(AskerFunc(func(_ context.Context, q Question) (Answer, error) {
		mu.Lock()
		open++
		most = max(most, open)
		ids[q.ID] = true
		mu.Unlock()
		mu.Lock()
		open--
		mu.Unlock()
		return Answer{ID: q.ID, Allow: true, Scope: registry.Session}, nil
	}))
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			a, err := d.Ask(t.Context(), Question{}, never)
			if err != nil || !a.Allow || a.Scope != registry.Session {
				t.Error(a, err)
			}
		})
	}
	all.Wait()
	require.Equal(t, 1, most)
	require.Len(t, ids, calls, "every question has an id of its own")
}

func TestAnAnswerIsToItsQuestionAlone(t *testing.T) {
	t.Parallel()
	before := ""
	d := NewDesk(AskerFunc(func(_ context.Context, q Question) (Answer, error) {
		id := before
		before = q.ID
		return Answer{ID: id, Allow: true}, nil
	}))
	for range 3 { // without an id, then with that of the question before
		a, err := d.Ask(t.Context(), Question{ID: "mine"}, never)
		require.ErrorContains(t, err, "the answer was to another question")
		require.False(t, a.Allow)
	}
}

func TestWhatAnEarlierAnswerSettledIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}), make(chan struct{})
	times := 0
	d := NewDesk(AskerFunc(func(_ context.Context, q Question) (Answer, error) {
		times++
		close(asked)
		<-answer
		return Answer{ID: q.ID, Allow: true}, nil
	}))
	first := make(chan error, 1)
	go func() { _, err := d.Ask(t.Context(), Question{}, never); first <- err }()
	<-asked
	close(answer)
	require.NoError(t, <-first)
	a, err := d.Ask(t.Context(), Question{}, func() (answered, yes bool) { return true, true })
	require.NoError(t, err)
	require.Equal(t, Answer{Allow: true}, a)
	require.Equal(t, 1, times)
}

func TestACallThatEndsWhileItWaitsIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}), make(chan struct{})
	d := NewDesk(AskerFunc(func(_ context.Context, q Question) (Answer, error) {
		close(asked) // a second time would panic
		<-answer
		return Answer{ID: q.ID, Allow: true}, nil
	}))
	first := make(chan Answer, 1)
	go func() { a, _ := d.Ask(t.Context(), Question{}, never); first <- a }()
	<-asked
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	second := make(chan error, 1)
	go func() {
		_, err := d.Ask(ctx, Question{}, func() (answered, yes bool) { panic("it is not its turn") })
		second <- err
	}()
	cancel(gone)
	require.ErrorIs(t, <-second, gone)
	close(answer)
	require.True(t, (<-first).Allow, "the other's question is not disturbed")
	_, err := d.Ask(ctx, Question{}, never)
	require.ErrorIs(t, err, gone)
}

func TestAnAnswerThatComesTooLateAllowsNothing(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	d := NewDesk(AskerFunc(func(ctx context.Context, q Question) (Answer, error) {
		cancel(gone)
		<-ctx.Done()
		return Answer{ID: q.ID, Allow: true, Scope: registry.Always}, nil
	}))
	a, err := d.Ask(ctx, Question{}, never)
	require.ErrorIs(t, err, gone)
	require.Equal(t, Answer{}, a)
}

func TestAnAskerThatFailsAllowsNothing(t *testing.T) {
	t.Parallel()
	d := NewDesk(AskerFunc(func(_ context.Context, q Question) (Answer, error) {
		return Answer{ID: q.ID, Allow: true}, errors.New("the line is dead")
	}))
	a, err := d.Ask(t.Context(), Question{}, never)
	require.ErrorContains(t, err, "the line is dead")
	require.False(t, a.Allow)
}
