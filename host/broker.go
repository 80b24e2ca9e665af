package host

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/keyfile"
	"github.com/rho-ext/rho-ext/registry"
)

// broker decides for one extension and acts for its calls. A call that is not
// live can do nothing but log.
type broker struct {
	extension string
	log       *slog.Logger
	access    atomic.Pointer[permission.Access] // nil until the manifest is known
	desk      *permission.Desk
	files     *files
	net       *permission.Client
	registry  *registry.Registry
	state     *keyfile.File                    // nil where there is no place for it
	onSecret  func(values ...string)           // or nil
	environ   func(name string) (string, bool) // nil: the environment
	// settings resolves the extension's settings; it is set with access.
	settings func(ctx context.Context, grantedEnv func(name string) (value, grant string, ok bool)) resolvedSettings

	mu      sync.Mutex
	live    map[string]*liveCall
	streams map[wire.Stream]*stream
	last    wire.Stream
	asking  int      // questions that are open
	resumes []func() // of the clocks that stand still meanwhile
	told    map[string]bool
	running programs
	fileOps slots
	started slots    // programs
	early   []string // variables that were asked for before access was there
}

var _ wire.Broker = (*broker)(nil)

// liveCall is a call whose code may ask for things.
type liveCall struct {
	call    *registry.Call
	run     wire.Run // what tool names
	tool    string
	effects registry.Effects
	answers answers
	streams []wire.Stream // that it opened; they end with it
	work    work
}

// silent reports whether nobody is asked anything for the call, nor waits for
// it: of a hook, whose time is short and whose caller is somebody else, and of a
// completion.
func (c *liveCall) silent() bool { return c.run == wire.RunHook || c.run == wire.RunComplete }

// name is what runs, for messages.
func (c *liveCall) name() string {
	switch c.run {
	case wire.RunTool:
		return "the tool " + c.tool
	case wire.RunHook:
		return "the hook " + c.tool
	}
	return "the command " + c.tool
}

// label names what runs as the door does.
func (c *liveCall) label() string {
	if c.run == wire.RunCommand {
		return commandLabel(c.tool)
	}
	return c.tool
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
	if b.asking > 0 && !c.silent() {
		b.resumes = append(b.resumes, c.call.PauseDeadline())
	}
	return nil
}

// end closes what the call has left open, whatever became of its sandbox.
func (b *broker) end(id string) {
	b.mu.Lock()
	c := b.live[id]
	delete(b.live, id)
	b.mu.Unlock()
	if c != nil {
		c.work.end()
		for _, s := range c.streams { // none is added any more
			b.CloseStream(s)
		}
	}
}

// close ends what the extension holds open. Nothing may be asked any more.
func (b *broker) close() {
	b.running.close()
	b.net.Close()
	b.files.close()
}

func (b *broker) lookup(id string) *liveCall {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.live[id]
}

// Do implements [wire.Broker].
func (b *broker) Do(ctx context.Context, req wire.Request) (wire.Response, error) {
	c := b.lookup(req.Call)
	switch {
	case req.Op == wire.OpLog:
		return wire.Response{}, b.writeLog(ctx, req)
	case req.Op == wire.OpEnv:
		return b.env(ctx, req, c)
	case c == nil || !c.work.begin():
		return wire.Response{}, &wire.Error{Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Code: "no_call",
			Message: fmt.Sprintf("%s is only possible while a call runs", req.Op)}
	}
	defer c.work.done()
	switch req.Op {
	case wire.OpProgress:
		var p registry.Progress
		if err := json.Unmarshal(req.Data, &p); err != nil {
			return wire.Response{}, badRequest(req, err)
		}
		c.call.Report(p)
		return wire.Response{}, nil
	case wire.OpReadFile, wire.OpWriteFile, wire.OpListDir, wire.OpStat, wire.OpGlob, wire.OpMkdir, wire.OpRemove, wire.OpRename:
		return b.file(ctx, req, c)
	case wire.OpExec:
		return b.exec(ctx, req, c)
	case wire.OpFetch:
		return b.fetch(ctx, req, c)
	case wire.OpCallTool:
		return b.callTool(ctx, req, c)
	case wire.OpConfig:
		return b.config(ctx, c)
	case wire.OpState, wire.OpSetState:
		return b.keep(ctx, req, c)
	default:
		return wire.Response{}, &wire.Error{Kind: registry.KindOther, Name: "TypeError", Message: fmt.Sprintf("unknown operation %q", req.Op)}
	}
}

func badRequest(req wire.Request, err error) error {
	return &wire.Error{Kind: registry.KindOther, Name: "TypeError", Message: fmt.Sprintf("%s: bad request: %v", req.Op, err)}
}

// answer makes a response of plain data.
func answer(v any) (wire.Response, error) {
	data, err := json.Marshal(v)
	return wire.Response{Data: data}, err
}

// as is what the code called, for messages.
func as(req wire.Request) string {
	if req.As != "" {
		return req.As
	}
	return string(req.Op)
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
