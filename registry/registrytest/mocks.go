package registrytest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/rho-ext/rho-ext/registry"
)

// mock is a tool out of parts. It touches nothing, so that a batch may run any
// number of its calls side by side.
type mock struct {
	name, description, params string
	run                       func(context.Context, json.RawMessage) (*registry.Result, error)
}

var (
	_ registry.Tool        = (*mock)(nil)
	_ registry.Footprinter = (*mock)(nil)
)

// The parameters of the mocks.
const (
	anyObject  = `{"type":"object","properties":{}}`
	twoNumbers = `{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"required":["x","y"],"additionalProperties":false}`
)

// onePixel is a PNG of one red pixel.
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="

// Name implements [registry.Tool].
func (m *mock) Name() string { return m.name }

// Description implements [registry.Tool].
func (m *mock) Description() string { return m.description }

// Parameters implements [registry.Tool].
func (m *mock) Parameters() json.RawMessage {
	if m.params == "" {
		return json.RawMessage(anyObject)
	}
	return json.RawMessage(m.params)
}

// Risk implements [registry.Tool].
func (*mock) Risk() registry.Risk { return registry.Read }

// FootprintOf implements [registry.Footprinter].
func (*mock) FootprintOf(json.RawMessage) registry.Footprint { return registry.Footprint{} }

// Execute implements [registry.Tool].
func (m *mock) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	return m.run(ctx, args)
}

// arithmetic makes a tool of two whole numbers.
func arithmetic(name, description string, op func(x, y float64) float64) registry.Tool {
	return &mock{name: name, description: description, params: twoNumbers,
		run: func(_ context.Context, args json.RawMessage) (*registry.Result, error) {
			var a struct{ X, Y float64 }
			if err := json.Unmarshal(args, &a); err != nil {
				return nil, registry.Failuref(registry.KindInvalidArgs, "arguments: %w", err)
			}
			return registry.Text(strconv.FormatFloat(op(a.X, a.Y), 'f', -1, 64)), nil
		}}
}

// constant makes a tool that always gives the same.
func constant(name, description string, res registry.Result, err error) registry.Tool {
	return &mock{name: name, description: description,
		run: func(context.Context, json.RawMessage) (*registry.Result, error) {
			if err != nil {
				return nil, err
			}
			own := res
			own.Content, own.Metadata = slices.Clone(res.Content), maps.Clone(res.Metadata)
			return &own, nil
		}}
}

// Add is the tool add: the sum of x and y, whole numbers.
func Add() registry.Tool {
	return arithmetic("add", "Adds x and y.", func(x, y float64) float64 { return x + y })
}

// Subtract is the tool subtract: x less y.
func Subtract() registry.Tool {
	return arithmetic("subtract", "Subtracts y from x.", func(x, y float64) float64 { return x - y })
}

// Math is Add and Subtract, in this order.
func Math() []registry.Tool { return []registry.Tool{Add(), Subtract()} }

// StringOutput is the tool string_output, which gives a text of two lines.
func StringOutput() registry.Tool {
	return constant("string_output", "Gives two lines of text.", *registry.Text("Hello\nWorld"), nil)
}

// ObjectOutput is the tool object_output, which gives an object, as text and as
// data.
func ObjectOutput() registry.Tool {
	const object = `{"status":"ok","count":42}`
	return constant("object_output", "Gives an object.", registry.Result{
		Content:    []registry.Block{{Type: registry.BlockJSON, JSON: json.RawMessage(object)}},
		Structured: json.RawMessage(object),
	}, nil)
}

// ImageOutput is the tool image_output, which gives something that says it is a
// PNG. No reader of images takes it; see [ImageGenerator].
func ImageOutput() registry.Tool {
	return constant("image_output", "Gives an image.", registry.Result{
		Content: []registry.Block{{Type: registry.BlockImage, Data: []byte("image bytes"), MIMEType: "image/png"}},
	}, nil)
}

// ImageGenerator is the tool generate_test_image, which gives a real PNG of one
// pixel.
func ImageGenerator() registry.Tool {
	data, err := base64.StdEncoding.DecodeString(onePixel)
	if err != nil {
		panic(err) // the constant is wrong
	}
	return constant("generate_test_image", "Makes an image of one pixel.", registry.Result{
		Content: []registry.Block{{Type: registry.BlockImage, Data: data, MIMEType: "image/png"}},
	}, nil)
}

