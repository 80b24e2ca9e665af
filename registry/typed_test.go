package registry

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type fileFilter struct {
	Glob  string   `json:"glob" description:"which files" min:"1"`
	Kinds []string `json:"kinds,omitempty" enum:"go, md" max:"2"`
}

type paging struct {
	Limit int `json:"limit" min:"1" max:"50" default:"20"`
}

type searchArgs struct {
	Query  string            `json:"query" description:"what to find, e.g. <b>" pattern:"^\\S+"`
	Mode   string            `json:"mode" enum:"exact,fuzzy" default:"exact"`
	Filter fileFilter        `json:"filter,omitzero"`
	Also   []fileFilter      `json:"also,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	paging
	Since   *time.Time      `json:"since"`
	Wait    Duration        `json:"wait" default:"5s"`
	Ratio   *float64        `json:"ratio"`
	Extra   json.RawMessage `json:"extra,omitempty"`
	Data    []byte          `json:"data,omitempty"`
	Case    bool            `json:"-i,omitempty"`
	Tuning  string          `json:"tuning" hidden:"true" default:"auto"`
	private int
}

// typed makes a door to a typed tool called "tool".
func typed[Args, Out any](t testing.TB, o TypedOptions, fn func(context.Context, Args) (Out, error)) *Door {
	t.Helper()
	o.Name = "tool"
	if o.Risk == 0 {
		o.Risk = Read
	}
	tool, err := NewTool(o, fn)
	require.NoError(t, err)
	r := New()
	require.NoError(t, r.Register("", tool))
	return NewDoor(r, nil)
}

// answering is a tool without arguments that answers v.
func answering[Out any](t testing.TB, v Out) *Outcome {
	return call(typed(t, TypedOptions{}, func(context.Context, struct{}) (Out, error) { return v, nil }), "")
}

// got is a tool that answers the arguments as it got them.
func got[Args any](t testing.TB, o TypedOptions, args string) (Args, *Outcome) {
	var seen Args
	out := call(typed(t, o, func(_ context.Context, a Args) (string, error) { seen = a; return "ok", nil }), args)
	return seen, out
}

func TestASchemaFollowsFromTheFieldsAndTheirTags(t *testing.T) {
	tool := MustTool(TypedOptions{Name: "search", Risk: Read}, func(context.Context, searchArgs) (string, error) { return "", nil })
	assert.Equal(t, strings.Join([]string{
		`{"type":"object","properties":{`,
		`"query":{"type":"string","description":"what to find, e.g. <b>","pattern":"^\\S+"},`,
		`"mode":{"type":"string","default":"exact","enum":["exact","fuzzy"]},`,
		`"filter":{"type":"object","properties":{"glob":{"type":"string","description":"which files","minLength":1},`,
		`"kinds":{"type":"array","items":{"type":"string","enum":["go","md"]},"maxItems":2}},"required":["glob"],"additionalProperties":false},`,
		`"also":{"type":"array","items":{"type":"object","properties":{"glob":{"type":"string","description":"which files","minLength":1},`,
		`"kinds":{"type":"array","items":{"type":"string","enum":["go","md"]},"maxItems":2}},"required":["glob"],"additionalProperties":false}},`,
		`"labels":{"type":"object","additionalProperties":{"type":"string"}},`,
		`"limit":{"type":"integer","default":20,"minimum":1,"maximum":50},`,
		`"since":{"type":"string","format":"date-time"},`,
		`"wait":{"type":"string","default":"5s"},`,
		`"ratio":{"type":"number"},`,
		`"extra":true,`,
		`"data":{"type":"string","contentEncoding":"base64"},`,
		`"-i":{"type":"boolean"}`,
		`},"required":["query"],"additionalProperties":false}`,
	}, ""), string(tool.Parameters()))
}

func TestTypedArgumentsArriveAsTheyWereSentWithDefaults(t *testing.T) {
	a, out := got[searchArgs](t, TypedOptions{}, `{"query":"é\n\"x\"","-i":true,"also":[{"glob":"*"}],"extra":{"n":12345678901234567890},"data":"aGk=","since":"2026-01-02T03:04:05Z","wait":"1h30m"}`)
	require.Equal(t, StatusSuccess, out.Status, out.Text)
	assert.Equal(t, "é\n\"x\"", a.Query)
	assert.True(t, a.Case)
	assert.Equal(t, "exact", a.Mode)
	assert.Equal(t, 20, a.Limit)
	assert.Equal(t, []fileFilter{{Glob: "*"}}, a.Also)
	assert.Equal(t, `{"n":12345678901234567890}`, string(a.Extra))
	assert.Equal(t, "hi", string(a.Data))
	assert.Equal(t, 2026, a.Since.Year())
	assert.Equal(t, Duration(90*time.Minute), a.Wait)
	assert.Equal(t, "auto", a.Tuning, "the default of a hidden argument")
	assert.Nil(t, a.Ratio)
	assert.Zero(t, a.private)
}

func TestAHiddenArgumentIsAcceptedAndValidatedButNotShown(t *testing.T) {
	a, out := got[searchArgs](t, TypedOptions{}, `{"query":"q","tuning":"fast"}`)
	require.Equal(t, StatusSuccess, out.Status, out.Text)
	assert.Equal(t, "fast", a.Tuning)
	_, out = got[searchArgs](t, TypedOptions{}, `{"query":"q","tuning":1}`)
	assert.Equal(t, "invalid arguments: tuning: expected a string, got 1", out.Text)
}

type wrapped struct{ Tool }

func (w wrapped) Unwrap() Tool { return w.Tool }

type narrowed struct{ wrapped }

func (narrowed) Parameters() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false}`)
}

