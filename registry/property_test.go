package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// behaviours are the ways in which tools end, or do not.
func behaviours(release <-chan struct{}) []executeFunc {
	return []executeFunc{
		func(context.Context, json.RawMessage) (*Result, error) { return Text("ok"), nil },
		func(context.Context, json.RawMessage) (*Result, error) { return nil, nil },
		func(context.Context, json.RawMessage) (*Result, error) { return nil, errors.New("no") },
		func(context.Context, json.RawMessage) (*Result, error) { return ErrorText("bad"), nil },
		func(context.Context, json.RawMessage) (*Result, error) { panic("boom") },
		func(context.Context, json.RawMessage) (*Result, error) { runtime.Goexit(); return nil, nil },
		obedient,
		func(ctx context.Context, _ json.RawMessage) (*Result, error) { <-ctx.Done(); return Text("late"), nil },
		func(ctx context.Context, _ json.RawMessage) (*Result, error) { <-ctx.Done(); panic("late") },
		func(context.Context, json.RawMessage) (*Result, error) { <-release; return Text("much later"), nil },
		func(ctx context.Context, _ json.RawMessage) (*Result, error) {
			c := CallFrom(ctx)
			resume := c.PauseDeadline()
			c.Report(Progress{Message: "asking"})
			time.Sleep(time.Millisecond)
			resume()
			<-ctx.Done()
			return nil, context.Cause(ctx)
		},
	}
}

func TestEveryCallHasExactlyOneOutcome(t *testing.T) {
	release := make(chan struct{})
	r := New()
	var names []string
	for i, run := range behaviours(release) {
		name := fmt.Sprintf("tool%d", i)
		names = append(names, name)
		r.MustRegister("", &fakeTool{name: name, run: run})
	}
	names = append(names, "unknown")
	d := NewDoor(r, &DoorOptions{Grace: 5 * time.Millisecond, TextLimit: 50})
	arguments := []string{``, `{}`, `{"a":1}`, `nonsense`, `[]`}

	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const calls = 1000
	outcomes := make([]*Outcome, calls)
	var wg sync.WaitGroup
	work := make(chan int)
	for w := range 16 {
		rnd := rand.New(rand.NewPCG(seed, uint64(w)))
		wg.Go(func() {
			for i := range work {
				ctx, cancel := context.WithCancel(context.Background())
				switch rnd.IntN(4) {
				case 0:
					cancel()
				case 1:
					time.AfterFunc(time.Duration(rnd.IntN(3000))*time.Microsecond, cancel)
				}
				outcomes[i] = d.Call(ctx, Request{
					ID:        fmt.Sprintf("id%d", i),
					Tool:      names[rnd.IntN(len(names))],
					Arguments: json.RawMessage(arguments[rnd.IntN(len(arguments))]),
					Timeout:   time.Duration(1+rnd.IntN(3000)) * time.Microsecond,
					Progress:  func(Progress) {},
				})
				cancel()
			}
		})
	}
	for i := range calls {
		work <- i
	}
	close(work)
	wg.Wait()
	close(release) // and TestMain sees that nobody is left

	for i, o := range outcomes {
		assert.Equal(t, fmt.Sprintf("id%d", i), o.CallID)
		assert.Contains(t, names, o.Tool)
		assert.Equal(t, o.Status == StatusSuccess, o.Failure == nil)
		assert.Equal(t, o.Status != StatusSuccess, o.IsError)
		assert.NotEmpty(t, o.Text)
		assert.LessOrEqual(t, len(o.Text), 50)
		assert.Positive(t, o.Duration)
		_, err := json.Marshal(o)
		assert.NoError(t, err)
	}
	left := 0
	d.live.Range(func(any, any) bool { left++; return true })
	assert.Zero(t, left)
}
