package registry_test

// TestLocode holds the registry against the acceptance cases of locode's tool
// contract; the first word of a subtest is its number there.
//
// Where this registry means to do something else:
//
//	L6      A typed tool is strict unless AllowUnknown is set.
//	L15     An outcome has no tool kind; KindOf tells that of an unknown name,
//	        which is other.
//	L16     A fatal error is an outcome like any other, with Failure.Fatal.
//	L17     An answer that cannot be encoded fails its call with kind other and
//	        is not fatal, as Rig's case C10 has it: other calls still work.
//	L22     The outcome has both: Sent to the byte, and Arguments as they took
//	        effect.
//	L30,    There are no separate records: every call has its outcome, and one
//	L33     that never started is skipped with the kind cancelled.
//	L33     The running call of a cancelled batch has the outcome cancelled, as
//	        Rig's case D16 has it; what it still returns is dropped.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/builtin"
	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

// tool makes a typed tool of a function.
func tool[Args, Out any](t testing.TB, o registry.TypedOptions, fn func(Args) (Out, error)) registry.Tool {
	t.Helper()
	if o.Name == "" {
		o.Name = "tool"
	}
	if o.Description == "" {
		o.Description = "d"
	}
	if o.Risk == 0 {
		o.Risk = registry.Read
	}
	made, err := registry.NewTool(o, func(_ context.Context, a Args) (Out, error) { return fn(a) })
	require.NoError(t, err)
	return made
}

type schemaView struct {
	Properties           map[string]map[string]any
	Required             []string
	AdditionalProperties any
}

func viewOf(t testing.TB, tool registry.Tool) schemaView {
	t.Helper()
	var v schemaView
	require.NoError(t, json.Unmarshal(tool.Parameters(), &v))
	return v
}

func TestLocode(t *testing.T) {
	locodeSchemas(t)
	locodeDoor(t)
	locodeCuts(t)
	locodeBatches(t)
}

