package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// TypedOptions say what a Go function cannot: how a typed tool is presented.
type TypedOptions struct {
	Name        string
	Description string
	Risk        Risk
	// Info is what the tool says beyond that. Its OutputSchema, where unset, is
	// derived from the type of the function's answer, if that is a struct.
	Info Info
	// AllowUnknown lets a call bring arguments that are not in the schema at
	// its top level; they are dropped. As a rule they are refused, with a hint
	// at what was probably meant.
	AllowUnknown bool
}

// PromptTexter is implemented by answers of typed tools that have a form of
// their own for models. The structured form is the answer as JSON either way.
type PromptTexter interface {
	PromptText() string
}

// NewTool makes a tool out of a function. Args is a struct (or a pointer to
// one), from which the schema of the arguments is derived; it can hold whatever
// encoding/json can read, except for types that contain themselves. The door
// has checked the arguments before fn sees them. Tags of the fields:
//
//	json:"name"            the name; with omitempty or omitzero the argument is optional
//	description:"…"        for the model
//	enum:"a,b"             the allowed values; of a list, of its items
//	pattern:"…"            an ECMAScript pattern for a string; of a list, for its items
//	min:"1" max:"9"        bounds of a number, or of the length of a string, list or map
//	default:"…"            makes it optional; text for a string, else JSON
//	hidden:"true"          accepted, but not shown; optional
//
// A pointer is optional too. A model writes a [Duration] as "90s" and a
// time.Time as RFC 3339. Use json.RawMessage for JSON of any form with numbers
// of any size.
//
// Out has two faces, one for models and one for programs:
//
//	string             text
//	*Result, []Block   as they are; a list of no blocks is a failure
//	struct{}, nil      "(no output)"
//	anything else      [Result.Structured], with the same JSON as text, or what
//	                   its method PromptText or String says instead
//
// A body that belongs into the text alone is a field tagged json:"-" that
// PromptText shows.
//
// With [Info.InputFormat] set the tool is freeform, and Args must be a string.
func NewTool[Args, Out any](o TypedOptions, fn func(context.Context, Args) (Out, error)) (Tool, error) {
	t := &typedTool[Args, Out]{o: o, fn: fn}
	if err := t.derive(); err != nil {
		return nil, fmt.Errorf("tool %q: arguments of type %v: %w", o.Name, reflect.TypeFor[Args](), err)
	}
	if fn == nil {
		return nil, fmt.Errorf("tool %q: the function is nil", o.Name)
	}
	if t.o.Info.OutputSchema == nil && !isContent(reflect.TypeFor[Out]()) {
		t.o.Info.OutputSchema = outputSchema(reflect.TypeFor[Out]())
	}
	if _, err := newEntry("", t); err != nil {
		return nil, err
	}
	return t, nil
}

// MustTool is [NewTool] for tools that are known to be well-formed. It panics
// over an error.
func MustTool[Args, Out any](o TypedOptions, fn func(context.Context, Args) (Out, error)) Tool {
	t, err := NewTool(o, fn)
	if err != nil {
		panic(err)
	}
	return t
}

type typedTool[Args, Out any] struct {
	o       TypedOptions
	fn      func(context.Context, Args) (Out, error)
	params  json.RawMessage
	accepts json.RawMessage // params with the hidden fields; nil: the same
	known   map[string]bool // with AllowUnknown, the arguments to keep
}

func (t *typedTool[Args, Out]) derive() (err error) {
	args := reflect.TypeFor[Args]()
	if f := t.o.Info.InputFormat; f != nil {
		if args.Kind() != reflect.String {
			return errors.New("a tool with an input format takes a string")
		}
		t.params = FreeformParameters(f.describe())
		return nil
	}
	if args.Kind() == reflect.Pointer {
		args = args.Elem()
	}
	switch {
	case args.Kind() == reflect.String:
		return errors.New("expected a struct; a string needs Info.InputFormat")
	case args.Kind() != reflect.Struct:
		return errors.New("expected a struct, for the arguments of a tool are a JSON object")
	}
	if t.params, t.accepts, err = argsSchema(args, t.o.AllowUnknown); err != nil || !t.o.AllowUnknown {
		return err
	}
	fields, err := fieldsOf(args)
	t.known = map[string]bool{}
	for _, f := range fields {
		t.known[f.name] = true
	}
	return err
}

// Name implements [Tool].
func (t *typedTool[Args, Out]) Name() string { return t.o.Name }

// Description implements [Tool].
func (t *typedTool[Args, Out]) Description() string { return t.o.Description }

