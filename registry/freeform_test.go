package registry

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const larkGrammar = "start: WORD+ \"<\"\nWORD: /\\w+/\n"

// freeform makes a door to a freeform tool that echoes its text.
func freeform(t testing.TB, syntax Syntax, definition string) *Door {
	t.Helper()
	o := TypedOptions{Description: "applies", Info: Info{InputFormat: &InputFormat{Syntax: syntax, Definition: definition}}}
	return typed(t, o, func(_ context.Context, text string) (string, error) { return text, nil })
}

func TestAFreeformToolGetsTheTextExactly(t *testing.T) {
	d := freeform(t, SyntaxLark, larkGrammar)
	for _, text := range []string{"", " ", "hello", "é\n\t\"q\" \\ \u2028 <&>", `{"input":"inner"}`, `{}`, `null`, `"quoted"`, "[1]"} {
		raw := quote(text)
		out := call(d, raw)
		require.Equal(t, StatusSuccess, out.Status, out.Text)
		assert.Equal(t, text, out.Text, "as text")
		out = call(d, `{"input":`+raw+`}`)
		require.Equal(t, StatusSuccess, out.Status, out.Text)
		assert.Equal(t, text, out.Text, "degraded")
		assert.JSONEq(t, `{"input":`+raw+`}`, string(out.Arguments))
	}
}

func TestAFreeformToolRefusesWhatHoldsNoText(t *testing.T) {
	d := freeform(t, SyntaxLark, larkGrammar)
	for in, want := range map[string]string{
		``:                      "input",
		`null`:                  "input",
		`{}`:                    "input",
		`{"input":1}`:           "input: expected a string, got 1",
		`{"input":"a","x":1}`:   `unknown argument "x"`,
		`[1]`:                   "expected a JSON object, got an array of 1 item",
		`*** Begin Patch`:       "not valid JSON",
		`{"input":"a"} trailer`: "not valid JSON",
	} {
		out := call(d, in)
		require.NotNil(t, out.Failure, in)
		assert.Equal(t, KindInvalidArgs, out.Failure.Kind, in)
		assert.Contains(t, out.Text, want, in)
	}
}

func TestARegularExpressionIsEnforcedOnTheWholeText(t *testing.T) {
	d := freeform(t, SyntaxRegex, `a|ab+|\d{4}-\d{2}`)
	for _, ok := range []string{"a", "abb", "2026-11"} {
		assert.Equal(t, ok, call(d, quote(ok)).Text)
		assert.Equal(t, ok, call(d, `{"input":`+quote(ok)+`}`).Text)
	}
	for _, bad := range []string{"", "ac", "xa", "a\n", "2026-11-01"} {
		out := call(d, quote(bad))
		require.NotNil(t, out.Failure, bad)
		assert.Equal(t, KindInvalidArgs, out.Failure.Kind)
		assert.Equal(t, `invalid arguments: input: expected text that matches, as a whole, the pattern "a|ab+|\\d{4}-\\d{2}", got `+quote(bad), out.Text)
	}
}

func TestASlowRegularExpressionIsGivenUp(t *testing.T) {
	out := call(freeform(t, SyntaxRegex, `(a+)+b`), quote(strings.Repeat("a", 60)))
	require.NotNil(t, out.Failure)
	assert.Equal(t, KindInvalidArgs, out.Failure.Kind)
	assert.Contains(t, out.Text, "can be matched with in 100ms")
}

func TestAnInputFormatIsCheckedAtRegistration(t *testing.T) {
	params := string(FreeformParameters("the patch"))
	for name, c := range map[string]struct {
		params string
		format InputFormat
		want   string
	}{
		"syntax":       {params, InputFormat{Syntax: "ebnf", Definition: "x"}, `the syntax is "ebnf"`},
		"empty":        {params, InputFormat{Syntax: SyntaxLark}, "the definition is empty"},
		"regex":        {params, InputFormat{Syntax: SyntaxRegex, Definition: "("}, "cannot be compiled"},
		"unbalanced":   {params, InputFormat{Syntax: SyntaxRegex, Definition: "a)|(?:b"}, "cannot be compiled"},
		"parameters":   {`{"type":"object","properties":{"text":{"type":"string"}}}`, InputFormat{Syntax: SyntaxLark, Definition: "x"}, "FreeformParameters"},
		"parameters 2": {`{"type":"object"}`, InputFormat{Syntax: SyntaxLark, Definition: "x"}, "FreeformParameters"},
	} {
		t.Run(name, func(t *testing.T) {
			err := New().Register("", &fakeTool{name: "tool", params: c.params, info: Info{InputFormat: &c.format}})
			var invalid *InvalidToolError
			require.ErrorAs(t, err, &invalid)
			assert.Equal(t, RuleInputFormat, invalid.Rule)
			assert.ErrorContains(t, err, c.want)
		})
	}
	_, err := NewTool(TypedOptions{Name: "tool", Risk: Read, Info: Info{InputFormat: &InputFormat{Syntax: SyntaxLark, Definition: "x"}}},
		func(context.Context, struct{}) (string, error) { return "", nil })
	assert.ErrorContains(t, err, "takes a string")
}

