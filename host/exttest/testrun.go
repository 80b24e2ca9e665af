package exttest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
)

// testRun is a test, or a hook of a suite, that runs.
type testRun struct {
	id    string // of the call in the sandbox of the file
	node  *wire.TestNode
	file  *fileRun
	limit limit
	begun func() // hears that the test's code has begun, or nil

	toolCalls counter // that have begun

	mu      sync.Mutex
	world   *world // once it needed one
	logs    []Log
	left    int      // bytes of logs that it may still write
	unasked []string // requests that no mock answered
}

// maxLogs bounds what is kept of the log of one test.
const maxLogs = 256 << 10

func (f *fileRun) newRun(n *wire.TestNode) *testRun {
	t := &testRun{node: n, file: f, left: maxLogs}
	f.broker.add(t)
	return t
}

// askAgain is how soon it is asked again whether a test has begun.
const askAgain = 200 * time.Microsecond

// tellBegun asks the sandbox until it runs the test, or ctx ends with the test.
func (t *testRun) tellBegun(ctx context.Context, sb wire.Sandbox) {
	ask, err := json.Marshal(wire.TestTimeData{Ask: true})
	for err == nil && ctx.Err() == nil {
		res := sb.Call(ctx, wire.CallRequest{ID: fmt.Sprint("begun-", serial.Add(1)), Run: wire.RunTest, Tool: wire.TestClock, Args: ask})
		if res.Value == nil {
			return // what ends the test tells as well
		}
		var ids []string
		if json.Unmarshal(res.Value.Structured, &ids) == nil && slices.Contains(ids, t.id) {
			t.begun()
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(askAgain):
		}
	}
}

// end gives the world back, and takes away what the test may ask.
func (t *testRun) end(f *fileRun) {
	f.broker.remove(t)
	t.mu.Lock()
	w := t.world
	t.mu.Unlock()
	if w != nil {
		f.giveBack(w)
	}
}

// log keeps a line.
func (t *testRun) log(l Log) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left <= 0 {
		return
	}
	if t.left -= len(l.Message) + 16; t.left <= 0 {
		l = Log{Level: "warn", Message: fmt.Sprintf("the rest of the log is left out: it is longer than %d KB", maxLogs>>10)}
	}
	t.logs = append(t.logs, l)
}

// need gives the test's world.
func (t *testRun) need(ctx context.Context) (*world, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.world != nil {
		return t.world, nil
	}
	w, err := t.file.takeWorld(ctx, t)
	if err == nil {
		t.world = w
	}
	return w, err
}

// unanswered are errors for the requests that no mock answered: a test must not
// pass because the extension took that for a broken network.
func (t *testRun) unanswered() (out []wire.TestError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, text := range t.unasked {
		if i == 5 {
			out = append(out, wire.TestError{Name: "UnmockedRequest", Message: fmt.Sprintf("and %d more requests", len(t.unasked)-i)})
			break
		}
		out = append(out, wire.TestError{Name: "UnmockedRequest", Message: text,
			Hint: `in tests nothing reaches the network: answer it with mockFetch().get(url).reply(200, body)`})
	}
	t.unasked = nil
	return out
}
