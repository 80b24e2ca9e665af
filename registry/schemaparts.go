package registry

import (
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// sameValueParts are the schemas that s applies to the value it is given
// itself.
func sameValueParts(s *jsonschema.Schema) []*jsonschema.Schema {
	var parts []*jsonschema.Schema
	add := func(list ...*jsonschema.Schema) {
		for _, p := range list {
			if p != nil {
				parts = append(parts, p)
			}
		}
	}
	add(s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else)
	if s.DynamicRef != nil {
		add(s.DynamicRef.Ref)
	}
	add(s.AllOf...)
	add(s.AnyOf...)
	add(s.OneOf...)
	for _, d := range s.DependentSchemas {
		add(d)
	}
	for _, d := range s.Dependencies {
		if d, ok := d.(*jsonschema.Schema); ok {
			add(d)
		}
	}
	return parts
}

// innerParts are the schemas that s applies to what its value holds.
func innerParts(s *jsonschema.Schema) []*jsonschema.Schema {
	var parts []*jsonschema.Schema
	add := func(v any) {
		switch v := v.(type) {
		case *jsonschema.Schema:
			if v != nil {
				parts = append(parts, v)
			}
		case []*jsonschema.Schema:
			parts = append(parts, v...)
		}
	}
	for _, p := range s.Properties {
		add(p)
	}
	for _, p := range s.PatternProperties {
		add(p)
	}
	for _, v := range []any{s.AdditionalProperties, s.PropertyNames, s.UnevaluatedProperties, s.Contains,
		s.Items, s.AdditionalItems, s.PrefixItems, s.Items2020, s.UnevaluatedItems} {
		add(v)
	}
	return parts
}

// pointerOf is where s stands in its document, as a JSON pointer.
func pointerOf(s *jsonschema.Schema) string {
	_, fragment, _ := strings.Cut(s.Location, "#")
	if p, err := url.PathUnescape(fragment); err == nil {
		return p
	}
	return fragment
}

// What one validation may take where it can take very long: visits of parts of
// the schema, and time. A visit costs from under one to forty microseconds, for
// each error carries its whole path.
const (
	maxSteps = 200_000
	maxTime  = time.Second
)

// costly reports whether validating a small value with s can take very long:
// because s contains itself, so that alternatives multiply with each level of
// the value, or because references make it much larger than it looks.
func costly(s *jsonschema.Schema) bool {
	const limit = 10_000
	sizes := map[*jsonschema.Schema]int{} // -1 while under way
	var size func(s *jsonschema.Schema) (n int, recursive bool)
	size = func(s *jsonschema.Schema) (int, bool) {
		if n, ok := sizes[s]; ok {
			return n, n < 0
		}
		sizes[s] = -1
		total := 1
		for _, part := range append(sameValueParts(s), innerParts(s)...) {
			n, recursive := size(part)
			if recursive || total > limit {
				return total, true
			}
			total += n
		}
		sizes[s] = total
		return total, false
	}
	n, recursive := size(s)
	return recursive || n > limit
}

// stepBudget ends validations that take too many steps. The validator offers
// no place for the state of one validation, so they are done one by one; that
// is the rare case, see costly.
type stepBudget struct {
	mu    sync.Mutex
	left  int
	until time.Time
}

// tooManySteps is the panic that ends such a validation.
type tooManySteps struct{}

// install has c count every visit of a part of the schema. It does so by a
// vocabulary of no keywords, which takes part in everything.
func (b *stepBudget) install(c *jsonschema.Compiler) {
	c.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: schemaURL + "vocabulary",
		Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
			return b, nil
		},
	})
	c.AssertVocabs()
}

// Validate implements jsonschema.SchemaExt.
func (b *stepBudget) Validate(*jsonschema.ValidatorContext, any) {
	if b.left--; b.left < 0 || b.left%256 == 0 && time.Now().After(b.until) {
		panic(tooManySteps{})
	}
}

// run carries out one validation within the budget.
func (b *stepBudget) run(validate func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left, b.until = maxSteps, time.Now().Add(maxTime)
	return validate()
}

// countValues is the number of values in a parsed JSON text, itself included.
func countValues(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			n += countValues(e)
		}
	case []any:
		for _, e := range v {
			n += countValues(e)
		}
	}
	return n
}
