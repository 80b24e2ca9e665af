package registry

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schemer is implemented by types that say themselves what JSON they are read
// from, because it does not follow from their Go form. The schema must stand
// on its own. Whether the method has a pointer receiver does not matter; it is
// called on a zero value.
type Schemer interface {
	JSONSchema() json.RawMessage
}

// Duration is a [time.Duration] that models write as people do: "90s", "1h30m".
// As a plain number nobody knows its unit, so arguments of typed tools may not
// hold a time.Duration.
type Duration time.Duration

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf(`expected a duration such as "90s" or "1h30m", got %s`, literal(string(b)))
	}
	*d = Duration(v)
	return nil
}

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String is the duration as people write it.
func (d Duration) String() string { return time.Duration(d).String() }

// argsSchema derives the schema of a type that arguments are read into. Accepts
// is the same with the hidden fields, or nil where there are none.
func argsSchema(t reflect.Type, allowUnknown bool) (shown, accepts json.RawMessage, err error) {
	d := deriver{types: map[reflect.Type]*jsonschema.Schema{}}
	if err := d.inspect(t, "", nil); err != nil {
		return nil, nil, err
	}
	if shown, err = d.schema(t, allowUnknown); err != nil || !d.sawHidden {
		return shown, nil, err
	}
	d.withHidden = true
	accepts, err = d.schema(t, allowUnknown)
	return shown, accepts, err
}

// outputSchema derives the schema of a type that results are written from, or
// nil where that cannot be.
func outputSchema(t reflect.Type) json.RawMessage {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	d := deriver{output: true, types: map[reflect.Type]*jsonschema.Schema{}}
	if err := d.inspect(t, "", nil); err != nil || t.Kind() != reflect.Struct || d.types[t] != nil {
		return nil
	}
	s, err := d.schema(t, false)
	if err != nil {
		return nil
	}
	return s
}

// deriver makes a schema of a type in three steps: it looks through the type
// for what has no schema or one of its own, has the library derive the rest,
// and lets struct tags and the rules of encoding/json correct the outcome.
type deriver struct {
	output     bool // for results, which are written, not for arguments, which are read
	withHidden bool
	sawHidden  bool
	types      map[reflect.Type]*jsonschema.Schema // whose schema does not follow from their Go form
}

func (d *deriver) schema(t reflect.Type, allowUnknown bool) (json.RawMessage, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: d.types})
	if err != nil {
		return nil, err
	}
	if err := d.refine(t, s, ""); err != nil {
		return nil, err
	}
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	if allowUnknown {
		s.AdditionalProperties = nil
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	unescaped(&b, string(raw))
	return json.RawMessage(b.String()), nil
}

// inspect looks for what cannot be derived. The path is for messages.
func (d *deriver) inspect(t reflect.Type, path string, within []reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if d.types[t] != nil {
		return nil
	}
	if s, err := d.special(t); s != nil || err != nil {
		d.types[t] = s
		return at(path, err)
	}
	if t.Name() != "" {
		if slices.Contains(within, t) {
			return at(path, fmt.Errorf("the type %v contains itself: a schema without $ref cannot say that; "+
				"use json.RawMessage where it recurs", t))
		}
		within = append(within, t)
	}
	switch t.Kind() {
	case reflect.Struct:
		fields, err := fieldsOf(t)
		if err != nil {
			return at(path, err)
		}
		for _, f := range fields {
			if err := d.inspect(f.Type, join(path, f.name), within); err != nil {
				return err
			}
		}
	case reflect.Slice, reflect.Array:
		return d.inspect(t.Elem(), path+"[]", within)
	case reflect.Map:
		key := t.Key()
		if key.Kind() != reflect.String && !has[encoding.TextUnmarshaler](key) {
			return at(path, fmt.Errorf("%v has keys of type %v: JSON knows only strings", t, key))
		}
		return d.inspect(t.Elem(), path+"{}", within)
	case reflect.Interface:
		if t.NumMethod() > 0 && !d.output {
			return at(path, fmt.Errorf("%v is an interface with methods: nothing says which type to read", t))
		}
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer, reflect.Uintptr:
		return at(path, fmt.Errorf("%v has no form in JSON", t))
	}
	return nil
}

