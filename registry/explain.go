package registry

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/rho-ext/rho-ext/internal/suggest"
)

// explain turns the validator's error tree into problems in words. schemas
// finds the schema behind an error; without it the words say less.
func explain(err *jsonschema.ValidationError, root any, schemas map[string]*jsonschema.Schema) []found {
	e := explainer{root: root, schemas: schemas}
	return e.problems(err)
}

type explainer struct {
	root    any
	schemas map[string]*jsonschema.Schema
}

// problems lists the leaves of an error.
func (e *explainer) problems(err *jsonschema.ValidationError) []found {
	switch k := err.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		return e.causes(err)
	case *kind.AnyOf:
		return e.alternatives(err)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return e.alternatives(err)
		}
	case *kind.AdditionalProperties:
		return e.unknown(err, k.Properties)
	case *kind.FalseSchema:
		if n := len(err.InstanceLocation); n > 0 && strings.HasSuffix(err.SchemaURL, "/unevaluatedProperties") {
			parent := *err
			parent.InstanceLocation = err.InstanceLocation[:n-1]
			return e.unknown(&parent, err.InstanceLocation[n-1:])
		}
	case *kind.Required:
		return e.missing(err, "required", k.Missing)
	case *kind.DependentRequired:
		return e.missing(err, "required beside "+literal(k.Prop), k.Missing)
	case *kind.Dependency:
		return e.missing(err, "required beside "+literal(k.Prop), k.Missing)
	}
	return []found{e.wrong(err)}
}

func (e *explainer) causes(err *jsonschema.ValidationError) []found {
	var out []found
	for _, c := range err.Causes {
		out = append(out, e.problems(c)...)
	}
	return out
}

func (e *explainer) place(err *jsonschema.ValidationError, class int, keyword string) found {
	return found{
		Problem: Problem{Path: pathText(err.InstanceLocation, e.root), Keyword: keyword},
		at:      err.InstanceLocation,
		class:   class,
	}
}

// unknown describes names that an object must not have.
func (e *explainer) unknown(err *jsonschema.ValidationError, names []string) []found {
	known, unused := e.knownNames(err)
	var out []found
	for _, n := range names {
		f := e.place(err, classUnknown, "additionalProperties")
		f.Path = pathText(append(slices.Clone(err.InstanceLocation), n), e.root)
		f.Suggestion = suggest.First(n, unused)
		for _, k := range known[:min(len(known), maxAllowed)] {
			f.Allowed = append(f.Allowed, literal(k))
		}
		out = append(out, f)
	}
	return out
}

// missing describes names that an object must have. Where unknown names are
// allowed, one that looks like a missing name is the likely reason.
func (e *explainer) missing(err *jsonschema.ValidationError, expected string, names []string) []found {
	var strangers []string
	if s := e.schemas[err.SchemaURL]; s != nil && s.AdditionalProperties != false {
		obj, _ := lookup(e.root, err.InstanceLocation).(map[string]any)
		for n := range obj {
			if s.Properties[n] == nil {
				strangers = append(strangers, n)
			}
		}
		sort.Strings(strangers)
	}
	var out []found
	for _, n := range names {
		f := e.place(err, classMissing, "required")
		f.Path = pathText(append(slices.Clone(err.InstanceLocation), n), e.root)
		f.Expected = expected
		f.Suggestion = suggest.First(n, strangers)
		out = append(out, f)
	}
	return out
}

// knownNames lists the names that the object may have, and those of them that
// it does not have yet.
func (e *explainer) knownNames(err *jsonschema.ValidationError) (known, unused []string) {
	s := e.schemas[err.SchemaURL]
	if s == nil { // unevaluatedProperties: the error stands at the unknown name
		s = e.schemas[strings.TrimSuffix(err.SchemaURL, "/unevaluatedProperties")]
	}
	if s != nil && s.Bool != nil {
		s = e.schemas[strings.TrimSuffix(err.SchemaURL, "/unevaluatedProperties")]
	}
	if s == nil {
		return nil, nil
	}
	obj, _ := lookup(e.root, err.InstanceLocation).(map[string]any)
	known = slices.Sorted(maps.Keys(s.Properties))
	for _, n := range known {
		if _, ok := obj[n]; !ok {
			unused = append(unused, n)
		}
	}
	return known, unused
}

