package host

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
)

// MoveClock moves the clock that the extensions' timers and dates follow, for
// tests: it stands still until it is moved again, or put back to the real one
// by d.Fake = false. It returns when what is due has run. running are the ids of
// calls whose code has to have begun before; over reports those that have ended.
func (h *Host) MoveClock(ctx context.Context, d wire.TestTimeData, running []string, over func(id string) bool) error {
	for len(running) > 0 {
		begun := map[string]bool{}
		for _, g := range h.inOrder() {
			res, err := g.clock(ctx, wire.TestTimeData{Ask: true})
			if err != nil {
				return err
			}
			var ids []string
			if err := json.Unmarshal(res, &ids); err != nil {
				return err
			}
			for _, id := range ids {
				begun[id] = true
			}
		}
		running = slices.DeleteFunc(running, func(id string) bool { return begun[id] || over(id) })
		if len(running) == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(clockRetry):
		}
	}
	for _, g := range h.inOrder() {
		if _, err := g.clock(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// clockRetry is how soon it is looked again whether a call has begun.
const clockRetry = 2 * time.Millisecond

func (g *generation) clock(ctx context.Context, d wire.TestTimeData) (json.RawMessage, error) {
	sb, err := g.sandbox(ctx)
	if err != nil {
		return nil, err
	}
	args, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	res := sb.Call(ctx, wire.CallRequest{ID: newCallID(), Run: wire.RunTest, Tool: wire.TestClock, Args: args})
	switch {
	case res.Value != nil:
		return res.Value.Structured, nil
	case res.Thrown != nil:
		return nil, errors.New(res.Thrown.Message)
	}
	return nil, errors.New("the runtime of the extension " + g.source.ID + " was lost")
}