func TestSpecsSayHowAToolTakesItsInput(t *testing.T) {
	r := New()
	require.NoError(t, r.Register("", &fakeTool{name: "plain"}))
	require.NoError(t, r.Register("", MustTool(TypedOptions{Name: "patch", Description: "applies <a> patch", Risk: Write,
		Info: Info{InputFormat: &InputFormat{Syntax: SyntaxLark, Definition: larkGrammar}}},
		func(_ context.Context, text string) (string, error) { return text, nil })))
	raw, err := compactJSON(Specs(r.Snapshot()))
	require.NoError(t, err)
	assert.Equal(t, `[{"name":"plain","description":"does plain","input":{"type":"json_schema","parameters":{"type":"object","properties":{}}}},`+
		`{"name":"patch","description":"applies <a> patch","input":{"type":"freeform","syntax":"lark","definition":`+quote(larkGrammar)+`}}]`, string(raw))
	docs := Documents(r.Snapshot())
	assert.Equal(t, []Document{
		{ID: "plain", Text: "plain\ndoes plain\n" + `{"type":"object","properties":{}}`},
		{ID: "patch", Text: "patch\napplies <a> patch\nText in this Lark grammar:\n" + larkGrammar},
	}, docs)
}

// chameleon changes everything it says once it is registered.
type chameleon struct {
	fakeTool
	changed bool
}

func (c *chameleon) Name() string {
	if c.changed {
		return "other"
	}
	return "tool"
}

func (c *chameleon) Description() string {
	if c.changed {
		panic("gone")
	}
	return "first"
}

func TestASnapshotShowsWhatAToolSaidAtRegistration(t *testing.T) {
	c := &chameleon{}
	r := New()
	require.NoError(t, r.Register("", c))
	c.changed = true
	e := r.Snapshot().Tools()[0]
	assert.Equal(t, "tool", e.Name())
	assert.Equal(t, "first", e.Description())
	assert.Equal(t, "tool", Specs(r.Snapshot())[0].Name)
	assert.Equal(t, "tool", Documents(r.Snapshot())[0].ID)
}

func TestAnnotationsAreDerivedWhereTheToolLeavesThemOpen(t *testing.T) {
	yes, no := true, false
	annotations := func(risk Risk, own *Annotations) Annotations {
		r := New()
		require.NoError(t, r.Register("", &fakeTool{name: "tool", risk: risk, info: Info{Annotations: own}}))
		return AnnotationsOf(r.Snapshot().Tools()[0])
	}
	assert.Equal(t, Annotations{ReadOnly: &yes, OpenWorld: &no}, annotations(Read, nil))
	assert.Equal(t, Annotations{Destructive: &no, OpenWorld: &no}, annotations(Write, nil))
	assert.Equal(t, Annotations{OpenWorld: &yes}, annotations(Network, nil))
	assert.Equal(t, Annotations{Destructive: &yes, OpenWorld: &yes}, annotations(Destructive, nil))
	assert.Equal(t, Annotations{ReadOnly: &yes, Idempotent: &yes, OpenWorld: &yes},
		annotations(Network, &Annotations{ReadOnly: &yes, Idempotent: &yes}))
}

func FuzzFreeform(f *testing.F) {
	for _, s := range []string{`"a"`, `{"input":"a"}`, `"{\"input\":\"x\"}"`, ``, `null`, `{"input":1}`, "\"\xff\"", `"\ud800"`, "raw"} {
		f.Add([]byte(s))
	}
	format, err := compileFormat(&InputFormat{Syntax: SyntaxRegex, Definition: `[\s\S]*`}, FreeformParameters(""))
	require.NoError(f, err)
	args, err := compileArgs(FreeformParameters(""))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := normaliseFor(format, raw)
		if err != nil {
			require.ErrorContains(t, err, "invalid arguments: ")
			return
		}
		require.True(t, json.Valid([]byte(doc.text)), doc.text)
		var s string
		isText := json.Unmarshal(raw, &s) == nil && !isBlank(string(raw)) && raw[skipSpace(string(raw), 0)] == '"'
		if err := args.check(&doc); err != nil {
			require.False(t, isText, "text is always taken")
			return
		}
		var got struct{ Input string }
		require.NoError(t, json.Unmarshal([]byte(doc.text), &got))
		if isText && utf8.Valid(raw) {
			require.Equal(t, s, got.Input)
		}
		again, err := normaliseFor(format, json.RawMessage(doc.text))
		require.NoError(t, err)
		require.Equal(t, doc.text, again.text, "idempotent")
	})
}
