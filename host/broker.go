package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/registry"
)

// broker decides for one extension and acts for its calls. A call that is not
// live can do nothing but log.
type broker struct {
	extension string
	log       *slog.Logger
	files     *jail.Jail // nil where there is no project
	net       *permission.Client

	mu      sync.Mutex
	live    map[string]*liveCall
	streams map[wire.Stream]*stream
	last    wire.Stream
}

var _ wire.Broker = (*broker)(nil)

// liveCall is a call whose code may ask for things.
type liveCall struct {
	call    *registry.Call
	tool    string
	effects registry.Effects
	streams []wire.Stream // that it opened; they end with it
}

// begin lets a call in. Its id must not be live already.
func (b *broker) begin(id string, c *liveCall) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.live[id]; ok {
		return fmt.Errorf("a call with the id %q is running already", id)
	}
	if b.live == nil {
		b.live = map[string]*liveCall{}
	}
	b.live[id] = c
	return nil
}

// end closes what the call has left open, whatever became of its sandbox.
func (b *broker) end(id string) {
	b.mu.Lock()
	c := b.live[id]
	delete(b.live, id)
	b.mu.Unlock()
	if c != nil {
		for _, s := range c.streams { // none is added any more
			b.CloseStream(s)
		}
	}
}

func (b *broker) lookup(id string) *liveCall {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.live[id]
}

// Do implements [wire.Broker].
func (b *broker) Do(ctx context.Context, req wire.Request) (wire.Response, error) {
	c := b.lookup(req.Call)
	if req.Op == wire.OpLog {
		return wire.Response{}, b.writeLog(ctx, req)
	}
	if c == nil {
		return wire.Response{}, &wire.Error{Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Code: "no_call",
			Message: fmt.Sprintf("%s is only possible while a call runs", req.Op)}
	}
	switch req.Op {
	case wire.OpProgress:
		var p registry.Progress
		if err := json.Unmarshal(req.Data, &p); err != nil {
			return wire.Response{}, badRequest(req, err)
		}
		c.call.Report(p)
		return wire.Response{}, nil
	case wire.OpReadFile:
		return b.readFile(req, c)
	case wire.OpFetch:
		return b.fetch(ctx, req, c)
	default:
		return wire.Response{}, &wire.Error{Kind: registry.KindOther, Name: "TypeError", Message: fmt.Sprintf("unknown operation %q", req.Op)}
	}
}

func badRequest(req wire.Request, err error) error {
	return &wire.Error{Kind: registry.KindOther, Name: "TypeError", Message: fmt.Sprintf("%s: bad request: %v", req.Op, err)}
}

var levels = map[string]slog.Level{
	"trace": slog.LevelDebug - 4, "debug": slog.LevelDebug, "info": slog.LevelInfo,
	"warn": slog.LevelWarn, "error": slog.LevelError,
}

func (b *broker) writeLog(ctx context.Context, req wire.Request) error {
	var rec wire.LogRecord
	if err := json.Unmarshal(req.Data, &rec); err != nil {
		return badRequest(req, err)
	}
	level, ok := levels[rec.Level]
	if !ok {
		rec.Message = "[" + rec.Level + "] " + rec.Message
	}
	attrs := []slog.Attr{slog.String("extension", b.extension)}
	if req.Tool != "" {
		attrs = append(attrs, slog.String("tool", req.Tool))
	}
	if len(rec.Data) > 0 {
		attrs = append(attrs, slog.String("data", string(rec.Data)))
	}
	b.log.LogAttrs(ctx, level, rec.Message, attrs...)
	return nil
}

// maxReadFile bounds what the synchronous rho.readFile brings into a runtime.
const maxReadFile = 1 << 20

func (b *broker) readFile(req wire.Request, c *liveCall) (wire.Response, error) {
	var p wire.FilePath
	if err := json.Unmarshal(req.Data, &p); err != nil {
		return wire.Response{}, badRequest(req, err)
	}
	if b.files == nil {
		return wire.Response{}, b.denied(c, "file", p.Path, "there is no project to read from", "use --root DIR")
	}
	data, rel, err := b.files.ReadFile(p.Path, maxReadFile)
	if err != nil {
		if jail.IsRefusal(err) {
			return wire.Response{}, b.denied(c, "file", p.Path, err.Error(), "")
		}
		return wire.Response{}, &wire.Error{Kind: registry.KindOther, Name: "Error", Code: "read_file", Message: "rho.readFile: " + err.Error()}
	}
	c.call.RecordUse(registry.Use{Kind: "file", Target: rel, Effect: "read", Grant: "default"})
	return wire.Response{Payload: data}, nil
}