// Parameters implements [Tool].
func (t *typedTool[Args, Out]) Parameters() json.RawMessage { return t.params }

// Risk implements [Tool].
func (t *typedTool[Args, Out]) Risk() Risk { return t.o.Risk }

// Info implements [Informer].
func (t *typedTool[Args, Out]) Info() Info { return t.o.Info }

// acceptedParameters implements accepter.
func (t *typedTool[Args, Out]) acceptedParameters() json.RawMessage { return t.accepts }

// Execute implements [Tool].
func (t *typedTool[Args, Out]) Execute(ctx context.Context, raw json.RawMessage) (*Result, error) {
	var args Args
	if err := t.decode(raw, &args); err != nil {
		return nil, &Failure{Kind: KindInvalidArgs, Message: err.Error(), Retryable: RetryNo, Cause: err}
	}
	out, err := t.fn(ctx, args)
	if err != nil {
		return nil, err
	}
	return t.result(out)
}

// decode reads arguments that the door has validated. What is left to go wrong
// is what a schema cannot say: a number too large for its Go type, or a text
// that a type of its own refuses.
func (t *typedTool[Args, Out]) decode(raw json.RawMessage, into *Args) error {
	if t.o.Info.InputFormat != nil {
		var doc struct{ Input string }
		if err := json.Unmarshal(raw, &doc); err != nil {
			return argumentError(err)
		}
		reflect.ValueOf(into).Elem().SetString(doc.Input)
		return nil
	}
	if t.known != nil {
		doc, err := normalise(raw)
		if err != nil {
			return err
		}
		raw = onlyMembers(doc.text, t.known)
	} else if isBlank(string(raw)) {
		raw = json.RawMessage("{}")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return argumentError(dec.Decode(into))
}

// onlyMembers drops what is not known from an object. encoding/json would take
// "NAME" for "name", past the schema.
func onlyMembers(object string, known map[string]bool) json.RawMessage {
	var b strings.Builder
	b.WriteByte('{')
	sep := ""
	eachMember(object, func(key, value string) {
		if known[key] {
			b.WriteString(sep + quote(key) + ":" + value)
			sep = ","
		}
	})
	b.WriteByte('}')
	return json.RawMessage(b.String())
}

// argumentError makes an error of encoding/json one that a model can use.
func argumentError(err error) error {
	if err == nil {
		return nil
	}
	p := Problem{Keyword: "type", Expected: "arguments that can be read: " + err.Error()}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		p = Problem{Path: wrong.Field, Keyword: "type", Expected: "a value that fits " + wrong.Type.String(),
			Received: clipped(strings.TrimPrefix(wrong.Value, "number "), maxReceived)}
	}
	return &ArgumentError{Problems: []Problem{p}}
}

// isContent reports whether answers of type t are content already.
func isContent(t reflect.Type) bool {
	return t == reflect.TypeFor[*Result]() || t == reflect.TypeFor[Result]() || t == reflect.TypeFor[[]Block]() ||
		t == reflect.TypeFor[struct{}]()
}

// result renders an answer for models and for programs.
func (t *typedTool[Args, Out]) result(out any) (*Result, error) {
	switch v := out.(type) {
	case nil, struct{}:
		return &Result{}, nil
	case string:
		return Text(v), nil
	case Result:
		return &v, nil
	case *Result:
		if v == nil {
			v = &Result{}
		}
		return v, nil
	case []Block:
		if len(v) == 0 {
			return nil, &Failure{Kind: KindOther, Code: "no_content", Message: "the tool returned no content blocks"}
		}
		return &Result{Content: v}, nil
	}
	v := reflect.ValueOf(out)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return &Result{}, nil
	}
	text, hasText := promptText(out)
	if _, marshals := out.(json.Marshaler); v.Kind() == reflect.String && !marshals {
		if !hasText {
			text = v.String()
		}
		return Text(text), nil
	}
	data, err := compactJSON(out)
	if err != nil {
		return nil, &Failure{Kind: KindOther, Code: "unserialisable", Cause: err,
			Message:   fmt.Sprintf("the answer of tool %q, of type %T, cannot be serialised: %v", t.o.Name, out, err),
			ModelText: "the tool ran, but its answer could not be serialised"}
	}
	if !hasText {
		text = string(data)
	}
	res := Text(text)
	res.Structured = data
	return res, nil
}

func promptText(v any) (string, bool) {
	switch v := v.(type) {
	case PromptTexter:
		return v.PromptText(), true
	case fmt.Stringer:
		return v.String(), true
	}
	return "", false
}

// compactJSON encodes v without white space and without HTML's escapes.
func compactJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