func TestAWrapperKeepsHiddenArgumentsUnlessItShowsAnotherSchema(t *testing.T) {
	tool := MustTool(TypedOptions{Name: "tool", Risk: Read}, func(context.Context, searchArgs) (string, error) { return "ok", nil })
	for w, want := range map[Tool]Status{wrapped{tool}: StatusSuccess, narrowed{wrapped{tool}}: StatusError} {
		r := New()
		require.NoError(t, r.Register("", w))
		assert.Equal(t, want, call(NewDoor(r, nil), `{"query":"q","tuning":"fast"}`).Status)
	}
}

func TestALenientToolDropsUnknownArguments(t *testing.T) {
	type args struct {
		Name string `json:"name" enum:"a,b"`
	}
	_, out := got[args](t, TypedOptions{}, `{"name":"a","other":1}`)
	assert.Equal(t, KindInvalidArgs, out.Failure.Kind)
	assert.Contains(t, out.Text, `"other"`)
	a, out := got[args](t, TypedOptions{AllowUnknown: true}, `{"name":"a","other":1,"NAME":"c"}`)
	require.Equal(t, StatusSuccess, out.Status, out.Text)
	assert.Equal(t, "a", a.Name, "encoding/json would have taken NAME for name")
	tool := MustTool(TypedOptions{Name: "tool", Risk: Read, AllowUnknown: true}, func(context.Context, args) (string, error) { return "", nil })
	assert.NotContains(t, string(tool.Parameters()), "additionalProperties")
}

func TestTypedArgumentsAreNeverCoerced(t *testing.T) {
	type args struct {
		All   bool `json:"all,omitempty"`
		Count int8 `json:"count,omitempty"`
		Any   int  `json:"any,omitempty"`
	}
	for in, want := range map[string]string{
		`{"all":"true"}`: `all: expected true or false, got "true"`,
		`{"count":"5"}`:  `count: expected an integer, got "5"`,
		`{"count":500}`:  `count: expected an integer of at most 127, got 500`,
		`{"any":1e30}`:   `any: expected a value that fits int, got 1e30`,
		`{"all":null}`:   `all: expected true or false, got null`,
	} {
		_, out := got[args](t, TypedOptions{}, in)
		require.NotNil(t, out.Failure, in)
		assert.Equal(t, KindInvalidArgs, out.Failure.Kind, in)
		assert.Equal(t, "invalid arguments: "+want, out.Text, in)
	}
}

func TestAToolWithoutArgumentsTakesEveryWayToSayNone(t *testing.T) {
	d := typed(t, TypedOptions{}, func(context.Context, struct{}) (string, error) { return "Example answer", nil })
	for _, in := range []string{"", "null", "{}", `""`, `"{}"`} {
		assert.Equal(t, "Example answer", call(d, in).Text, in)
	}
	e, _ := d.registry.Snapshot().Lookup("tool")
	assert.Equal(t, `{"type":"object","properties":{},"additionalProperties":false}`, string(e.Parameters()))
}

type temperature float64

func (temperature) JSONSchema() json.RawMessage { return json.RawMessage(`{"type":"integer"}`) }

func (t *temperature) UnmarshalJSON(b []byte) error {
	var n float64
	err := json.Unmarshal(b, &n)
	*t = temperature(n + 0.5)
	return err
}

func TestATypeCanSayItsSchemaItself(t *testing.T) {
	type args struct {
		T temperature `json:"t" description:"degrees"`
	}
	a, out := got[args](t, TypedOptions{}, `{"t":20}`)
	require.Equal(t, StatusSuccess, out.Status, out.Text)
	assert.Equal(t, temperature(20.5), a.T)
}

type (
	node    struct{ Next *node }
	selfish struct{ A int }
	ID      string
	base    struct{ A int }
	hasIDs  struct{ ID }
)