// wrong describes a value that breaks one keyword.
func (e *explainer) wrong(err *jsonschema.ValidationError) found {
	keyword := strings.Join(err.ErrorKind.KeywordPath(), "/")
	f := e.place(err, classWrong, keyword)
	value := lookup(e.root, err.InstanceLocation)
	f.Received = received(value)
	s := e.schemas[err.SchemaURL]
	number := "a number"
	if s != nil && s.Types != nil && slices.Equal(s.Types.ToStrings(), []string{"integer"}) {
		number = "an integer"
	}
	switch k := err.ErrorKind.(type) {
	case *kind.Type:
		if s != nil && s.Enum != nil {
			f.allow(s.Enum.Values, value)
			break
		}
		f.Expected = typeText(k.Want)
	case *kind.Enum:
		f.allow(k.Want, value)
	case *kind.Const:
		f.allow([]any{k.Want}, value)
	case *kind.Format:
		f.Expected = fmt.Sprintf("a string in the format %q", k.Want)
		if k.Want == "regex" { // a pattern in a schema: its author wants to know more
			f.Expected = fmt.Sprintf("a regular expression (%s)", prefix(k.Err.Error(), 200))
		}
	case *kind.Pattern:
		f.Expected = "a string that matches " + prefix(k.Want, 200)
	case *kind.MinLength:
		f.Expected = "a string of at least " + count(k.Want, "character")
	case *kind.MaxLength:
		f.Expected = "a string of at most " + count(k.Want, "character")
		f.Received += fmt.Sprintf(" with %d", k.Got)
	case *kind.Minimum:
		f.Expected = number + " of at least " + ratText(k.Want)
	case *kind.Maximum:
		f.Expected = number + " of at most " + ratText(k.Want)
	case *kind.ExclusiveMinimum:
		f.Expected = number + " above " + ratText(k.Want)
	case *kind.ExclusiveMaximum:
		f.Expected = number + " below " + ratText(k.Want)
	case *kind.MultipleOf:
		f.Expected = "a multiple of " + ratText(k.Want)
	case *kind.MinItems:
		f.Expected = "an array of at least " + count(k.Want, "item")
	case *kind.MaxItems:
		f.Expected = "an array of at most " + count(k.Want, "item")
	case *kind.AdditionalItems:
		f.Expected = "an array with " + count(k.Count, "item") + " fewer"
	case *kind.UniqueItems:
		f.Expected = "items that all differ"
		f.Received = fmt.Sprintf("equal ones at %d and %d", k.Duplicates[0], k.Duplicates[1])
	case *kind.MinProperties:
		f.Expected = "an object of at least " + count(k.Want, "member")
		f.Received = strconv.Itoa(k.Got)
	case *kind.MaxProperties:
		f.Expected = "an object of at most " + count(k.Want, "member")
		f.Received = strconv.Itoa(k.Got)
	case *kind.PropertyNames:
		f.Expected = "other names in the object"
		f.Received = literal(k.Property)
	case *kind.Contains:
		f.Expected = "an array that contains what the schema asks for"
	case *kind.MinContains:
		f.Expected = fmt.Sprintf("at least %d of the items that the schema asks for", k.Want)
		f.Received = strconv.Itoa(len(k.Got))
	case *kind.MaxContains:
		f.Expected = fmt.Sprintf("at most %d of the items that the schema limits", k.Want)
		f.Received = strconv.Itoa(len(k.Got))
	case *kind.Not:
		f.Keyword = "not"
		f.Expected = "a value that the schema does not exclude"
	case *kind.FalseSchema:
		f.Keyword = "false"
		f.Expected = "nothing here"
	case *kind.OneOf:
		f.Expected = fmt.Sprintf("a value that fits exactly one alternative, not both number %d and %d",
			k.Subschemas[0]+1, k.Subschemas[1]+1)
	case *kind.RefCycle:
		f.Keyword = "$ref"
		f.Expected = "a schema that does not refer to itself for the same value"
	default:
		f.Expected = "a value that the schema allows"
	}
	return f
}

// maxAllowed is how many allowed values a message lists.
const maxAllowed = 20

// allow sets what one of a list of values was expected.
func (f *found) allow(values []any, got any) {
	var texts []string
	for _, v := range values {
		if len(f.Allowed) < maxAllowed {
			f.Allowed = append(f.Allowed, received(v))
		}
		if s, ok := v.(string); ok {
			texts = append(texts, s)
		}
	}
	f.Expected = oneOf(f.Allowed, len(values))
	if s, ok := got.(string); ok {
		f.Suggestion = suggest.First(s, texts)
	}
}

var typeNames = map[string]string{
	"null": "null", "boolean": "true or false", "number": "a number", "integer": "an integer",
	"string": "a string", "array": "an array", "object": "an object",
}

// typeText names types: "a string or null".
func typeText(types []string) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = typeNames[t]
	}
	return strings.Join(names, " or ")
}

// ratText writes a bound as a decimal.
func ratText(r *big.Rat) string {
	if r.IsInt() {
		return prefix(r.Num().String(), maxReceived)
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
