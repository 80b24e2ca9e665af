package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The limits of a schema. Compiling is quadratic in its size.
const (
	maxSchemaBytes  = 1 << 20
	maxSchemaValues = 20_000
	patternTimeout  = 100 * time.Millisecond // of one match
)

// schemaURL is where a schema pretends to come from; .invalid resolves nowhere.
const schemaURL = "https://schema.invalid/"

// argSchema is what the door needs to know of a tool's parameters.
type argSchema struct {
	root   *jsonschema.Schema
	byURL  map[string]*jsonschema.Schema // every part of it, by Schema.Location
	fill   *fillPlan                     // where defaults belong
	budget *stepBudget                   // nil where one validation costs little anyway
}

// compileArgs checks the parameters of a tool and makes them ready.
func compileArgs(raw json.RawMessage) (*argSchema, error) {
	if isBlank(string(raw)) {
		return nil, errors.New(`is empty: a tool without parameters has {"type":"object","properties":{}}`)
	}
	doc, err := parseSchema(raw)
	if err != nil {
		return nil, err
	}
	if err := checkObjectType(doc.value); err != nil {
		return nil, err
	}
	c, err := compileSchema(doc)
	if err != nil {
		return nil, err
	}
	if c.fill, err = planDefaults(doc.text, c); err != nil {
		return nil, err
	}
	return c, nil
}

// parseSchema reads a schema's text within the limits.
func parseSchema(raw json.RawMessage) (jsonDoc, error) {
	if len(raw) > maxSchemaBytes {
		return jsonDoc{}, fmt.Errorf("has %d bytes: expected at most 1 MiB", len(raw))
	}
	doc, err := parseJSON(string(raw))
	if err != nil {
		return jsonDoc{}, fmt.Errorf("is not valid JSON: %w", err)
	}
	if n := countValues(doc.value); n > maxSchemaValues {
		return jsonDoc{}, fmt.Errorf("has %d values: expected at most %d", n, maxSchemaValues)
	}
	return doc, nil
}

// checkObjectType wants "type": "object" to be said: providers do.
func checkObjectType(schema any) error {
	obj, ok := schema.(map[string]any)
	if !ok {
		return fmt.Errorf("is %s: expected a JSON Schema object", received(schema))
	}
	switch t, has := obj["type"]; {
	case t == "object":
		return nil
	case has:
		return fmt.Errorf(`has type %s: the arguments of a tool are an object, so expected "type": "object"`, received(t))
	case obj["properties"] != nil:
		return errors.New(`has properties but no type: add "type": "object"`)
	default:
		return errors.New(`has no type: add "type": "object"`)
	}
}

// compileSchema compiles a schema that stands on its own.
func compileSchema(doc jsonDoc) (*argSchema, error) {
	if obj, ok := doc.value.(map[string]any); ok {
		if err := checkDialect(obj["$schema"]); err != nil {
			return nil, err
		}
	}
	root, err := compileWith(doc.value, nil)
	if err != nil {
		return nil, err
	}
	c := &argSchema{root: root, byURL: map[string]*jsonschema.Schema{}}
	if err := c.index(root); err != nil {
		return nil, err
	}
	if costly(root) {
		c.budget = &stepBudget{}
		if root, err = compileWith(doc.value, c.budget); err != nil {
			return nil, err
		}
		c.root = root
		clear(c.byURL)
		err = c.index(root)
	}
	return c, err
}

// dialects are the values of $schema that the validator is trusted with, less
// their scheme and an empty fragment.
var dialects = map[string]bool{
	"json-schema.org/draft/2020-12/schema": true,
	"json-schema.org/draft/2019-09/schema": true,
	"json-schema.org/draft-07/schema":      true,
}