func (*selfish) UnmarshalJSON([]byte) error { return nil }

func TestWhatCannotBeDerivedIsRefusedWithItsPlace(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"recursion": {tryArgs[struct{ Root node }](), "Root.Next: the type registry.node contains itself"},
		"channel":   {tryArgs[struct{ In struct{ C []chan int } }](), "In.C[]: chan int has no form in JSON"},
		"func": {tryArgs[struct {
			F func() `json:"f"`
		}](), "f: func() has no form in JSON"},
		"map key":   {tryArgs[struct{ M map[float64]int }](), "M: map[float64]int has keys of type float64"},
		"interface": {tryArgs[struct{ E error }](), "E: error is an interface with methods"},
		"duration":  {tryArgs[struct{ D time.Duration }](), "use registry.Duration"},
		"unmarshal": {tryArgs[struct{ S selfish }](), "S: registry.selfish reads JSON by itself"},
		"embedded":  {tryArgs[hasIDs](), "the embedded field ID is no struct: name the field"},
		"renamed": {tryArgs[struct {
			base `json:"b"`
		}](), "the embedded field base has a JSON name"},
		"twice": {tryArgs[struct {
			base
			B int `json:"A"`
		}](), `the fields A and B are both called "A" in JSON`},
		"string option": {tryArgs[struct {
			A int `json:",string"`
		}](), `the option "string"`},
		"enum": {tryArgs[struct {
			A int `enum:"1,two"`
		}](), `A: tag enum: "two" is not valid JSON`},
		"min": {tryArgs[struct {
			A string `min:"-1"`
		}](), `A: tag min: "-1" is not a length`},
		"max on any": {tryArgs[struct {
			A any `max:"1"`
		}](), "A: tag max: works on numbers, strings, lists and objects, not on a value of any type"},
		"pattern": {tryArgs[struct {
			A string `pattern:"("`
		}](), "parameters"},
		"pattern on int": {tryArgs[struct {
			A int `pattern:"x"`
		}](), "A: tag pattern: works on strings, not on type integer"},
		"default": {tryArgs[struct {
			A int `default:"60" max:"50"`
		}](), "the default 60 breaks its own schema"},
		"string": {tryArgs[string](), "expected a struct; a string needs Info.InputFormat"},
		"map":    {tryArgs[map[string]any](), "expected a struct, for the arguments of a tool are a JSON object"},
	} {
		t.Run(name, func(t *testing.T) { assert.ErrorContains(t, c.err, c.want) })
	}
}

func tryArgs[Args any]() error {
	_, err := NewTool(TypedOptions{Name: "tool", Risk: Read}, func(context.Context, Args) (string, error) { return "", nil })
	return err
}

func TestNewToolRefusesWhatTheRegistryWould(t *testing.T) {
	fn := func(context.Context, struct{}) (string, error) { return "", nil }
	_, err := NewTool(TypedOptions{Name: "a b", Risk: Read}, fn)
	var invalid *InvalidToolError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, RuleName, invalid.Rule)
	_, err = NewTool(TypedOptions{Name: "tool"}, fn)
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, RuleRisk, invalid.Rule)
	_, err = NewTool[struct{}, string](TypedOptions{Name: "tool", Risk: Read}, nil)
	require.ErrorContains(t, err, "the function is nil")
	assert.Panics(t, func() { MustTool(TypedOptions{}, fn) })
}

type Page struct {
	Path  string   `json:"path"`
	Lines int      `json:"lines"`
	Tags  []string `json:"tags"`
	Note  *string  `json:"note,omitempty"`
	Body  string   `json:"-"`
}

func (p Page) PromptText() string { return p.Body }

type celsius int

func (c celsius) String() string { return "warm" }

func TestAnAnswerHasTwoFaces(t *testing.T) {
	for name, c := range map[string]struct {
		out        *Outcome
		text, data string
	}{
		"text":                       {answering(t, "Line 1\nLine 2"), "Line 1\nLine 2", ""},
		"empty text":                 {answering(t, ""), "", ""},
		"text like an image":         {answering(t, `{"type":"image","data":"x","mimeType":"image/png"}`), `{"type":"image","data":"x","mimeType":"image/png"}`, ""},
		"object":                     {answering(t, map[string]any{"status": "ok", "count": 42}), `{"count":42,"status":"ok"}`, `{"count":42,"status":"ok"}`},
		"nothing lost":               {answering(t, map[string]any{"response": "ok", "id": 7}), `{"id":7,"response":"ok"}`, `{"id":7,"response":"ok"}`},
		"number":                     {answering(t, 7), "7", "7"},
		"list":                       {answering(t, []string{"<a>"}), `["<a>"]`, `["<a>"]`},
		"raw JSON":                   {answering(t, json.RawMessage(`"x"`)), `"x"`, `"x"`},
		"nothing":                    {answering(t, struct{}{}), "(no output)", ""},
		"nil":                        {answering[any](t, nil), "(no output)", ""},
		"nil pointer":                {answering[*Page](t, nil), "(no output)", ""},
		"nil result":                 {answering[*Result](t, nil), "(no output)", ""},
		"result":                     {answering(t, Text("as is")), "as is", ""},
		"prompt text":                {answering(t, Page{Path: "p", Lines: 2, Body: "the body"}), "the body", `{"path":"p","lines":2,"tags":null}`},
		"string method":              {answering(t, celsius(20)), "warm", "20"},
		"a type of its own for text": {answering(t, ID("x")), "x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, StatusSuccess, c.out.Status, c.out.Text)
			assert.Equal(t, c.text, c.out.Text)
			assert.Equal(t, c.data, string(c.out.Structured))
		})
	}
}

