package exttest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// broker is what the sandbox of a test file can ask. It has no authority but over
// the world of the test that asks.
type broker struct {
	file *fileRun

	renewing  sync.Mutex               // one new sandbox at a time
	preparing sync.Mutex               // one chain of beforeAll at a time
	refused   map[int]*wire.TestResult // beforeAll that failed, by suite

	mu    sync.Mutex
	calls map[string]*testRun
	last  int
	// streams are the bodies of answers to the test file's own requests.
	streams map[wire.Stream]*bytes.Reader
	opened  wire.Stream
}

var _ wire.Broker = (*broker)(nil)

// add makes a test one that may ask.
func (b *broker) add(t *testRun) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	t.id = fmt.Sprint("t", b.last)
	b.calls[t.id] = t
}

func (b *broker) remove(t *testRun) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.calls, t.id)
}

// of is the test whose call asks, or nil.
func (b *broker) of(call string) *testRun {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls[call]
}

// byNode is the run of a test that is under way.
func (b *broker) byNode(id int) *testRun {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.calls {
		if t.node.ID == id {
			return t
		}
	}
	return nil
}

// Do implements [wire.Broker].
func (b *broker) Do(ctx context.Context, req wire.Request) (wire.Response, error) {
	t := b.of(req.Call)
	if req.Op == wire.OpLog {
		return b.log(t, req)
	}
	if t == nil {
		if req.Op == wire.OpEnv { // libraries look at variables when they load
			return answer(wire.EnvResponse{})
		}
		return wire.Response{}, refuse("TypeError", fmt.Sprintf("%s works inside of a test or hook only, while it runs", nameOf(req)))
	}
	switch req.Op {
	case wire.OpTest:
		var r wire.TestRequest
		if err := json.Unmarshal(req.Data, &r); err != nil {
			return wire.Response{}, err
		}
		return t.ask(ctx, r)
	case wire.OpEnv:
		return t.env(ctx, req)
	case wire.OpFetch:
		return t.fetch(ctx, req)
	case wire.OpReadFile, wire.OpWriteFile:
		return t.plainFile(ctx, req)
	case wire.OpProgress:
		return wire.Response{}, nil
	default:
		return wire.Response{}, refuse("Error", fmt.Sprintf("%s is not there in the test file itself: call the tool that uses it, with callTool", nameOf(req)))
	}
}

// Read implements [wire.Broker].
func (b *broker) Read(_ context.Context, s wire.Stream, max int) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.streams[s]
	if r == nil || r.Len() == 0 {
		delete(b.streams, s)
		return nil, io.EOF
	}
	out := make([]byte, min(max, r.Len()))
	n, err := r.Read(out)
	return out[:n], err
}

// CloseStream implements [wire.Broker].
func (b *broker) CloseStream(s wire.Stream) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.streams, s)
}

// open makes a body a stream.
func (b *broker) open(body []byte) wire.Stream {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.streams == nil {
		b.streams = map[wire.Stream]*bytes.Reader{}
	}
	b.opened++
	b.streams[b.opened] = bytes.NewReader(body)
	return b.opened
}

func (b *broker) log(t *testRun, req wire.Request) (wire.Response, error) {
	var rec wire.LogRecord
	if err := json.Unmarshal(req.Data, &rec); err != nil {
		return wire.Response{}, err
	}
	l := Log{Level: rec.Level, Message: rec.Message}
	if len(rec.Data) > 0 {
		l.Message += " " + string(rec.Data)
	}
	if t != nil {
		t.log(l)
		return wire.Response{}, nil
	}
	f := b.file
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.logs) < 1000 {
		f.logs = append(f.logs, l)
	}
	return wire.Response{}, nil
}

func nameOf(req wire.Request) string {
	if req.As != "" {
		return req.As
	}
	return string(req.Op)
}

func refuse(name, message string) *wire.Error {
	return &wire.Error{Kind: registry.KindOther, Name: name, Message: message}
}

func answer(v any) (wire.Response, error) {
	data, err := json.Marshal(v)
	return wire.Response{Data: data}, err
}