func checkDialect(v any) error {
	if v == nil {
		return nil
	}
	s, ok := v.(string)
	if _, rest, found := strings.Cut(strings.TrimSuffix(s, "#"), "://"); ok && found && dialects[rest] {
		return nil
	}
	return fmt.Errorf("has $schema %s: expected JSON Schema 2020-12, 2019-09 or draft-07; "+
		"drop $schema for 2020-12", received(v))
}

// compileWith compiles schema; with a budget, so that validation counts steps.
func compileWith(schema any, budget *stepBudget) (_ *jsonschema.Schema, err error) {
	defer func() { // a schema comes from outside, and the compiler is not ours
		if v := recover(); v != nil {
			err = fmt.Errorf("cannot be compiled: %v", v)
		}
	}()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(compilePattern)
	c.AssertFormat()
	if budget != nil {
		budget.install(c)
	}
	if err := c.AddResource(schemaURL, schema); err != nil {
		return nil, schemaError(err, schema)
	}
	s, err := c.Compile(schemaURL)
	if err != nil {
		return nil, schemaError(err, schema)
	}
	return s, nil
}

// index records every part of a schema and makes sure that none lies outside.
func (c *argSchema) index(s *jsonschema.Schema) error {
	if c.byURL[s.Location] != nil {
		return nil
	}
	if !strings.HasPrefix(s.Location, schemaURL) {
		return fmt.Errorf("refers to %s: a schema must stand on its own", s.Location)
	}
	if s.DraftVersion < 7 {
		return fmt.Errorf("%s is written in draft %d: expected 2020-12, 2019-09 or draft-07", pointerOf(s), s.DraftVersion)
	}
	c.byURL[s.Location] = s
	for _, part := range append(sameValueParts(s), innerParts(s)...) {
		if err := c.index(part); err != nil {
			return err
		}
	}
	return nil
}

// noLoader keeps the compiler from reading files and from the network.
type noLoader struct{}

// Load implements jsonschema.URLLoader.
func (noLoader) Load(url string) (any, error) { return nil, errExternal }

var errExternal = errors.New("a schema must stand on its own: move what it refers to into $defs")

// schemaError makes a compiler's error readable for the author of a schema.
func schemaError(err error, schema any) error {
	var invalid *jsonschema.SchemaValidationError
	var external *jsonschema.LoadURLError
	switch {
	case errors.As(err, &external):
		return fmt.Errorf("refers to %s: %w", strings.TrimPrefix(external.URL, schemaURL), errExternal)
	case errors.As(err, &invalid):
		return fmt.Errorf("is not a valid JSON Schema: %s", metaProblems(invalid.Err, schema))
	default:
		return errors.New(strings.ReplaceAll(err.Error(), schemaURL, ""))
	}
}

// metaProblems lists where a schema breaks the schema of schemas.
func metaProblems(err error, schema any) string {
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return err.Error()
	}
	problems := explain(v, schema, nil)
	sort.SliceStable(problems, func(i, j int) bool { return problems[i].before(problems[j]) })
	return joinProblems(exported(problems))
}

// pattern is an ECMAScript regular expression.
type pattern struct{ re *regexp2.Regexp }

// slowPattern is the panic that ends a validation whose pattern backtracks
// without end; the validator has no other way out. See argSchema.validate.
type slowPattern struct{ pattern string }

// MatchString implements jsonschema.Regexp.
func (p pattern) MatchString(s string) bool {
	ok, err := p.re.MatchString(s)
	if err != nil {
		panic(slowPattern{p.re.String()})
	}
	return ok
}

// String implements jsonschema.Regexp.
func (p pattern) String() string { return p.re.String() }

func compilePattern(expr string) (jsonschema.Regexp, error) {
	re, err := regexp2.Compile(expr, regexp2.ECMAScript, regexp2.Unicode)
	if err != nil { // the u flag is stricter: [\w-.] is fine without it
		if re, err = regexp2.Compile(expr, regexp2.ECMAScript); err != nil {
			return nil, err
		}
	}
	re.MatchTimeout = patternTimeout
	return pattern{re}, nil
}
