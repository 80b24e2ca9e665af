package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rho-ext/rho-ext/internal/suggest"
)

// The defaults of [DoorOptions].
const (
	DefaultTimeout         = 30 * time.Second
	DefaultGrace           = 400 * time.Millisecond
	DefaultTextLimit       = 30_000
	DefaultStructuredLimit = 256 << 10
)

// DoorOptions configure a [Door]. A zero field means the default.
type DoorOptions struct {
	// Timeout is the deadline of a call whose tool and request name none.
	Timeout time.Duration
	// ForceTimeout, where set, is the deadline of every call whose request
	// names none, over the tool's own.
	ForceTimeout time.Duration
	// Grace is how long the door waits for a tool after its context ended. A
	// tool that takes longer is left behind and its answer dropped.
	Grace time.Duration
	// TextLimit is how many bytes of text a model sees of one outcome.
	TextLimit int
	// StructuredLimit is up to how many bytes of structured content a model
	// sees.
	StructuredLimit int
	// ProjectRoot is what [Call.ProjectRoot] says, and what rules on paths are
	// relative to: an absolute path, without symbolic links.
	ProjectRoot string
	// Policy decides which calls run. Nil lets every call run.
	Policy *Policy
	// Gate answers where the policy says ask. Nil means that nobody can be
	// asked, and ask is deny.
	Gate Gate
	// KeepApproval stores an answer that was given for always. Nil keeps it
	// for the session.
	KeepApproval func(Approval) error
	// Hooks see calls before and after their tool runs, in this order.
	Hooks []Hook
	// Redactor takes secrets out of what hooks, gates and models see. Nil
	// leaves everything.
	Redactor Redactor
	// Middleware wraps the whole way of each call; the first is the outermost.
	Middleware []Middleware
	// Logger takes what no outcome can carry, such as a panic's stack.
	Logger *slog.Logger
}

// Door is the one way to run the tools of a [Registry]. Every call that enters
// comes out as exactly one [Outcome]. It is safe for concurrent use.
type Door struct {
	registry *Registry
	opts     DoorOptions

	handler Handler // Middleware around call

	prefix string // of generated ids
	serial atomic.Uint64
	live   sync.Map // ids of running calls
}

// NewDoor makes a door in front of r. Nil options mean the defaults; o is
// copied.
func NewDoor(r *Registry, o *DoorOptions) *Door {
	d := &Door{registry: r, prefix: fmt.Sprintf("call-%06x-", rand.N(1<<24))}
	if o != nil {
		d.opts = *o
	}
	positive(&d.opts.Timeout, DefaultTimeout)
	positive(&d.opts.Grace, DefaultGrace)
	positive(&d.opts.TextLimit, DefaultTextLimit)
	positive(&d.opts.StructuredLimit, DefaultStructuredLimit)
	if d.opts.Logger == nil {
		d.opts.Logger = slog.New(slog.DiscardHandler)
	}
	d.opts.Hooks = slices.Clone(d.opts.Hooks)
	d.handler = chain(d.call, slices.Clone(d.opts.Middleware))
	return d
}

func positive[T cmp.Ordered](v *T, or T) {
	var zero T
	if *v <= zero {
		*v = or
	}
}

// Request asks for one run of one tool.
type Request struct {
	// ID becomes the outcome's CallID; empty means that the door makes one.
	ID string
	// Tool is the registered name.
	Tool string
	// Snapshot, where set, is where the tool is looked up, so that a model gets
	// the tools it was shown. A tool that holds something and has been closed
	// since is gone all the same.
	Snapshot *Snapshot
	// Arguments are what the caller sent. Nothing and null mean no arguments,
	// and a JSON string that holds an object means that object.
	Arguments json.RawMessage
	// Values are granted to this call, see [Call].
	Values Values
	// ValueGrants keep values from tools: where a key of Values is in here,
	// only tools whose name matches one of the patterns see it.
	ValueGrants map[string][]string
	// Timeout beats the tool's own and the door's; zero means theirs.
	Timeout time.Duration
	// Progress hears of the call's progress, possibly from several goroutines
	// at once. The tool waits while it runs.
	Progress func(Progress)

	parent *Call // the call whose tool makes this one, see [Call.Invoke]
}

// run is one call on its way through the door.
type run struct {
	door    *Door
	req     Request
	entry   *Entry
	call    *Call
	slot    *slot   // its place in a batch, or nil
	args    jsonDoc // normalised, complete with defaults
	limit   time.Duration
	consent Consent
}

// Call runs a tool. It returns the one outcome of the call, never nil, and
// never panics, whatever the tool, the arguments, hooks, middleware and ctx do.
// Once ctx ends it returns within the grace, apart from the time that middleware
// and hooks behind the call take. It runs middleware on the caller's goroutine,
// which one that calls runtime.Goexit ends; [Door.Batch] outlives that.
func (d *Door) Call(ctx context.Context, req Request) (out *Outcome) {
	start := time.Now()
	if req.ID == "" {
		req.ID = d.nextID(d.prefix)
	}
	defer func() {
		v := recover()
		switch {
		case v != nil: // a fault of some middleware
			r := d.lost(req)
			out = r.seal(r.failed(r.panicked(v)))
		case out == nil:
			out = d.broken(req)
		case len(d.opts.Middleware) > 0: // which may keep it, and give it again
			own := *out
			out = &own
		}
		out.CallID, out.Tool, out.Sent = req.ID, req.Tool, req.Arguments
		out.Duration = time.Since(start)
	}()
	return d.handler(ctx, req)
}

// lost is a call of which only the request is known.
func (d *Door) lost(req Request) *run {
	return &run{door: d, req: req, call: &Call{ID: req.ID}}
}