func locodeSchemas(t *testing.T) {
	type one struct {
		Path string `json:"path"`
	}
	echo := func(a one) (string, error) { return a.Path, nil }
	t.Run("L1_a_required_string", func(t *testing.T) {
		v := viewOf(t, tool(t, registry.TypedOptions{}, echo))
		assert.Equal(t, "string", v.Properties["path"]["type"])
		assert.Equal(t, []string{"path"}, v.Required)
	})
	t.Run("L2_a_default", func(t *testing.T) {
		type args struct {
			Limit int `json:"limit" default:"7"`
		}
		made := tool(t, registry.TypedOptions{}, func(a args) (int, error) { return a.Limit, nil })
		assert.Empty(t, viewOf(t, made).Required)
		assert.Equal(t, "7", alone(t, made, `{}`).Text)
	})
	t.Run("L3_no_references", func(t *testing.T) {
		type inner struct {
			Mode string `json:"mode" enum:"a,b"`
		}
		type args struct {
			One inner   `json:"one"`
			Two []inner `json:"two"`
		}
		schema := string(tool(t, registry.TypedOptions{}, func(args) (string, error) { return "", nil }).Parameters())
		assert.NotContains(t, schema, "$ref")
		assert.NotContains(t, schema, "$defs")
		assert.Equal(t, 2, strings.Count(schema, `"enum"`))
	})
	t.Run("L4_wire_names", func(t *testing.T) {
		type args struct {
			After  int    `json:"-A,"`
			Target string `json:"target_file"`
		}
		made := tool(t, registry.TypedOptions{}, func(a args) (string, error) { return fmt.Sprint(a.After, a.Target), nil })
		v := viewOf(t, made)
		assert.Len(t, v.Properties, 2)
		assert.Contains(t, v.Properties, "-A")
		assert.Contains(t, v.Properties, "target_file")
		assert.Equal(t, "3x", alone(t, made, `{"-A":3,"target_file":"x"}`).Text)
		assert.Equal(t, registry.KindInvalidArgs, alone(t, made, `{"After":3,"Target":"x"}`).Failure.Kind)
	})
	t.Run("L5_hidden_and_ignored_fields", func(t *testing.T) {
		type args struct {
			Mode  string `json:"mode" hidden:"true"`
			Pages string `json:"pages,omitempty"` // nobody reads it
		}
		made := tool(t, registry.TypedOptions{}, func(a args) (string, error) { return "mode " + a.Mode, nil })
		v := viewOf(t, made)
		assert.NotContains(t, v.Properties, "mode")
		assert.Contains(t, v.Properties, "pages")
		assert.Equal(t, "mode fast", alone(t, made, `{"mode":"fast","pages":"1-3"}`).Text)
		assert.Equal(t, "mode ", alone(t, made, `{}`).Text)
	})
	t.Run("L6_strict_and_lenient", func(t *testing.T) {
		strict := tool(t, registry.TypedOptions{}, echo)
		assert.Equal(t, false, viewOf(t, strict).AdditionalProperties)
		assert.Equal(t, registry.KindInvalidArgs, alone(t, strict, `{"path":"a","x":1}`).Failure.Kind)
		lenient := tool(t, registry.TypedOptions{AllowUnknown: true}, echo)
		assert.Equal(t, "a", alone(t, lenient, `{"path":"a","x":1}`).Text)
	})
	t.Run("L7_no_coercion", func(t *testing.T) {
		type args struct {
			All     bool `json:"replace_all,omitempty"`
			Timeout int  `json:"timeout,omitempty"`
		}
		made := tool(t, registry.TypedOptions{}, func(args) (string, error) { return "", nil })
		for _, raw := range []string{`{"replace_all":"true"}`, `{"timeout":"5"}`, `{"timeout":5.5}`} {
			assert.Equal(t, registry.KindInvalidArgs, alone(t, made, raw).Failure.Kind, raw)
		}
	})
	t.Run("L8_kinds", func(t *testing.T) {
		for _, k := range []registry.ToolKind{registry.KindShell, registry.KindRead, registry.KindWrite, registry.KindEdit, registry.KindGlob, registry.KindGrep, registry.KindOtherTool} {
			assert.Equal(t, k, registry.ParseToolKind(string(k)))
			data, err := json.Marshal(k)
			require.NoError(t, err)
			assert.Equal(t, `"`+string(k)+`"`, string(data))
			var back registry.ToolKind
			require.NoError(t, json.Unmarshal(data, &back))
			assert.Equal(t, k, back)
		}
		var k registry.ToolKind
		require.NoError(t, json.Unmarshal([]byte(`"dance"`), &k))
		assert.Equal(t, registry.KindOtherTool, k)
	})
	const grammar = "start: \"a\"+\n// \"quoted\" \\ and ünï\n"
	freeform := func() registry.Tool {
		return tool(t, registry.TypedOptions{Name: "patch", Info: registry.Info{InputFormat: &registry.InputFormat{Syntax: registry.SyntaxLark, Definition: grammar}}},
			func(text string) (string, error) { return text, nil })
	}
	t.Run("L9_specs", func(t *testing.T) {
		specs := registry.Specs(filled(t, &fake{name: "json", description: "d"}, freeform()).Snapshot())
		data, err := json.Marshal(specs[0])
		require.NoError(t, err)
		assert.Equal(t, `{"name":"json","description":"d","input":{"type":"json_schema","parameters":{"type":"object","properties":{}}}}`, string(data))
		data, err = json.Marshal(specs[1])
		require.NoError(t, err)
		var back registry.Spec
		require.NoError(t, json.Unmarshal(data, &back))
		assert.Equal(t, registry.SpecInput{Type: "freeform", Syntax: "lark", Definition: grammar}, back.Input)
	})
	text := "*** Begin\n{\"not\": \"json\"}\t\\ ünï\n"
	t.Run("L10_freeform_text", func(t *testing.T) {
		raw, err := json.Marshal(text)
		require.NoError(t, err)
		assert.Equal(t, text, alone(t, freeform(), string(raw)).Text)
	})
	t.Run("L11_freeform_text_in_an_object", func(t *testing.T) {
		raw, err := json.Marshal(map[string]string{"input": text})
		require.NoError(t, err)
		assert.Equal(t, text, alone(t, freeform(), string(raw)).Text)
	})
	t.Run("L12_descriptions_and_schemas_to_the_byte", func(t *testing.T) {
		long := strings.Repeat("A description of some length, with ünï and \"quotes\".\n", 40)
		assert.Equal(t, long, registry.Specs(filled(t, &fake{name: "t", description: long}).Snapshot())[0].Description)

		r := registry.New()
		require.NoError(t, builtin.Register(r, builtin.Options{Root: t.TempDir()}))
		got, err := json.MarshalIndent(registry.Specs(r.Snapshot()), "", "  ")
		require.NoError(t, err)
		const file = "testdata/builtin-specs.json"
		if os.Getenv("UPDATE_GOLDEN") != "" {
			require.NoError(t, os.WriteFile(file, append(got, '\n'), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got)+"\n", "what models see of the built-in tools changed: look at it, and run with UPDATE_GOLDEN=1")
	})
}

func locodeDoor(t *testing.T) {
	type args struct {
		Text string `json:"text"`
	}
	t.Run("L13_two_faces", func(t *testing.T) {
		res := registry.Text("two words")
		res.Structured = json.RawMessage(`{"words":2}`)
		o := alone(t, &fake{name: "t", run: gives(res, nil)}, "")
		assert.Equal(t, "two words", o.Text)
		assert.False(t, o.IsError)
		assert.Equal(t, registry.StatusSuccess, o.Status)
		assert.Equal(t, `{"words":2}`, string(o.Structured))
	})
	t.Run("L14_a_missing_argument", func(t *testing.T) {
		ran := false
		o := alone(t, tool(t, registry.TypedOptions{}, func(args) (string, error) { ran = true; return "", nil }), `{}`)
		assert.True(t, o.IsError)
		assert.True(t, strings.HasPrefix(o.Text, "invalid arguments:"), o.Text)
		assert.False(t, o.Failure.Fatal)
		assert.False(t, ran)
	})
	t.Run("L15_an_unknown_name", func(t *testing.T) {
		r := registry.New()
		o := ask(registry.NewDoor(r, nil), "x", "")
		assert.Equal(t, "unknown tool: x", o.Text)
		assert.True(t, o.IsError)
		assert.False(t, o.Failure.Fatal)
		kind, _ := r.Snapshot().KindOf("x")
		assert.Equal(t, registry.KindOtherTool, kind)
	})
	fatal := &fake{name: "fatal", run: gives(nil, &registry.Failure{Kind: registry.KindOther, Message: "the disk is gone", Fatal: true})}
	t.Run("L16_a_fatal_error", func(t *testing.T) {
		o := doorTo(t, nil, fatal).Call(context.Background(), request{ID: "7", Tool: "fatal"})
		assert.Equal(t, "7", o.CallID)
		assert.True(t, o.IsError)
		assert.True(t, o.Failure.Fatal)
		assert.Equal(t, "the disk is gone", o.Failure.Message)
	})
	t.Run("L17_an_answer_that_cannot_be_encoded", func(t *testing.T) {
		o := alone(t, tool(t, registry.TypedOptions{}, func(struct{}) (chan int, error) { return make(chan int), nil }), "")
		assert.True(t, o.IsError)
		assert.Equal(t, registry.KindOther, o.Failure.Kind)
		assert.NotEmpty(t, o.Content)
	})
	t.Run("L18_a_name_twice", func(t *testing.T) {
		err := registry.New().Register("", fakes("x", "x")...)
		assert.ErrorContains(t, err, `"x"`)
		assert.PanicsWithError(t, err.Error(), func() { registry.New().MustRegister("", fakes("x", "x")...) })
	})
	t.Run("L19_a_tool_without_static_arguments", func(t *testing.T) {
		r := filled(t, plain{})
		assert.Equal(t, `{"any":1}`, ask(registry.NewDoor(r, nil), "plain", `{"any":1}`).Text)
		kind, ok := r.Snapshot().KindOf("plain")
		assert.True(t, ok)
		assert.Equal(t, registry.KindOtherTool, kind)
	})
	t.Run("L20_kind_of_a_name", func(t *testing.T) {
		s := filled(t, &fake{name: "sh", info: registry.Info{Kind: registry.KindShell}}).Snapshot()
		kind, ok := s.KindOf("sh")
		assert.True(t, ok)
		assert.Equal(t, registry.KindShell, kind)
		_, ok = s.KindOf("nope")
		assert.False(t, ok)
	})
	t.Run("L21_the_id_comes_back", func(t *testing.T) {
		d := doorTo(t, nil, fatal, registrytest.StringOutput(), registrytest.Failing(registry.KindOther))
		for _, name := range []string{"string_output", "flaky_tool", "fatal", "unknown"} {
			assert.Equal(t, "the-id", d.Call(context.Background(), request{ID: "the-id", Tool: name}).CallID)
		}
	})
	t.Run("L22_the_raw_arguments", func(t *testing.T) {
		for _, raw := range []string{` { "text" : "a" } `, `{"text":1}`, `{"text":`, ``} {
			o := alone(t, tool(t, registry.TypedOptions{}, func(a args) (string, error) { return a.Text, nil }), raw)
			assert.Equal(t, raw, string(o.Sent))
		}
		o := ask(doorTo(t, nil), "unknown", `{ }`)
		assert.Equal(t, `{ }`, string(o.Sent))
	})
	t.Run("L23_the_same_order_in_two_processes", func(t *testing.T) {
		var seen []string
		for range 2 {
			cmd := exec.Command(os.Args[0], "-test.run=^TestPrintSpecs$")
			cmd.Env = append(os.Environ(), "PRINT_SPECS=1")
			out, err := cmd.Output()
			require.NoError(t, err)
			text, _, _ := strings.Cut(string(out), "]\n")
			seen = append(seen, text)
		}
		assert.Contains(t, seen[0], "tool_31")
		assert.Equal(t, seen[0], seen[1])
	})
}

// plain is a tool with nothing but the contract.
type plain struct{}

func (plain) Name() string                { return "plain" }
func (plain) Description() string         { return "d" }
func (plain) Parameters() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }
func (plain) Risk() registry.Risk         { return registry.Read }
func (plain) Execute(_ context.Context, args json.RawMessage) (*result, error) {
	return registry.Text(string(args)), nil
}

