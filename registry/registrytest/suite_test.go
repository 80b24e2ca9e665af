package registrytest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rho-ext/rho-ext/builtin"
	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

func TestMain(m *testing.M) {
	// The clock of pattern timeouts stops by itself, a while after its last use.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

func TestMocksConform(t *testing.T) {
	released := registrytest.Controlled()
	released.Release()
	numbers := json.RawMessage(`{"x":2,"y":5}`)
	for _, c := range []struct {
		tool registry.Tool
		o    registrytest.Options
	}{
		{registrytest.Add(), registrytest.Options{Args: numbers, Invalid: []json.RawMessage{json.RawMessage(`{"x":"a","y":1}`)}}},
		{registrytest.Subtract(), registrytest.Options{Args: numbers}},
		{registrytest.StringOutput(), registrytest.Options{Args: json.RawMessage(`{"any":"thing"}`)}},
		{registrytest.ObjectOutput(), registrytest.Options{Args: json.RawMessage(`{}`)}},
		{registrytest.ImageOutput(), registrytest.Options{Args: json.RawMessage(`{}`)}},
		{registrytest.ImageGenerator(), registrytest.Options{Args: json.RawMessage(`{}`)}},
		{registrytest.Example(), registrytest.Options{Args: json.RawMessage(`{}`)}},
		{registrytest.Barrier(1), registrytest.Options{Args: json.RawMessage(`{}`)}},
		{released, registrytest.Options{Args: json.RawMessage(`{}`)}},
		{registrytest.ValuesProbe(), registrytest.Options{Args: json.RawMessage(`{}`)}},
		{registrytest.Metadata(), registrytest.Options{Args: json.RawMessage(`{}`)}},
		{registrytest.Failing(registry.KindRateLimited), registrytest.Options{SkipRun: true}},
		{registrytest.HandledFailure(), registrytest.Options{SkipRun: true}},
		{registrytest.Denied(), registrytest.Options{SkipRun: true}},
	} {
		t.Run(c.tool.Name(), func(t *testing.T) { registrytest.Run(t, c.tool, c.o) })
	}
}

func TestReadFileConforms(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "README.md"), []byte("one\ntwo\n"), 0o644))
	r := registry.New()
	require.NoError(t, builtin.Register(r, builtin.Options{Root: root}))
	e, ok := r.Snapshot().Lookup("read_file")
	require.True(t, ok)
	registrytest.Run(t, e.Tool, registrytest.Options{
		Args:    json.RawMessage(`{"path":"README.md"}`),
		Invalid: []json.RawMessage{json.RawMessage(`{"path":""}`), json.RawMessage(`{"path":"a","offset":0}`)},
	})
}

// remote is a tool that runs elsewhere: requests and answers travel as JSON.
type remote struct {
	registry.Tool // what it says of itself, as the other side told it
	wire          chan remoteCall
}

type remoteCall struct {
	body   []byte
	answer chan []byte
}

// serve is the other side.
func (r *remote) serve(d *registry.Door, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case c := <-r.wire:
			go func() {
				out := d.Call(context.Background(), registry.Request{Tool: r.Name(), Arguments: c.body})
				data, err := json.Marshal(registry.Result{Content: out.Content, IsError: out.IsError, Structured: out.Structured})
				if err != nil {
					data = []byte(`{"isError":true}`)
				}
				c.answer <- data
			}()
		}
	}
}