// denied records a refusal and makes the error that the code sees.
func (b *broker) denied(c *liveCall, kind, target, message, hint string) error {
	effect := "read"
	if kind == "net" {
		effect = "net"
	}
	c.call.RecordUse(registry.Use{Kind: kind, Target: target, Effect: effect, Denied: true})
	return b.refusal(kind, message, hint)
}

func (b *broker) refusal(kind, message, hint string) error {
	return &wire.Error{
		Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Code: kind,
		Message: fmt.Sprintf("extension %q: %s", b.extension, message), Hint: hint,
	}
}

func (b *broker) fetch(ctx context.Context, req wire.Request, c *liveCall) (wire.Response, error) {
	var f wire.FetchRequest
	if err := json.Unmarshal(req.Data, &f); err != nil {
		return wire.Response{}, badRequest(req, err)
	}
	target := f.Method + " " + withoutQuery(f.URL)
	if !c.effects.Has(registry.EffectNet) {
		return wire.Response{}, b.denied(c, "net", target,
			fmt.Sprintf("the tool %s is not known to use the network, so it may not", c.tool),
			`call fetch by its name, or declare risk: "network"`)
	}
	// The client records each hop with the call that it finds in the context.
	res, err := b.net.Fetch(registry.WithCall(ctx, c.call), f, req.Payload)
	if err != nil {
		var we *wire.Error
		if errors.As(err, &we) && we.Kind == registry.KindPermissionDenied {
			return wire.Response{}, b.refusal("net", we.Message, we.Hint)
		}
		return wire.Response{}, err
	}
	data, err := json.Marshal(res.FetchResponse)
	if err != nil {
		res.Body.Close()
		return wire.Response{}, err
	}
	stream, ok := b.open(req.Call, c, res.Body)
	if !ok {
		res.Body.Close()
		return wire.Response{}, context.Canceled
	}
	return wire.Response{Data: data, Stream: stream}, nil
}

// stream is a body that a sandbox reads piece by piece.
type stream struct {
	mu   sync.Mutex // one reader at a time
	body io.ReadCloser
}

// open makes a stream of the call's, unless it has ended meanwhile.
func (b *broker) open(id string, c *liveCall, body io.ReadCloser) (s wire.Stream, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live[id] != c {
		return 0, false
	}
	if b.streams == nil {
		b.streams = map[wire.Stream]*stream{}
	}
	b.last++
	b.streams[b.last] = &stream{body: body}
	c.streams = append(c.streams, b.last)
	return b.last, true
}

// maxCredit bounds one piece, whatever the sandbox asks for.
const maxCredit = 1 << 20

// Read implements [wire.Broker].
func (b *broker) Read(_ context.Context, id wire.Stream, limit int) ([]byte, error) {
	b.mu.Lock()
	s := b.streams[id]
	b.mu.Unlock()
	if s == nil { // not io.EOF: half a body must not look whole
		return nil, &wire.Error{Kind: registry.KindOther, Name: "TypeError", Code: "stream_closed",
			Message: "the body is gone: it was closed, or the call that fetched it has ended"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	buf := make([]byte, min(max(limit, 1), maxCredit))
	for {
		n, err := s.body.Read(buf)
		if err != nil && !errors.Is(err, io.EOF) {
			b.CloseStream(id)
			return nil, err
		}
		if errors.Is(err, io.EOF) && n == 0 {
			b.CloseStream(id)
			return nil, io.EOF
		}
		if n > 0 {
			return buf[:n], nil
		}
	}
}

// CloseStream implements [wire.Broker].
func (b *broker) CloseStream(id wire.Stream) {
	b.mu.Lock()
	s := b.streams[id]
	delete(b.streams, id)
	b.mu.Unlock()
	if s != nil {
		s.body.Close()
	}
}

// withoutQuery drops what may hold secrets from a URL that is recorded.
func withoutQuery(url string) string {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	return url
}
