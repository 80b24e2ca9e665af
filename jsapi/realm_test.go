package jsapi

import (
	"encoding/json"
	"errors"
	"sort"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// realm is a runtime with the globals on top of an environment that tests
// steer by hand: time moves only when run finds nothing else to do.
type realm struct {
	t  testing.TB
	vm *goja.Runtime
	g  *Globals

	now     time.Duration
	nextID  int64
	timers  map[int64]*fakeTimer
	pending []func() // settles of requests, in order

	logs     []wire.LogRecord
	reported []string
	requests []wire.Request
	canceled int
	closed   []wire.Stream
	reads    []int // credit of each Read

	answer  func(wire.Request) (wire.Response, error) // of Request and Do; nil never answers
	streams map[wire.Stream][][]byte
}

type fakeTimer struct {
	id     int64
	at     time.Duration
	every  time.Duration
	fn     goja.Callable
	args   []goja.Value
	repeat bool
}

func newRealm(t testing.TB) *realm {
	t.Helper()
	r := &realm{t: t, vm: goja.New(), timers: map[int64]*fakeTimer{}, streams: map[wire.Stream][][]byte{}}
	r.vm.SetMaxCallStackSize(4096)
	g, err := Install(r.vm, r)
	require.NoError(t, err)
	r.g = g
	return r
}

func (r *realm) SetTimer(fn goja.Callable, args []goja.Value, delay time.Duration, repeat bool) int64 {
	r.nextID++
	r.timers[r.nextID] = &fakeTimer{id: r.nextID, at: r.now + delay, every: delay, fn: fn, args: args, repeat: repeat}
	return r.nextID
}

func (r *realm) ClearTimer(id int64) { delete(r.timers, id) }

func (r *realm) Request(req wire.Request, done func(wire.Response) (goja.Value, error)) (*goja.Object, func()) {
	r.requests = append(r.requests, req)
	p, resolve, reject := r.vm.NewPromise()
	live := true
	if r.answer != nil {
		res, err := r.answer(req)
		r.pending = append(r.pending, func() {
			if !live {
				return
			}
			if err != nil {
				require.NoError(r.t, reject(r.thrown(err)))
				return
			}
			v, err := done(res)
			if err != nil {
				require.NoError(r.t, reject(r.thrown(err)))
				return
			}
			require.NoError(r.t, resolve(v))
		})
	}
	return r.vm.ToValue(p).(*goja.Object), func() {
		live = false
		r.canceled++
	}
}

func (r *realm) Do(req wire.Request) (wire.Response, goja.Value) {
	r.requests = append(r.requests, req)
	res, err := r.answer(req)
	if err != nil {
		return wire.Response{}, r.thrown(err)
	}
	return res, nil
}

func (r *realm) thrown(err error) *goja.Object {
	var e *wire.Error
	if !errors.As(err, &e) {
		e = &wire.Error{Kind: registry.KindOther, Message: err.Error()}
	}
	return r.g.Error(e, "\tat tool (x.ts:1:2)")
}

func (r *realm) Read(s wire.Stream, max int) *goja.Object {
	r.reads = append(r.reads, max)
	p, resolve, _ := r.vm.NewPromise()
	r.pending = append(r.pending, func() {
		chunks := r.streams[s]
		if len(chunks) == 0 {
			require.NoError(r.t, resolve(goja.Null()))
			return
		}
		r.streams[s] = chunks[1:]
		u8, err := r.vm.New(r.vm.Get("Uint8Array"), r.vm.ToValue(r.vm.NewArrayBuffer(chunks[0])))
		require.NoError(r.t, err)
		require.NoError(r.t, resolve(u8))
	})
	return r.vm.ToValue(p).(*goja.Object)
}

func (r *realm) CloseStream(s wire.Stream) { r.closed = append(r.closed, s) }

func (r *realm) Log(rec wire.LogRecord) { r.logs = append(r.logs, rec) }

func (r *realm) ReportError(v goja.Value) { r.reported = append(r.reported, r.g.Inspect(v)) }

func (r *realm) ProjectRoot() string { return "/project" }
func (r *realm) Model() string       { return "a-model" }

// run settles requests and fires timers until nothing is left.
func (r *realm) run() {
	r.t.Helper()
	for range 10_000 {
		if len(r.pending) > 0 {
			next := r.pending[0]
			r.pending = r.pending[1:]
			next()
			continue
		}
		due := make([]*fakeTimer, 0, len(r.timers))
		for _, t := range r.timers {
			due = append(due, t)
		}
		if len(due) == 0 {
			return
		}
		sort.Slice(due, func(i, j int) bool {
			return due[i].at < due[j].at || due[i].at == due[j].at && due[i].id < due[j].id
		})
		t := due[0]
		r.now = t.at
		if t.repeat {
			t.at += t.every
		} else {
			delete(r.timers, t.id)
		}
		if _, err := t.fn(goja.Undefined(), t.args...); err != nil {
			var ex *goja.Exception
			require.ErrorAs(r.t, err, &ex)
			r.ReportError(ex.Value())
		}
	}
	r.t.Fatal("the loop does not end")
}

// eval runs a script and returns its value.
func (r *realm) eval(src string) goja.Value {
	r.t.Helper()
	v, err := r.vm.RunScript("test.js", src)
	require.NoError(r.t, err)
	return v
}

// async runs the body of an async function to its end and returns the JSON of
// its value; an exception becomes "Name: message".
func (r *realm) async(body string) string {
	r.t.Helper()
	p := r.eval("(async () => {" + body + "\n})()").Export().(*goja.Promise)
	r.run()
	switch p.State() {
	case goja.PromiseStateRejected:
		o, ok := p.Result().(*goja.Object)
		if !ok {
			return "throws " + p.Result().String()
		}
		return o.Get("name").String() + ": " + o.Get("message").String()
	case goja.PromiseStatePending:
		return "pending"
	}
	var v any = p.Result()
	if goja.IsUndefined(p.Result()) {
		return "undefined"
	}
	if _, ok := v.(*goja.Object); !ok {
		v = p.Result().Export() // only objects marshal themselves
	}
	b, err := json.Marshal(v)
	require.NoError(r.t, err)
	return string(b)
}

// check is one row of a table: the body of an async function and the JSON of
// what it returns.
type check struct{ name, body, want string }

func runChecks(t *testing.T, checks []check) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, newRealm(t).async(c.body))
		})
	}
}