// Example is the tool example_tool, which takes no arguments.
func Example() registry.Tool {
	t := constant("example_tool", "Takes nothing and gives an example.", *registry.Text("Example answer"), nil)
	t.(*mock).params = `{"type":"object","properties":{},"additionalProperties":false}`
	return t
}

// Barrier is the tool barrier_tool: each call waits until n calls wait, then
// all give "done". It shows that calls really run side by side.
func Barrier(n int) registry.Tool {
	var mu sync.Mutex
	waiting, open := 0, make(chan struct{})
	return &mock{name: "barrier_tool", description: "Waits for its siblings.",
		run: func(ctx context.Context, _ json.RawMessage) (*registry.Result, error) {
			mu.Lock()
			waiting++
			gate := open
			if waiting == n {
				close(open)
				waiting, open = 0, make(chan struct{})
			}
			mu.Unlock()
			select {
			case <-gate:
				return registry.Text("done"), nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}}
}

// ControlledTool is the tool controlled: a call tells that it has started,
// waits to be released and gives 42.
type ControlledTool struct {
	mock
	started chan struct{}
	release chan struct{}
}

// Controlled makes a [ControlledTool].
func Controlled() *ControlledTool {
	c := &ControlledTool{started: make(chan struct{}, 1), release: make(chan struct{})}
	c.mock = mock{name: "controlled", description: "Waits to be released.", run: c.wait}
	return c
}

func (c *ControlledTool) wait(ctx context.Context, _ json.RawMessage) (*registry.Result, error) {
	select {
	case c.started <- struct{}{}:
	default: // nobody has taken the last signal yet
	}
	select {
	case <-c.release:
		return registry.Text("42"), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Started gets a value when a call has started.
func (c *ControlledTool) Started() <-chan struct{} { return c.started }

// Release lets all calls end, those to come as well. It is called once.
func (c *ControlledTool) Release() { close(c.release) }

// SessionKey is the key of the value that a [Probe] looks for.
const SessionKey = "session"

// Probe is the tool context_probe, which notes what it sees of the values of
// its calls: "session:ID", or "no-session".
type Probe struct {
	mock
	mu   sync.Mutex
	seen []string
}

// ValuesProbe makes a [Probe].
func ValuesProbe() *Probe {
	p := &Probe{}
	p.mock = mock{name: "context_probe", description: "Tells the session it sees.", run: p.look}
	return p
}

func (p *Probe) look(ctx context.Context, _ json.RawMessage) (*registry.Result, error) {
	var id string
	found, err := registry.CallFrom(ctx).Values.Get(SessionKey, &id)
	if err != nil {
		return nil, err
	}
	text := "no-session"
	if found {
		text = "session:" + id
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, text)
	return registry.Text(text), nil
}

// Seen lists what the calls saw so far.
func (p *Probe) Seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.seen...)
}

// Failing is the tool flaky_tool, whose calls all fail with one kind. A
// not_found has the HTTP status 404, a rate_limited 429.
func Failing(kind registry.Kind) registry.Tool {
	f := registry.NewFailure(kind, "mock tool call failed")
	switch kind {
	case registry.KindNotFound:
		f.HTTPStatus = 404
	case registry.KindRateLimited:
		f.HTTPStatus = 429
	}
	return constant("flaky_tool", "Fails.", registry.Result{}, f)
}

// HandledFailure is the tool lookup: it fails with not_found, and still has a
// text of its own that helps a model on.
func HandledFailure() registry.Tool {
	f := registry.NewFailure(registry.KindNotFound, "no record with this key")
	f.HTTPStatus = 404
	res := *registry.ErrorText("Nothing found. Try a broader query.")
	res.Details = f
	return constant("lookup", "Looks something up.", res, nil)
}

// Denied is the tool guarded: it refuses, as a tool with a check of its own
// does.
func Denied() registry.Tool {
	res := *registry.ErrorText("You may not read this record.")
	res.Details = registry.NewFailure(registry.KindPermissionDenied, "the record belongs to somebody else")
	return constant("guarded", "Refuses.", res, nil)
}

// RequestIDKey is the key of the metadata of [Metadata].
const RequestIDKey = "requestId"

// Metadata is the tool with_meta: it gives "done", and a request id for the
// host program alone.
func Metadata() registry.Tool {
	res := *registry.Text("done")
	res.Metadata = map[string]any{RequestIDKey: "req-7"}
	return constant("with_meta", "Leaves something for the host program.", res, nil)
}
