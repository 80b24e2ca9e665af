package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// obedient blocks until its context ends.
func obedient(ctx context.Context, _ json.RawMessage) (*Result, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// sleeping takes d and does not look at its context.
func sleeping(d time.Duration) executeFunc {
	return func(context.Context, json.RawMessage) (*Result, error) {
		time.Sleep(d)
		return Text("done"), nil
	}
}

func TestDeadline(t *testing.T) {
	ctx := context.Background()
	place := &Location{File: "a.ts", Line: 7}
	for _, c := range []struct {
		about string
		run   executeFunc
		kind  Kind // empty: success
		text  string
		after time.Duration
	}{
		{about: "a tool in time", run: sleeping(900 * time.Millisecond), text: "done", after: 900 * time.Millisecond},
		{about: "a tool that stops", run: obedient, kind: KindTimeout, text: "timed out after 1s", after: time.Second},
		{about: "an answer within the grace is late all the same", run: sleeping(1200 * time.Millisecond),
			kind: KindTimeout, text: "timed out after 1s", after: 1200 * time.Millisecond},
		{about: "a tool that does not stop is left behind", run: sleeping(time.Hour),
			kind: KindTimeout, text: "timed out after 1s", after: 1400 * time.Millisecond},
		{about: "a failure within the grace says where", kind: KindTimeout, text: "timed out after 1s", after: time.Second,
			run: func(ctx context.Context, _ json.RawMessage) (*Result, error) {
				<-ctx.Done()
				assert.Equal(t, ErrDeadline, context.Cause(ctx))
				return nil, &Failure{Kind: KindOther, Message: "interrupted", Location: place}
			}},
		{about: "a panic within the grace", kind: KindTimeout, text: "timed out after 1s", after: time.Second,
			run: func(ctx context.Context, _ json.RawMessage) (*Result, error) {
				<-ctx.Done()
				panic("late")
			}},
	} {
		t.Run(c.about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := doorTo(t, "", c.run, &DoorOptions{Timeout: time.Second})
				start := time.Now()
				o := d.Call(ctx, Request{Tool: "tool"})
				assert.Equal(t, c.after, time.Since(start))
				assert.Equal(t, c.after, o.Duration)
				assert.Equal(t, c.text, o.Text)
				time.Sleep(2 * time.Hour) // until the one that was left behind is done
				if c.kind == "" {
					assert.Nil(t, o.Failure)
					return
				}
				require.NotNil(t, o.Failure)
				assert.Equal(t, c.kind, o.Failure.Kind)
				assert.Equal(t, StatusError, o.Status)
				assert.ErrorIs(t, o.Failure, ErrDeadline)
				assert.ErrorIs(t, o.Failure, context.DeadlineExceeded)
				if c.about == "a failure within the grace says where" {
					assert.Same(t, place, o.Failure.Location)
				}
			})
		})
	}
}

func TestTimeoutIsTheRequestsThenTheToolsThenTheDoors(t *testing.T) {
	for _, c := range []struct {
		request, tool, door, want time.Duration
	}{
		{3 * time.Second, 2 * time.Second, time.Second, 3 * time.Second},
		{0, 2 * time.Second, time.Second, 2 * time.Second},
		{0, 0, time.Second, time.Second},
		{0, 0, 0, 30 * time.Second},
		{-1, -1, 0, 30 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := New()
			r.MustRegister("", &fakeTool{name: "tool", run: obedient, info: Info{Timeout: c.tool}})
			d := NewDoor(r, &DoorOptions{Timeout: c.door})
			o := d.Call(context.Background(), Request{Tool: "tool", Timeout: c.request})
			assert.Equal(t, c.want, o.Duration)
		})
	}
}

func TestCancel(t *testing.T) {
	closing := errors.New("the host is closing")
	for _, c := range []struct {
		about         string
		with          func() (context.Context, context.CancelFunc)
		kind          Kind
		text, message string
		ran           bool
	}{
		{"before the call", func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return ctx, cancel
		}, KindCancelled, "cancelled", "cancelled", false},
		{"during the call", func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		}, KindCancelled, "cancelled", "cancelled", true},
		{"with a reason", func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(time.Second, func() { cancel(closing) })
			return ctx, func() { cancel(nil) }
		}, KindCancelled, "cancelled", "cancelled: the host is closing", true},
		{"by the caller's own deadline", func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), 2*time.Second)
		}, KindTimeout, "timed out after 2s", "timed out after 2s", true},
	} {
		t.Run(c.about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ran := false
				d := doorTo(t, "", func(ctx context.Context, args json.RawMessage) (*Result, error) {
					ran = true
					return obedient(ctx, args)
				}, nil)
				ctx, cancel := c.with()
				defer cancel()
				o := d.Call(ctx, Request{Tool: "tool"})
				assert.Equal(t, c.ran, ran)
				assert.Equal(t, c.kind, o.Failure.Kind)
				assert.Equal(t, c.text, o.Text)
				assert.Equal(t, c.message, o.Failure.Message)
				assert.ErrorIs(t, o.Failure, context.Cause(ctx))
			})
		})
	}
}

func TestDeadlineStandsStillWhileAPersonIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := doorTo(t, "", func(ctx context.Context, _ json.RawMessage) (*Result, error) {
			call := CallFrom(ctx)
			time.Sleep(600 * time.Millisecond)
			resume := call.PauseDeadline()
			also := call.PauseDeadline()
			time.Sleep(time.Hour)
			resume()
			resume() // once is enough
			time.Sleep(time.Hour)
			also()
			assert.NoError(t, ctx.Err())
			<-ctx.Done()
			call.PauseDeadline()() // too late, and harmless
			return nil, ctx.Err()
		}, &DoorOptions{Timeout: time.Second})
		o := d.Call(context.Background(), Request{Tool: "tool"})
		assert.Equal(t, KindTimeout, o.Failure.Kind)
		assert.Equal(t, "timed out after 1s", o.Text)
		assert.Equal(t, 2*time.Hour+time.Second, o.Duration)
	})
}

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestToolThatIsLeftBehindIsLoggedAndItsAnswerDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logBuffer
		d := doorTo(t, "", func(ctx context.Context, _ json.RawMessage) (*Result, error) {
			time.Sleep(time.Hour)
			CallFrom(ctx).RecordUse(Use{Target: "late"})
			panic("late")
		}, &DoorOptions{Timeout: time.Second, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		o := d.Call(context.Background(), Request{Tool: "tool", ID: "c1"})
		assert.Contains(t, log.String(), "did not stop when its call ended")
		assert.Contains(t, log.String(), "call=c1")
		before := *o
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		assert.Equal(t, before, *o)
		assert.Contains(t, log.String(), "panicked: late")
	})
}

func TestErrDeadline(t *testing.T) {
	assert.ErrorIs(t, ErrDeadline, context.DeadlineExceeded)
	assert.NotErrorIs(t, context.DeadlineExceeded, ErrDeadline)
	var timeout interface{ Timeout() bool }
	assert.ErrorAs(t, ErrDeadline, &timeout)
	assert.True(t, timeout.Timeout())
}