// TestPrintSpecs is the other process of L23.
func TestPrintSpecs(t *testing.T) {
	if os.Getenv("PRINT_SPECS") == "" {
		return
	}
	r := registry.New()
	for i := range 32 {
		require.NoError(t, r.Register("", &fake{name: fmt.Sprintf("tool_%02d", i)}))
	}
	data, err := json.Marshal(registry.Specs(r.Snapshot()))
	require.NoError(t, err)
	fmt.Println(string(data))
}

func locodeCuts(t *testing.T) {
	t.Run("L24_at_the_limit_and_one_over", func(t *testing.T) {
		of := func(n int) *outcome {
			return alone(t, &fake{name: "t", run: gives(registry.Text(strings.Repeat("h", n/2)+strings.Repeat("t", n-n/2)), nil)}, "")
		}
		o := of(30_000)
		assert.Len(t, o.Text, 30_000)
		assert.False(t, o.Truncated)
		o = of(30_001)
		assert.True(t, o.Truncated)
		assert.LessOrEqual(t, len(o.Text), 30_000)
		head, rest, _ := strings.Cut(o.Text, "\n")
		mark, tail, _ := strings.Cut(rest, "\n")
		assert.Equal(t, fmt.Sprintf("[… %d bytes removed …]", 30_001-len(head)-len(tail)), mark)
		assert.Equal(t, head, strings.Repeat("h", len(head)))
		assert.Equal(t, tail, strings.Repeat("t", len(tail)))
	})
	t.Run("L25_the_text_of_an_error", func(t *testing.T) {
		o := alone(t, &fake{name: "t", run: gives(nil, errors.New(strings.Repeat("e", 100_000)))}, "")
		assert.True(t, o.Truncated)
		assert.LessOrEqual(t, len(o.Text), 30_000)
		assert.Contains(t, o.Text, "bytes removed")
	})
	t.Run("L26_whole_characters", func(t *testing.T) {
		for limit := 1000; limit < 1010; limit++ {
			d := doorTo(t, &registry.DoorOptions{TextLimit: limit}, &fake{name: "t", run: gives(registry.Text(strings.Repeat("€", 10_000)), nil)})
			o := ask(d, "t", "")
			assert.True(t, utf8.ValidString(o.Text))
			assert.True(t, strings.HasPrefix(o.Text, "€"))
			assert.True(t, strings.HasSuffix(o.Text, "€"))
			assert.NotContains(t, o.Text, "\uFFFD")
		}
	})
	t.Run("L27_structured_output_is_not_cut", func(t *testing.T) {
		data := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
		o := alone(t, &fake{name: "t", run: gives(&result{Structured: data}, nil)}, "")
		assert.Equal(t, data, o.Structured)
		assert.True(t, o.StructuredOmitted, "and marked, for models")
	})
	t.Run("L28_cutting_again_changes_nothing", func(t *testing.T) {
		once := alone(t, &fake{name: "t", run: gives(registry.Text(strings.Repeat("line ü\n", 10_000)), nil)}, "").Text
		again := alone(t, &fake{name: "t", run: gives(registry.Text(once), nil)}, "")
		assert.Equal(t, once, again.Text)
		assert.False(t, again.Truncated)
	})
}

