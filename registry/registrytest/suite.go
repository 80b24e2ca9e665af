package registrytest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rho-ext/rho-ext/registry"
)

// Options say what the suite cannot find out about a tool by itself.
type Options struct {
	// Args is a call that succeeds, also many times at once. Without one the
	// first of the tool's examples is taken.
	Args json.RawMessage
	// Invalid are calls that the tool's parameters refuse, beside those that
	// the suite thinks of.
	Invalid []json.RawMessage
	// SkipRun leaves out everything that runs the tool with valid arguments.
	SkipRun bool
	// KeepOpen leaves the tool open. As a rule the suite ends by closing a
	// tool that can be closed, twice.
	KeepOpen bool
	// Patience is how long a call may go on after its context has ended; zero
	// means two seconds.
	Patience time.Duration
	// Door configures the doors that the suite puts in front of the tool.
	Door *registry.DoorOptions
}

// Run checks with [TestTool] that a tool keeps the contract, and reports every
// way in which it does not.
func Run(t *testing.T, tool registry.Tool, o Options) {
	t.Helper()
	if err := TestTool(tool, o); err != nil {
		t.Error(err)
	}
}

// TestTool checks that a tool keeps the contract of [registry.Tool], in what it
// says of itself and in how it runs. The error joins all problems. Run under
// the race detector it finds more. A tool that can be closed is closed
// afterwards, see [Options.KeepOpen].
func TestTool(tool registry.Tool, o Options) error {
	if tool == nil {
		return errors.New("the tool is nil")
	}
	if o.Patience <= 0 {
		o.Patience = 2 * time.Second
	}
	s := &suite{tool: tool, o: o}
	for _, check := range []struct {
		name string
		run  func()
	}{
		{"wrappers", s.wrappers},
		{"what it says", s.says},
		{"schema", s.schema},
		{"info", s.info},
		{"invalid arguments", s.invalid},
		{"examples", s.examples},
		{"a call", s.call},
		{"abilities", s.abilities},
		{"outside a door", s.outside},
		{"calls side by side", s.concurrent},
		{"cancelled", s.cancelled},
		{"close", s.close},
	} {
		s.check(check.name, check.run)
		if s.hopeless {
			break
		}
	}
	return errors.Join(s.problems...)
}

// suite is one run of the checks.
type suite struct {
	tool     registry.Tool
	o        Options
	entry    registry.Entry // once it is registered
	name     string         // as it was first told
	hopeless bool           // the rest could tell nothing
	unstable bool           // what it says of itself changes

	mu       sync.Mutex
	at       string
	problems []error
}

func (s *suite) fail(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, fmt.Errorf("%s: %w", s.at, fmt.Errorf(format, args...)))
}

// check runs one group of checks, which may find that a method panics.
func (s *suite) check(name string, run func()) {
	s.mu.Lock()
	s.at = name
	s.mu.Unlock()
	defer func() {
		if v := recover(); v != nil {
			s.fail("panicked: %v", v)
			s.hopeless = s.hopeless || name == "wrappers" || name == "what it says" || name == "schema"
		}
	}()
	run()
}

// wrappers walks down to the innermost tool.
func (s *suite) wrappers() {
	t := s.tool
	for range 100 {
		w, ok := t.(registry.Unwrapper)
		if !ok {
			return
		}
		if t = w.Unwrap(); t == nil {
			s.fail("Unwrap returned nil: expected the tool that is wrapped")
			s.hopeless = true
			return
		}
	}
	s.fail("the chain of Unwrap does not end")
	s.hopeless = true
}