// broken is the outcome of a call whose middleware, or other code around the
// tool, gave none.
func (d *Door) broken(req Request) *Outcome {
	r := d.lost(req)
	out := r.seal(r.failed(&Failure{Kind: KindOther, Code: "no_outcome", ModelText: genericText,
		Message: "code around the tool ended the call without an outcome"}))
	out.Sent = req.Arguments
	return out
}

func (d *Door) nextID(prefix string) string {
	return prefix + strconv.FormatUint(d.serial.Add(1), 10)
}

// call is the door without its middleware.
func (d *Door) call(ctx context.Context, req Request) (out *Outcome) {
	if req.ID == "" { // some middleware took it
		req.ID = d.nextID(d.prefix)
	}
	start := time.Now()
	place, ctx := slotFrom(ctx)
	r := &run{door: d, req: req, slot: place, call: &Call{
		ID:          d.claim(req.ID),
		Tool:        req.Tool,
		Budget:      d.opts.TextLimit,
		ProjectRoot: d.opts.ProjectRoot,
		progress:    redactProgress(d.opts.Redactor, req.Progress),
		door:        d,
		parent:      req.parent,
	}}
	if req.parent != nil {
		r.call.depth = req.parent.depth + 1
	}
	defer func() {
		if v := recover(); v != nil { // a fault of the door itself, or in a tool's error
			out = r.seal(r.failed(r.panicked(v)))
		}
		out.Uses, out.Attempts = r.call.finish()
		out.Uses = redactUses(d.opts.Redactor, out.Uses)
		if out.Attempts <= 1 {
			out.Attempts = 0
		}
		d.live.Delete(r.call.ID)
		if out.ParentID = r.call.ParentID(); r.entry != nil {
			out.Owner = r.entry.Owner
		}
		out.Duration = time.Since(start)
	}()
	if r.slot != nil {
		if why := r.slot.enter(ctx); why != "" {
			return r.seal(r.unstarted(ctx, why))
		}
		defer r.slot.leave()
	}
	end := r.pass(ctx)
	r.after(ctx, end, time.Since(start))
	if end.failure != nil && end.failure.Fatal {
		r.stop("an earlier call failed for good")
	}
	return r.seal(end)
}

// pass takes the call through the steps of the door. Each step either lets it
// go on or is its end.
func (r *run) pass(ctx context.Context) *draft {
	if f := r.lookUp(); f != nil {
		return r.failed(f)
	}
	defer r.entry.life.leave()
	if f := r.prepare(); f != nil {
		return r.failed(f)
	}
	if end := r.before(ctx); end != nil {
		return end
	}
	if end := r.approve(ctx); end != nil {
		return end
	}
	if r.slot != nil {
		if why := r.slot.start(ctx, r.footprint()); why != "" {
			return r.unstarted(ctx, why)
		}
	}
	r.call.Values = r.req.valuesFor(r.entry)
	res, f := r.execute(ctx)
	if f != nil {
		return r.failed(f)
	}
	return r.answered(res)
}

// unstarted is the end of a call of a batch that was stopped before its turn.
func (r *run) unstarted(ctx context.Context, why string) *draft {
	f := &Failure{Kind: KindCancelled, Code: "batch_stopped", Retryable: RetryNo, Message: "not executed: " + why}
	if ctx.Err() != nil {
		f = r.interrupted(ctx, 0, nil)
		f.Code, f.ModelText = "batch_cancelled", "not executed: "+why
	}
	d := r.failed(f)
	d.status = StatusSkipped
	return d
}

// stop ends the batch that the call belongs to: calls that have not started do
// not start.
func (r *run) stop(reason string) {
	if r.slot != nil {
		r.slot.stop(reason)
	}
}

// effects are those of this call.
func (r *run) effects() Effects { return r.entry.effectsOf(r.args.text) }

func (r *run) footprint() Footprint { return r.entry.footprintOf(r.args.text) }

// claim makes an id unique among the live calls: what the host grants to a
// call must not reach another one, even if a caller uses an id twice.
func (d *Door) claim(id string) string {
	unique := id
	for n := 2; ; n++ {
		if _, taken := d.live.LoadOrStore(unique, struct{}{}); !taken {
			return unique
		}
		unique = id + "~" + strconv.Itoa(n)
	}
}

// lookUp finds the tool.
func (r *run) lookUp() *Failure {
	var s *Snapshot
	for {
		if s = r.req.Snapshot; s == nil {
			s = r.door.registry.Snapshot()
		}
		e := s.find(r.req.Tool)
		if e == nil {
			break
		}
		if e.life.enter() {
			r.entry = e
			return nil
		}
		if r.req.Snapshot != nil {
			return &Failure{Kind: KindNotFound, Code: "closed", Retryable: RetryNo, Message: "tool " + r.req.Tool + " is there no longer"}
		} // else it was taken out a moment ago
	}
	name := clipped(r.req.Tool, maxReceived)
	hint := suggest.Hint(s.closeNames(r.req.Tool, 3)...)
	return &Failure{Kind: KindNotFound, Retryable: RetryNo, Message: "unknown tool: " + name + hint}
}

// prepare normalises the arguments, fills defaults and validates.
func (r *run) prepare() *Failure {
	doc, err := normaliseFor(r.entry.format, r.req.Arguments)
	if err == nil {
		err = r.entry.args.check(&doc)
		r.args = doc
	}
	switch err := err.(type) {
	case nil:
		return nil
	case *ArgumentError:
		return &Failure{Kind: KindInvalidArgs, Message: err.Error(), Cause: err}
	default:
		return &Failure{Kind: KindOther, Code: "validator", Message: err.Error(), ModelText: genericText, Cause: err}
	}
}