// special is the schema of a type whose JSON does not follow from its Go form.
func (d *deriver) special(t reflect.Type) (*jsonschema.Schema, error) {
	switch t {
	case reflect.TypeFor[time.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time"}, nil
	case reflect.TypeFor[time.Duration]():
		if !d.output {
			return nil, errors.New("time.Duration is read as a number of nanoseconds: use registry.Duration")
		}
		return nil, nil
	case reflect.TypeFor[json.RawMessage]():
		return &jsonschema.Schema{}, nil
	case reflect.TypeFor[json.Number]():
		return &jsonschema.Schema{Type: "number"}, nil
	case reflect.TypeFor[big.Int]():
		return &jsonschema.Schema{Type: "integer"}, nil
	}
	if has[Schemer](t) {
		return schemaBy(reflect.New(t).Interface().(Schemer))
	}
	switch {
	case d.output && has[json.Marshaler](t):
		return &jsonschema.Schema{}, nil
	case d.output && has[encoding.TextMarshaler](t), !d.output && has[encoding.TextUnmarshaler](t) && !has[json.Unmarshaler](t):
		return &jsonschema.Schema{Type: "string"}, nil
	case !d.output && has[json.Unmarshaler](t):
		return nil, fmt.Errorf("%v reads JSON by itself, so its schema is unknown: give it a method JSONSchema, see registry.Schemer", t)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return &jsonschema.Schema{Type: "string", ContentEncoding: "base64"}, nil
	}
	return nil, nil
}

// has reports whether a pointer to a value of type t has the methods of I,
// which goes for the value's own methods too.
func has[I any](t reflect.Type) bool {
	return t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

func schemaBy(by Schemer) (_ *jsonschema.Schema, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("JSONSchema of %T panicked: %v", by, v)
		}
	}()
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(by.JSONSchema(), s); err != nil {
		return nil, fmt.Errorf("JSONSchema of %T: %w", by, err)
	}
	return s, nil
}

// refine corrects the derived schema s of type t.
func (d *deriver) refine(t reflect.Type, s *jsonschema.Schema, path string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	withoutNull(s)
	if d.types[t] != nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		fields, err := fieldsOf(t)
		if err != nil {
			return at(path, err)
		}
		for _, f := range fields {
			fs, where := s.Properties[f.name], join(path, f.name)
			if err := d.refine(f.Type, fs, where); err != nil {
				return err
			}
			if err := d.refineField(f, s, fs); err != nil {
				return at(where, err)
			}
		}
	case reflect.Slice, reflect.Array:
		return d.refineElem(t.Elem(), s.Items, path+"[]")
	case reflect.Map:
		return d.refineElem(t.Elem(), s.AdditionalProperties, path+"{}")
	}
	return nil
}

func (d *deriver) refineElem(t reflect.Type, s *jsonschema.Schema, path string) error {
	if err := d.refine(t, s, path); err != nil {
		return err
	}
	if d.output && canBeNil(t) {
		withNull(s)
	}
	return nil
}

// refineField applies what is known of a field to its own schema fs and to that
// of the struct, s.
func (d *deriver) refineField(f structField, s, fs *jsonschema.Schema) error {
	if text, ok := f.Tag.Lookup("description"); ok {
		fs.Description = text
	}
	optional := f.omit || f.viaPointer && d.output
	if d.output {
		if canBeNil(f.Type) && !f.omit {
			withNull(fs)
		}
	} else {
		if err := applyTags(f.Tag, fs); err != nil {
			return err
		}
		optional = optional || f.Type.Kind() == reflect.Pointer || fs.Default != nil
		if f.Tag.Get("hidden") == "true" {
			d.sawHidden = true
			optional = true
			if !d.withHidden {
				delete(s.Properties, f.name)
				s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(n string) bool { return n == f.name })
			}
		}
	}
	if optional {
		s.Required = slices.DeleteFunc(s.Required, func(n string) bool { return n == f.name })
	}
	return nil
}

// structField is a field as encoding/json sees it.
type structField struct {
	reflect.StructField
	name       string // in JSON
	omit       bool   // omitempty or omitzero
	viaPointer bool   // promoted from an embedded pointer
}

// fieldsOf lists the fields of a struct that JSON has, and refuses the rare
// kinds of which the library and encoding/json think differently.
func fieldsOf(t reflect.Type) ([]structField, error) {
	var out []structField
	seen := map[string]string{}
	for _, f := range reflect.VisibleFields(t) {
		name, opts, hasOpts := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" && !hasOpts {
			if f.Anonymous {
				return nil, fmt.Errorf(`the embedded field %s has json:"-": name the field`, f.Name)
			}
			continue
		}
		if f.Anonymous {
			if err := checkEmbedded(f, name); err != nil {
				return nil, err
			}
			continue
		}
		if !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if other, ok := seen[name]; ok {
			return nil, fmt.Errorf("the fields %s and %s are both called %q in JSON", other, f.Name, name)
		}
		seen[name] = f.Name
		sf := structField{StructField: f, name: name, viaPointer: viaPointer(t, f.Index)}
		for o := range strings.SplitSeq(opts, ",") {
			switch o {
			case "omitempty", "omitzero":
				sf.omit = true
			case "string":
				return nil, fmt.Errorf(`the field %s has the option "string" of encoding/json: give it a type of its own`, f.Name)
			}
		}
		out = append(out, sf)
	}
	return out, nil
}