func (s *suite) says() {
	s.name = s.tool.Name()
	name, description, params, risk := s.name, s.tool.Description(), bytes.Clone(s.tool.Parameters()), s.tool.Risk()
	if err := registry.CheckName(name); err != nil {
		s.fail("the name %w", err)
	}
	if strings.TrimSpace(description) == "" {
		s.fail("the description is empty: expected text that tells a model when to call the tool")
	}
	if !utf8.ValidString(description) {
		s.fail("the description is not UTF-8")
	}
	if risk < registry.Read || risk > registry.Destructive {
		s.fail("the risk is %v: expected read, write, network or destructive", risk)
	}
	for range 10 {
		switch {
		case s.tool.Name() != name:
			s.fail("Name changed from %q to %q", name, s.tool.Name())
		case s.tool.Description() != description:
			s.fail("Description changed between calls")
		case !bytes.Equal(s.tool.Parameters(), params):
			s.fail("Parameters changed between calls: expected the same bytes, keys in the same order")
		case s.tool.Risk() != risk:
			s.fail("Risk changed between calls")
		default:
			continue
		}
		s.unstable = true
		return
	}
}

func (s *suite) schema() {
	if !json.Valid(s.tool.Parameters()) {
		s.fail("Parameters are not valid JSON")
	}
	r := registry.New()
	if err := r.Register("", s.tool); err != nil {
		s.fail("a registry refuses the tool: %w", err)
		s.hopeless = true
		return
	}
	s.entry = r.Snapshot().Tools()[0]
}

func (s *suite) info() {
	info := s.entry.Info
	if got := info.Effects.Risk(); got != s.tool.Risk() {
		s.fail("the effects %q are of risk %v, but Risk is %v", info.Effects, got, s.tool.Risk())
	}
	if info.DeclaredRisk > s.tool.Risk() {
		s.fail("the declared risk %v is above Risk, which is %v", info.DeclaredRisk, s.tool.Risk())
	}
	if registry.ParseToolKind(string(info.Kind)) != info.Kind {
		s.fail("the kind %q is unknown", info.Kind)
	}
	if info.Timeout < 0 {
		s.fail("the timeout %v is negative", info.Timeout)
	}
	if a := info.Annotations; a != nil && a.ReadOnly != nil && *a.ReadOnly && s.tool.Risk() != registry.Read {
		s.fail("it is annotated as read-only, but its risk is %v", s.tool.Risk())
	}
}

// door puts a door in front of a tool.
func (s *suite) door(t registry.Tool) *registry.Door {
	r := registry.New()
	if err := r.Register("", t); err != nil {
		s.fail("a registry refuses the tool: %w", err)
	}
	return registry.NewDoor(r, s.o.Door)
}

func (s *suite) request(args json.RawMessage) registry.Request {
	return registry.Request{Tool: s.name, Arguments: args}
}

// invalid makes sure that what the schema refuses never gets to Execute.
func (s *suite) invalid() {
	bad := []json.RawMessage{json.RawMessage(`[]`), json.RawMessage(`42`), json.RawMessage(`true`), json.RawMessage(`{"a":`)}
	if s.entry.Info.InputFormat == nil {
		bad = append(bad, json.RawMessage(`"not an object"`))
	}
	var p struct {
		Required             []string        `json:"required"`
		AdditionalProperties json.RawMessage `json:"additionalProperties"`
	}
	if json.Unmarshal(s.tool.Parameters(), &p) == nil {
		if len(p.Required) > 0 && !s.filled(p.Required) {
			bad = append(bad, json.RawMessage(`{}`))
		}
		if string(p.AdditionalProperties) == "false" {
			bad = append(bad, json.RawMessage(`{"no such argument of any tool":1}`))
		}
	}
	spy := &spy{Tool: s.tool, dry: true}
	d := s.door(spy)
	for _, args := range append(bad, s.o.Invalid...) {
		out := d.Call(context.Background(), s.request(args))
		switch {
		case spy.ran() > 0:
			s.fail("the arguments %s were let through to Execute: the parameters should refuse them", args)
			return
		case out.Failure == nil || out.Failure.Kind != registry.KindInvalidArgs:
			s.fail("the arguments %s came out as %v: expected invalid_args", args, out)
		}
	}
}

