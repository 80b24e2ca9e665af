package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rho-ext/rho-ext/host/wire"
)

const (
	maxDepth     = 5   // levels of objects and lists that models still fill in well
	maxEnum      = 100 // values that a model should have to read
	minDescribed = 12  // characters of a description that says something
)

// schemaRules look at what a model is shown of a tool.
func schemaRules(u *unit) {
	if u.Manifest == nil {
		return
	}
	for _, t := range u.Manifest.Tools {
		if d := strings.TrimSpace(t.Description); len([]rune(d)) < minDescribed || strings.EqualFold(strings.Trim(d, "."), strings.ReplaceAll(t.Name, "_", " ")) {
			u.say("tool-description", u.toolKey(t, "description"), "say what it does, when to use it and what it returns: a model chooses by it",
				"the description of %s says too little: %q", t.Name, short(d, 40))
		}
		root, ok := decoded(t.Parameters).(map[string]any)
		if !ok {
			continue
		}
		s := &schemaWalk{u: u, t: t, where: u.toolKey(t, "parameters")}
		s.top(root)
		s.walk(root, "", 0)
		if s.deepest > maxDepth {
			u.say("schema-depth", s.where, "flatten it, or take the deep part as JSON text", "the parameters of %s are nested %d levels deep, at %s; models make mistakes below %d",
				t.Name, s.deepest, s.deepAt, maxDepth)
		}
	}
}

func decoded(raw json.RawMessage) any {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	return v
}

// schemaWalk looks at one tool's parameters.
type schemaWalk struct {
	u       *unit
	t       wire.Tool
	where   at
	deepest int
	deepAt  string
	seen    int
}

// top looks at the parameters themselves.
func (s *schemaWalk) top(root map[string]any) {
	properties, _ := root["properties"].(map[string]any)
	var bare []string
	for _, name := range sorted(properties) {
		p, ok := properties[name].(map[string]any)
		if !ok || p["$ref"] != nil {
			continue
		}
		if d, _ := p["description"].(string); strings.TrimSpace(d) == "" {
			bare = append(bare, name)
		}
	}
	if len(bare) > 0 {
		what := "the parameter " + bare[0] + " of " + s.t.Name + " has no description"
		if len(bare) > 1 {
			what = "the parameters " + joined(bare) + " of " + s.t.Name + " have no description"
		}
		s.u.say("parameter-description", s.where, "say what it means and in which form: a model sees nothing else", "%s", what)
	}
	if _, closed := root["additionalProperties"]; !closed && root["unevaluatedProperties"] == nil && root["patternProperties"] == nil && len(properties) > 0 &&
		root["allOf"] == nil && root["anyOf"] == nil && root["oneOf"] == nil && root["$ref"] == nil {
		s.u.say("schema-open", s.where, "add additionalProperties: false, and a misspelt name is answered with what was meant",
			"%s takes parameters that its schema does not name", s.t.Name)
	}
}

// walk looks at a schema and those in it. level counts objects and lists.
func (s *schemaWalk) walk(schema any, path string, level int) {
	o, ok := schema.(map[string]any)
	if s.seen++; !ok || s.seen > 10_000 || level > 200 {
		return
	}
	if level > s.deepest {
		s.deepest, s.deepAt = level, path
	}
	s.required(o, path)
	s.enum(o, path)
	s.limits(o, path)
	for _, name := range sorted(o) {
		inner := 0
		switch name {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			if name == "properties" || name == "patternProperties" {
				inner = 1
			}
			parts, _ := o[name].(map[string]any)
			for _, key := range sorted(parts) {
				s.walk(parts[key], path+"/"+name+"/"+key, level+inner)
			}
		case "items", "additionalProperties", "contains", "unevaluatedProperties", "unevaluatedItems":
			s.walk(o[name], path+"/"+name, level+1)
		case "not", "if", "then", "else", "propertyNames":
			s.walk(o[name], path+"/"+name, level)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			list, _ := o[name].([]any)
			for i, part := range list {
				s.walk(part, fmt.Sprintf("%s/%s/%d", path, name, i), level)
			}
		}
	}
}

func (s *schemaWalk) required(o map[string]any, path string) {
	list, _ := o["required"].([]any)
	properties, has := o["properties"].(map[string]any)
	if !has || strings.Contains(path, "Of/") || strings.HasSuffix(path, "/if") || strings.HasSuffix(path, "/then") || strings.HasSuffix(path, "/else") {
		return // the properties may be those of the schema around it
	}
	for _, k := range []string{"patternProperties", "allOf", "anyOf", "oneOf", "$ref"} {
		if o[k] != nil {
			return
		}
	}
	for _, name := range list {
		text, _ := name.(string)
		if _, ok := properties[text]; ok {
			continue
		}
		severity, effect := Warning, "a model is not told what it is"
		if o["additionalProperties"] == false {
			severity, effect = Error, "no call can ever be right"
		}
		s.u.sayAs(severity, "required-unknown", s.where, "add it to properties, or take it out of required", "%s requires %s%s, which is not among its properties: %s", s.t.Name, text, in(path), effect)
	}
}

func (s *schemaWalk) enum(o map[string]any, path string) {
	if list, ok := o["enum"].([]any); ok && len(list) > maxEnum {
		s.u.say("enum-large", s.where, "take a text and check it, or offer a tool that searches the values", "%s has an enum of %d values%s, which every model has to read each time", s.t.Name, len(list), in(path))
	}
}

// limits finds bounds that nothing can meet.
func (s *schemaWalk) limits(o map[string]any, path string) {
	for _, pair := range [][2]string{{"minimum", "maximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"}, {"minProperties", "maxProperties"}} {
		low, ok1 := number(o[pair[0]])
		high, ok2 := number(o[pair[1]])
		if ok1 && ok2 && low > high {
			s.u.say("schema-impossible", s.where, "exchange the two", "%s: %s is larger than %s%s, so no value is right", s.t.Name, pair[0], pair[1], in(path))
		}
	}
}

func number(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// valid checks a value against a schema. One that does not compile, which the
// registry refuses on its own, finds nothing wrong.
func valid(schema, value any) error {
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", schema); err != nil {
		return nil
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		return nil
	}
	return compiled.Validate(value)
}

func in(path string) string {
	if path == "" {
		return ""
	}
	return " at " + path
}

// exampleRules check that a tool's own examples would be accepted.
func exampleRules(u *unit) {
	if u.Manifest == nil {
		return
	}
	for _, t := range u.Manifest.Tools {
		root, ok := decoded(t.Parameters).(map[string]any)
		if !ok {
			continue
		}
		for i, x := range t.Examples {
			err := valid(root, decoded(x.Args))
			if err == nil {
				continue
			}
			lines := strings.Split(err.Error(), "\n")
			u.say("example-invalid", u.toolKey(t, "examples"), "correct the example: models copy it", "%s: example %d breaks the schema: %s", t.Name, i+1,
				strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "- "))
		}
	}
}