// Execute implements registry.Tool.
func (r *remote) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	c := remoteCall{args, make(chan []byte, 1)}
	select {
	case r.wire <- c:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case data := <-c.answer:
		var res registry.Result
		return &res, json.Unmarshal(data, &res)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func TestRemoteToolConforms(t *testing.T) {
	far := registry.New()
	far.MustRegister("", registrytest.Add())
	r := &remote{Tool: registrytest.Add(), wire: make(chan remoteCall)}
	stop := make(chan struct{})
	defer close(stop)
	go r.serve(registry.NewDoor(far, nil), stop)
	registrytest.Run(t, r, registrytest.Options{Args: json.RawMessage(`{"x":1,"y":2}`)})
}

// odd is a tool that breaks the contract in one way.
type odd struct {
	registry.Tool
	name, description, params func() string
	info                      registry.Info
	unwrap                    func() registry.Tool
	effects                   func(json.RawMessage) registry.Effects
	print                     registry.Footprint
	close                     func() error
	run                       func(context.Context, json.RawMessage) (*registry.Result, error)
}

func (o *odd) Name() string {
	if o.name != nil {
		return o.name()
	}
	return "odd"
}

func (o *odd) Description() string {
	if o.description != nil {
		return o.description()
	}
	return "is odd"
}

func (o *odd) Parameters() json.RawMessage {
	if o.params != nil {
		return json.RawMessage(o.params())
	}
	return json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`)
}

func (o *odd) Risk() registry.Risk                             { return registry.Write }
func (o *odd) Info() registry.Info                             { return o.info }
func (o *odd) FootprintOf(json.RawMessage) registry.Footprint  { return o.print }
func (o *odd) EffectsOf(args json.RawMessage) registry.Effects { return o.effects(args) }

func (o *odd) Close() error {
	if o.close != nil {
		return o.close()
	}
	return nil
}

func (o *odd) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	if o.run != nil {
		return o.run(ctx, args)
	}
	return registry.Text("fine"), nil
}

// circle is a wrapper that wraps itself.
type circle struct{ registry.Tool }

func (c *circle) Unwrap() registry.Tool { return c }

type hollow struct{ registry.Tool }

func (hollow) Unwrap() registry.Tool { return nil }

func returning(res *registry.Result, err error) func(context.Context, json.RawMessage) (*registry.Result, error) {
	return func(context.Context, json.RawMessage) (*registry.Result, error) { return res, err }
}

func TestSuiteFindsWhatIsWrong(t *testing.T) {
	n := 0
	changing := func(texts ...string) func() string {
		return func() string { n++; return texts[n%len(texts)] }
	}
	always := func(s string) func() string { return func() string { return s } }
	yes := true
	closed := 0
	release := make(chan struct{})
	defer close(release)
	for _, c := range []struct {
		about string
		tool  registry.Tool
		want  string
	}{
		{"no tool", nil, "the tool is nil"},
		{"a sound one", &odd{}, ""},
		{"a name with a space", &odd{name: always("a b")}, `what it says: the name "a b" has ' '`},
		{"a name that changes", &odd{name: changing("a", "b")}, "Name changed"},
		{"a description that changes", &odd{description: changing("a", "b")}, "Description changed"},
		{"no description", &odd{description: always(" ")}, "the description is empty"},
		{"a schema that changes", &odd{params: changing(`{"type":"object","title":"a"}`, `{"title":"a","type":"object"}`)}, "Parameters changed"},
		{"a schema that is not JSON", &odd{params: always(`{`)}, "Parameters are not valid JSON"},
		{"a schema that refers elsewhere", &odd{params: always(`{"type":"object","properties":{"a":{"$ref":"https://example.com/s"}}}`)}, "a schema must stand on its own"},
		{"a name that panics", &odd{name: func() string { panic("boom") }}, "what it says: panicked: boom"},
		{"a circle of wrappers", &circle{&odd{}}, "the chain of Unwrap does not end"},
		{"a hollow wrapper", hollow{&odd{}}, "Unwrap returned nil"},
		{"effects of another risk", &odd{info: registry.Info{Effects: registry.EffectRead}}, `the effects "read" are of risk read, but Risk is write`},
		{"a read-only writer", &odd{info: registry.Info{Annotations: &registry.Annotations{ReadOnly: &yes}}}, "annotated as read-only"},
		{"an unknown kind", &odd{info: registry.Info{Kind: "dance"}}, `the kind "dance" is unknown`},
		{"a negative timeout", &odd{info: registry.Info{Timeout: -1}}, "is negative"},
		{"an example that is no call", &odd{info: registry.Info{Examples: []registry.Example{{Args: json.RawMessage(`{"a":"x"}`)}}}}, "example 1"},
		{"a panic", &odd{run: func(context.Context, json.RawMessage) (*registry.Result, error) { panic("boom") }}, "outside a door: Execute panicked: boom"},
		{"a tool that fails", &odd{run: returning(nil, errors.New("no"))}, `a call: the call {"a":1} came out as`},
		{"an unknown block", &odd{run: returning(&registry.Result{Content: []registry.Block{{Type: "sound"}}}, nil)}, `has the type "sound"`},
		{"text that is not UTF-8", &odd{run: returning(registry.Text("\xff"), nil)}, "not UTF-8"},
		{"JSON that is none", &odd{run: returning(&registry.Result{Content: []registry.Block{{Type: "json", JSON: json.RawMessage(`{`)}}}, nil)}, "JSON that is not valid"},
		{"an empty image", &odd{run: returning(&registry.Result{Content: []registry.Block{{Type: "image"}}}, nil)}, "needs either data or a URL"},
		{"an image of text", &odd{run: returning(&registry.Result{Content: []registry.Block{{Type: "image", Data: []byte("x"), MIMEType: "text/plain"}}}, nil)}, "expected image/…"},
		{"structured content that is none", &odd{run: returning(&registry.Result{Structured: json.RawMessage(`{`)}, nil)}, "structured content is not valid JSON"},
		{"structured content of another form", &odd{info: registry.Info{OutputSchema: json.RawMessage(`{"type":"object"}`)},
			run: returning(&registry.Result{Structured: json.RawMessage(`[]`)}, nil)}, "breaks the output schema"},
		{"more effects than it tells", &odd{effects: func(json.RawMessage) registry.Effects { return registry.EffectRun }}, `has the effects "run"`},
		{"a footprint outside", &odd{print: registry.Footprint{Reads: []string{"/etc"}}}, `the footprint has the path "/etc"`},
		{"deaf to cancellation", &odd{run: func(ctx context.Context, _ json.RawMessage) (*registry.Result, error) {
			if ctx.Done() != nil && ctx.Err() == nil {
				select {
				case <-time.After(150 * time.Millisecond):
				case <-ctx.Done():
					<-release
				}
			}
			return registry.Text("ok"), nil
		}}, "still ran 300ms after its context had ended"},
		{"closed twice", &odd{close: func() error {
			if closed++; closed > 1 {
				return errors.New("closed already")
			}
			return nil
		}}, "closing it for the second time: closed already"},
	} {
		t.Run(c.about, func(t *testing.T) {
			if o, ok := c.tool.(*odd); ok && o.effects == nil {
				o.effects = func(json.RawMessage) registry.Effects { return registry.EffectRead }
			}
			err := registrytest.TestTool(c.tool, registrytest.Options{Args: json.RawMessage(`{"a":1}`), Patience: 300 * time.Millisecond})
			if c.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestSuiteWantsACall(t *testing.T) {
	assert.ErrorContains(t, registrytest.TestTool(registrytest.Add(), registrytest.Options{}), "set Options.Args or Options.SkipRun")
	assert.NoError(t, registrytest.TestTool(registrytest.Add(), registrytest.Options{SkipRun: true}))
}

func ExampleTestTool() {
	err := registrytest.TestTool(registrytest.Add(), registrytest.Options{Args: json.RawMessage(`{"x":2,"y":5}`)})
	fmt.Println(err)
	// Output: <nil>
}