func locodeBatches(t *testing.T) {
	t.Run("L29_three_calls", func(t *testing.T) {
		list := batch(doorTo(t, nil, registrytest.Add()), 1, `add {"x":1,"y":0}`, `add {"x":2,"y":0}`, `add {"x":3,"y":0}`)
		assert.Equal(t, []string{"1", "2", "3"}, texts(list))
		for i, o := range list {
			assert.Equal(t, fmt.Sprint("id", i), o.CallID)
		}
	})
	t.Run("L30_a_fatal_call", func(t *testing.T) {
		fatal := &fake{name: "fatal", run: gives(nil, &registry.Failure{Kind: registry.KindOther, Message: "gone", Fatal: true})}
		list := batch(doorTo(t, nil, fatal, registrytest.StringOutput()), 1, "string_output", "fatal", "string_output")
		assert.Equal(t, registry.StatusSuccess, list[0].Status)
		assert.True(t, list[1].Failure.Fatal)
		assert.Equal(t, registry.StatusSkipped, list[2].Status)
		assert.Contains(t, list[2].Text, "not executed")
	})
	asking := func(t *testing.T, gate registry.Gate) *registry.DoorOptions {
		p, err := registry.NewPolicy(registry.PolicyOptions{Defaults: map[registry.Risk]registry.Action{registry.Read: registry.Ask}})
		require.NoError(t, err)
		return &registry.DoorOptions{Policy: p, Gate: gate}
	}
	t.Run("L31_deny_one_allow_the_other", func(t *testing.T) {
		gate := registry.GateFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
			time.Sleep(2 * time.Millisecond)
			return registry.Answer{ID: q.ID, Allow: q.CallID == "id1", Reason: "no"}, nil
		})
		list := batch(doorTo(t, asking(t, gate), registrytest.StringOutput()), 1, "string_output", "string_output")
		assert.Equal(t, []string{"tool call denied: no", "Hello\nWorld"}, texts(list))
		assert.Equal(t, registry.StatusSkipped, list[0].Status)
		assert.Equal(t, "no", list[0].Consent.Reason)
		assert.False(t, list[0].Consent.Allowed)
		assert.True(t, list[1].Consent.Allowed)
		for _, o := range list {
			assert.True(t, o.Consent.Asked)
			assert.GreaterOrEqual(t, o.Consent.Wait, 2*time.Millisecond)
			assert.Positive(t, o.Consent.WaitedMS)
		}
	})
	t.Run("L32_who_allows_everything_changes_nothing", func(t *testing.T) {
		calls := []string{`add {"x":1,"y":2}`, `add {"x":"a"}`, "nope"}
		without := batch(doorTo(t, nil, registrytest.Add()), 1, calls...)
		with := batch(doorTo(t, asking(t, registry.AllowAll), registrytest.Add()), 1, calls...)
		assert.Equal(t, texts(without), texts(with))
		for i := range with {
			assert.Equal(t, without[i].Status, with[i].Status)
			assert.Equal(t, without[i].Content, with[i].Content)
		}
	})
	t.Run("L33_cancel_while_a_call_runs", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		asked := 0
		gate := registry.GateFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
			asked++
			return registry.Answer{ID: q.ID, Allow: true}, nil
		})
		d := doorTo(t, asking(t, gate), &fake{name: "t", run: func(ctx context.Context, _ json.RawMessage) (*result, error) {
			cancel()
			<-ctx.Done()
			return registry.Text("I stopped"), nil
		}})
		list := d.Batch(ctx, turn("t", "t", "t"), nil)
		assert.Equal(t, registry.StatusError, list[0].Status)
		assert.Equal(t, registry.KindCancelled, list[0].Failure.Kind)
		for _, o := range list[1:] {
			assert.Equal(t, registry.StatusSkipped, o.Status)
			assert.Equal(t, registry.KindCancelled, o.Failure.Kind)
			assert.Nil(t, o.Consent)
			assert.Equal(t, "not executed: the batch was cancelled", o.Text)
		}
		assert.Equal(t, 1, asked)
	})
	t.Run("L38_side_by_side", func(t *testing.T) {
		g := newGated()
		var mu sync.Mutex
		var asked []string
		ran := false
		gate := registry.GateFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, q.CallID)
			assert.False(t, ran, "every approval comes before the first run")
			return registry.Answer{ID: q.ID, Allow: true}, nil
		})
		run := func(ctx context.Context, args json.RawMessage) (*result, error) {
			mu.Lock()
			ran = true
			mu.Unlock()
			return g.run(ctx, args)
		}
		edit := &printed{&fake{name: "edit", run: run, info: registry.Info{Kind: registry.KindEdit}}, func(args json.RawMessage) registry.Footprint {
			var a struct{ Path string }
			_ = json.Unmarshal(args, &a)
			return registry.Footprint{Writes: []string{a.Path}}
		}}
		read := &fake{name: "read", run: run, info: registry.Info{Kind: registry.KindRead}}
		shell := &fake{name: "shell", run: run, info: registry.Info{Kind: registry.KindShell}}
		other := &fake{name: "other", run: run}
		d := doorTo(t, asking(t, gate), edit, read, shell, other)
		//                         0      1       2                    3                    4                    5        6
		done := background(d, 8, "read", "read", `edit {"path":"a"}`, `edit {"path":"a"}`, `edit {"path":"b"}`, "shell", "other")
		assert.True(t, g.await("id0"))
		assert.True(t, g.await("id1"), "two reads overlap")
		assert.True(t, g.idle("id2"))
		g.let("id0")
		g.let("id1")
		assert.True(t, g.await("id2"))
		assert.True(t, g.await("id4"), "edits of two paths overlap")
		assert.True(t, g.idle("id3"))
		g.let("id4")
		g.let("id2")
		assert.True(t, g.await("id3"), "edits of one path come in order")
		assert.True(t, g.idle("id5"))
		g.let("id3")
		assert.True(t, g.await("id5"))
		assert.True(t, g.idle("id6"), "shell runs alone")
		g.let("id5")
		assert.True(t, g.await("id6"))
		g.let("id6")
		for i, o := range <-done {
			assert.Equal(t, fmt.Sprintf("ran id%d", i), o.Text)
		}
		assert.Equal(t, []string{"id0", "id1", "id2", "id3", "id4", "id5", "id6"}, asked)
	})
}