// filled reports whether the defaults of the schema fill in for all required
// names.
func (s *suite) filled(names []string) bool {
	var p struct {
		Properties map[string]struct {
			Default json.RawMessage `json:"default"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(s.tool.Parameters(), &p)
	for _, n := range names {
		if p.Properties[n].Default == nil {
			return false
		}
	}
	return true
}

// examples must be calls that the tool would take, and running one must not
// break it. They may fail: the file that one reads need not be there.
func (s *suite) examples() {
	dry := s.door(&spy{Tool: s.tool, dry: true})
	wet := s.door(&spy{Tool: s.tool, check: s.result})
	for i, e := range s.entry.Info.Examples {
		out := dry.Call(context.Background(), s.request(e.Args))
		if out.Status != registry.StatusSuccess {
			s.fail("example %d, %s, is no valid call: %s", i+1, e.Args, out.Text)
			continue
		}
		if !s.o.SkipRun {
			s.sound(fmt.Sprintf("example %d", i+1), wet.Call(context.Background(), s.request(e.Args)))
		}
	}
}

// sound checks an outcome for faults that no call of a sound tool has.
func (s *suite) sound(about string, out *registry.Outcome) {
	if f := out.Failure; f != nil {
		switch f.Code {
		case "panic", "goexit", "invalid_structured", "no_outcome":
			s.fail("%s: %v", about, f)
		}
		if !f.Kind.Valid() {
			s.fail("%s: the failure has the kind %q, which is unknown", about, f.Kind)
		}
	}
}

// args is a valid call, or nil.
func (s *suite) args() json.RawMessage {
	switch {
	case s.o.SkipRun:
		return nil
	case s.o.Args != nil:
		return s.o.Args
	case len(s.entry.Info.Examples) > 0:
		return s.entry.Info.Examples[0].Args
	default:
		s.fail("there is no call to run: set Options.Args or Options.SkipRun")
		return nil
	}
}

func (s *suite) call() {
	args := s.args()
	if args == nil {
		return
	}
	out := s.door(&spy{Tool: s.tool, check: s.result}).Call(context.Background(), s.request(args))
	s.sound("the call", out)
	if out.Status != registry.StatusSuccess && s.o.Args != nil {
		s.fail("the call %s came out as %v: %s", args, out, out.Text)
	}
}

// result checks what Execute returned.
func (s *suite) result(res *registry.Result, err error) {
	var f *registry.Failure
	if errors.As(err, &f) && f == nil {
		s.fail("Execute returned a nil *registry.Failure as its error")
	}
	if err != nil || res == nil {
		return
	}
	for i, b := range res.Content {
		switch b.Type {
		case registry.BlockText:
			if !utf8.ValidString(b.Text) {
				s.fail("block %d of the result is text that is not UTF-8", i)
			}
		case registry.BlockJSON:
			if !json.Valid(b.JSON) {
				s.fail("block %d of the result is JSON that is not valid", i)
			}
		case registry.BlockImage:
			if (len(b.Data) > 0) == (b.URL != "") {
				s.fail("block %d of the result is an image that needs either data or a URL", i)
			}
			if len(b.Data) > 0 && !strings.HasPrefix(b.MIMEType, "image/") {
				s.fail("block %d of the result is an image of MIME type %q: expected image/…", i, b.MIMEType)
			}
		default:
			s.fail("block %d of the result has the type %q: expected text, json or image", i, b.Type)
		}
	}
	if res.Structured != nil {
		s.structured(res.Structured, res.IsError)
	}
}

// structured holds a structured answer against the output schema.
func (s *suite) structured(raw json.RawMessage, failed bool) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		s.fail("the structured content is not valid JSON: %w", err)
		return
	}
	if s.entry.Info.OutputSchema == nil || failed {
		return
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.entry.Info.OutputSchema))
	if err != nil {
		s.fail("the output schema is not valid JSON: %w", err)
		return
	}
	c := jsonschema.NewCompiler()
	const url = "https://output.invalid/"
	if err := c.AddResource(url, schema); err != nil {
		s.fail("the output schema: %w", err)
		return
	}
	compiled, err := c.Compile(url)
	if err != nil {
		s.fail("the output schema: %w", err)
		return
	}
	if err := compiled.Validate(value); err != nil {
		s.fail("the structured content breaks the output schema: %w", err)
	}
}

// abilities checks what the tool says of one call.
func (s *suite) abilities() {
	args := s.args()
	if args == nil {
		return
	}
	if e, ok := registry.As[registry.Effecter](s.tool); ok {
		if got := e.EffectsOf(args); !s.entry.Info.Effects.Has(got) {
			s.fail("the call has the effects %q, but Info tells only %q", got, s.entry.Info.Effects)
		}
	}
	if f, ok := registry.As[registry.Footprinter](s.tool); ok {
		fp := f.FootprintOf(args)
		for _, p := range append(append([]string(nil), fp.Reads...), fp.Writes...) {
			if p == "" || path.IsAbs(p) || path.Clean(p) != p {
				s.fail("the footprint has the path %q: expected a clean one, relative to the project's root", p)
			}
		}
	}
}

// outside runs the tool without a door, as a test of its own might.
func (s *suite) outside() {
	args := s.args()
	if args == nil {
		return
	}
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		s.result(s.tool.Execute(ctx, args))
	}()
	if v := <-done; v != nil {
		s.fail("Execute panicked: %v", v)
	}
}

// concurrent runs several calls at once; the race detector watches.
func (s *suite) concurrent() {
	args := s.args()
	if args == nil {
		return
	}
	d := s.door(&spy{Tool: s.tool, check: s.result})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if !s.unstable { // to let the race detector look
				_, _, _, _ = s.tool.Name(), s.tool.Description(), s.tool.Parameters(), registry.InfoOf(s.tool)
			}
			req := s.request(args)
			req.ID = fmt.Sprintf("side-by-side-%d", i)
			out := d.Call(context.Background(), req)
			s.sound("one of several calls", out)
			if out.Status != registry.StatusSuccess && s.o.Args != nil {
				s.fail("one of several calls came out as %v: %s", out, out.Text)
			}
		})
	}
	wg.Wait()
}

// cancelled ends the context of calls before and while they run. They need not
// fail, but they must end.
func (s *suite) cancelled() {
	args := s.args()
	if args == nil {
		return
	}
	for _, after := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond} {
		ctx, cancel := context.WithCancel(context.Background())
		if after == 0 {
			cancel()
		} else {
			time.AfterFunc(after, cancel)
		}
		spy := &spy{Tool: s.tool, ended: make(chan struct{})}
		out := s.door(spy).Call(ctx, s.request(args))
		s.sound("a cancelled call", out)
		if spy.ran() > 0 {
			select {
			case <-spy.ended:
			case <-time.After(s.o.Patience):
				s.fail("a call still ran %v after its context had ended", s.o.Patience)
			}
		}
		cancel()
	}
}

// close closes a tool that can be closed; a second time must do no harm.
func (s *suite) close() {
	c, ok := registry.As[registry.Closer](s.tool)
	if !ok || s.o.KeepOpen {
		return
	}
	for i := range 2 {
		if err := c.Close(); err != nil {
			s.fail("closing it for the %s time: %w", []string{"first", "second"}[i], err)
		}
	}
}

// spy looks on as a tool is called.
type spy struct {
	registry.Tool
	dry   bool // do not run the tool
	check func(*registry.Result, error)
	ended chan struct{} // closed when the call has ended, where set

	mu    sync.Mutex
	calls int
}

// Unwrap implements [registry.Unwrapper].
func (s *spy) Unwrap() registry.Tool { return s.Tool }

func (s *spy) ran() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// Execute implements [registry.Tool].
func (s *spy) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	s.mu.Lock()
	s.calls++
	s.mu.Unlock()
	if s.dry {
		return registry.Text("not run"), nil
	}
	if s.ended != nil {
		defer close(s.ended)
	}
	res, err := s.Tool.Execute(ctx, args)
	if s.check != nil {
		s.check(res, err)
	}
	return res, err
}