func checkEmbedded(f reflect.StructField, name string) error {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		if t = t.Elem(); !f.IsExported() {
			return fmt.Errorf("%v is embedded by a pointer and not exported, so that JSON cannot fill it", t)
		}
	}
	switch {
	case name != "":
		return fmt.Errorf("the embedded field %s has a JSON name: name the field in Go too", f.Name)
	case t.Kind() != reflect.Struct:
		return fmt.Errorf("the embedded field %s is no struct: name the field", f.Name)
	}
	return nil
}

func viaPointer(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// applyTags reads the tags enum, min, max, pattern and default.
func applyTags(tag reflect.StructTag, s *jsonschema.Schema) error {
	each := s // enum and pattern are about the items of a list
	if s.Type == "array" && s.Items != nil {
		each = s.Items
	}
	if text, ok := tag.Lookup("enum"); ok {
		each.Enum = nil
		for v := range strings.SplitSeq(text, ",") {
			value, err := tagValue(each.Type, strings.TrimSpace(v))
			if err != nil {
				return fmt.Errorf("tag enum: %w", err)
			}
			each.Enum = append(each.Enum, value)
		}
	}
	if text, ok := tag.Lookup("pattern"); ok {
		if each.Type != "string" {
			return fmt.Errorf("tag pattern: works on strings, not on %s", kindText(each))
		}
		each.Pattern = text
	}
	if err := applyBound(tag, "min", s, &s.Minimum, &s.MinLength, &s.MinItems, &s.MinProperties); err != nil {
		return err
	}
	if err := applyBound(tag, "max", s, &s.Maximum, &s.MaxLength, &s.MaxItems, &s.MaxProperties); err != nil {
		return err
	}
	if text, ok := tag.Lookup("default"); ok {
		value, err := tagValue(s.Type, text)
		if err != nil {
			return fmt.Errorf("tag default: %w", err)
		}
		if s.Default, err = json.Marshal(value); err != nil {
			return fmt.Errorf("tag default: %w", err)
		}
	}
	return nil
}

// applyBound reads the tag min or max, whose meaning depends on the type.
func applyBound(tag reflect.StructTag, key string, s *jsonschema.Schema, value **float64, length, items, members **int) error {
	text, ok := tag.Lookup(key)
	if !ok {
		return nil
	}
	var target **int
	switch s.Type {
	case "integer", "number":
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("tag %s: %q is not a number", key, text)
		}
		*value = &v
		return nil
	case "string":
		target = length
	case "array":
		target = items
	case "object":
		target = members
	default:
		return fmt.Errorf("tag %s: works on numbers, strings, lists and objects, not on %s", key, kindText(s))
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return fmt.Errorf("tag %s: %q is not a length", key, text)
	}
	*target = &n
	return nil
}

// tagValue reads a value from a tag: text for a string, JSON for the others.
func tagValue(typ, text string) (any, error) {
	if typ == "string" {
		return text, nil
	}
	doc, err := parseJSON(text)
	if err != nil {
		return nil, fmt.Errorf("%q is not valid JSON: %w", text, err)
	}
	return json.RawMessage(doc.text), nil
}

func kindText(s *jsonschema.Schema) string {
	if s.Type == "" {
		return "a value of any type"
	}
	return "type " + s.Type
}

// withoutNull undoes that the library lets slices and pointers be null: some
// providers refuse lists of types, and a model leaves out what is optional.
func withoutNull(s *jsonschema.Schema) {
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
}

// withNull lets a result be null where encoding/json writes that.
func withNull(s *jsonschema.Schema) {
	if s.Type != "" {
		s.Type, s.Types = "", []string{"null", s.Type}
	}
}

func canBeNil(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return true
	}
	return false
}

func at(path string, err error) error {
	if err == nil || path == "" {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// unescaped rewrites JSON text without the escapes that HTML would need, which
// cost a model tokens.
func unescaped(b *strings.Builder, value string) {
	sep := ""
	switch value[0] {
	case '{':
		b.WriteByte('{')
		eachMember(value, func(key, v string) {
			b.WriteString(sep + quote(key) + ":")
			unescaped(b, v)
			sep = ","
		})
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		eachItem(value, func(v string) {
			b.WriteString(sep)
			unescaped(b, v)
			sep = ","
		})
		b.WriteByte(']')
	case '"':
		b.WriteString(quote(unquote(value)))
	default:
		b.WriteString(value)
	}
}