func TestBlocksComeThroughInOrder(t *testing.T) {
	blocks := []Block{{Type: BlockText, Text: "a"}, {Type: BlockImage, Data: []byte{1}, MIMEType: "image/png"},
		{Type: BlockImage, URL: "https://example.com/a.png"}, {Type: BlockJSON, JSON: json.RawMessage(`{"a":1}`)}}
	assert.Equal(t, blocks, answering(t, blocks).Content)
	out := answering(t, []Block{})
	assert.Equal(t, StatusError, out.Status)
	assert.Equal(t, "the tool returned no content blocks", out.Text)
	out = answering(t, []Block{{Type: BlockText}})
	assert.Equal(t, StatusSuccess, out.Status)
}

func TestAnAnswerThatCannotBeSerialisedIsAFailureOfTheTool(t *testing.T) {
	out := answering(t, struct{ C chan int }{make(chan int)})
	require.Equal(t, StatusError, out.Status)
	assert.Equal(t, KindOther, out.Failure.Kind)
	assert.Contains(t, out.Failure.Message, "cannot be serialised: json: unsupported type: chan int")
	assert.Equal(t, "the tool ran, but its answer could not be serialised", out.Text)
}

func TestTheErrorOfATypedToolIsShownAsItIs(t *testing.T) {
	out := call(typed(t, TypedOptions{}, func(context.Context, struct{}) (int, error) { return 7, errors.New("no such page") }), "")
	assert.Equal(t, StatusError, out.Status)
	assert.Equal(t, "no such page", out.Text)
	assert.Nil(t, out.Structured)
}

func TestAnOutputSchemaHoldsForWhatIsWritten(t *testing.T) {
	type item struct{ N int }
	type answer struct {
		Items []item         `json:"items"`
		Map   map[string]int `json:"map,omitempty"`
		At    time.Time      `json:"at"`
		For   time.Duration  `json:"for"`
		Any   any            `json:"any"`
		Grid  [][]int        `json:"grid"`
		*Page
	}
	tool := MustTool(TypedOptions{Name: "tool", Risk: Read}, func(context.Context, struct{}) (*answer, error) { return nil, nil })
	schema := InfoOf(tool).OutputSchema
	require.NotNil(t, schema)
	doc, err := parseSchema(schema)
	require.NoError(t, err)
	s, err := compileSchema(doc)
	require.NoError(t, err)
	for _, a := range []answer{{}, {Items: []item{{1}}, Map: map[string]int{"a": 1}, Any: 1, Grid: [][]int{nil, {1}}, Page: &Page{}}} {
		raw, err := compactJSON(a)
		require.NoError(t, err)
		v, err := parseJSON(string(raw))
		require.NoError(t, err)
		assert.NoError(t, s.validate(s.root, v.value), "%s\n%s", raw, schema)
	}
	for _, none := range []Tool{
		MustTool(TypedOptions{Name: "a", Risk: Read}, func(context.Context, struct{}) (string, error) { return "", nil }),
		MustTool(TypedOptions{Name: "b", Risk: Read}, func(context.Context, struct{}) (*Result, error) { return nil, nil }),
		MustTool(TypedOptions{Name: "c", Risk: Read}, func(context.Context, struct{}) (node, error) { return node{}, nil }),
		MustTool(TypedOptions{Name: "d", Risk: Read}, func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }),
	} {
		assert.Nil(t, InfoOf(none).OutputSchema, none.Name())
	}
}

func TestALongDescriptionSurvives(t *testing.T) {
	long := strings.Repeat("a long <description>. ", 500)
	tool := MustTool(TypedOptions{Name: "tool", Description: long, Risk: Read}, func(context.Context, struct{}) (string, error) { return "", nil })
	r := New()
	require.NoError(t, r.Register("", tool))
	assert.Equal(t, long, Specs(r.Snapshot())[0].Description)
}
