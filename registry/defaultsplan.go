package registry

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// planDefaults reads the defaults of a schema. A default that breaks its own
// schema is an error here, or every call without that argument would fail.
func planDefaults(text string, c *argSchema) (*fillPlan, error) {
	if !strings.Contains(text, `"default"`) { // the common case; an escaped key is nobody's default
		return nil, nil
	}
	b := planner{texts: map[string]string{}, plans: map[string]*fillPlan{}, schema: c}
	b.locate("", text)
	root, err := b.plan([]*jsonschema.Schema{c.root})
	if err != nil {
		return nil, err
	}
	b.markUseful()
	for _, d := range b.defaults {
		if err := b.completeDefault(d, 0); err != nil {
			return nil, fmt.Errorf("%s: %w", d.where, err)
		}
	}
	return root, nil
}

// planner builds the plans of one schema.
type planner struct {
	schema   *argSchema
	texts    map[string]string    // JSON pointer → text of each object in the schema
	plans    map[string]*fillPlan // by the schemas they are made of; recursion ends here
	defaults []*plannedDefault
}

type plannedDefault struct {
	prop  *fillProp
	parts []*jsonschema.Schema // what the default must satisfy
	where string
	state int // 0 new, 1 under way, 2 complete
}

// locate records the texts of value and everything in it.
func (b *planner) locate(pointer, value string) {
	switch value[0] {
	case '{':
		b.texts[pointer] = value
		eachMember(value, func(key, v string) {
			b.locate(pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(key), v)
		})
	case '[':
		i := 0
		eachItem(value, func(v string) {
			b.locate(fmt.Sprintf("%s/%d", pointer, i), v)
			i++
		})
	}
}

// plan makes the plan for a value that all schemas apply to.
func (b *planner) plan(schemas []*jsonschema.Schema) (*fillPlan, error) {
	parts := unconditional(schemas)
	id := fmt.Sprint(locations(parts))
	if p := b.plans[id]; p != nil {
		return p, nil
	}
	if len(b.plans) > maxSchemaValues {
		return nil, errors.New("has too many combinations of allOf and $ref")
	}
	p := &fillPlan{}
	b.plans[id] = p
	inner := map[string][]*jsonschema.Schema{}
	var order []string
	var items []*jsonschema.Schema
	for _, s := range parts {
		if props := member(orEmpty(b.texts[pointerOf(s)]), "properties"); props != "" && props[0] == '{' {
			eachMember(props, func(name, _ string) {
				if s.Properties[name] == nil {
					return
				}
				if inner[name] == nil {
					order = append(order, name)
				}
				inner[name] = append(inner[name], s.Properties[name])
			})
		}
		if s.Items2020 != nil {
			items = append(items, s.Items2020)
		} else if one, ok := s.Items.(*jsonschema.Schema); ok {
			items = append(items, one)
		}
	}
	var err error
	for _, name := range order {
		prop := &fillProp{name: name, key: quote(name) + ":"}
		b.findDefault(prop, unconditional(inner[name]))
		if prop.inner, err = b.plan(inner[name]); err != nil {
			return nil, err
		}
		p.props = append(p.props, prop)
	}
	if len(items) > 0 {
		if p.items, err = b.plan(items); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// findDefault takes the first default that parts name.
func (b *planner) findDefault(prop *fillProp, parts []*jsonschema.Schema) {
	for _, s := range parts {
		if text := member(orEmpty(b.texts[pointerOf(s)]), "default"); text != "" {
			doc, err := parseJSON(text)
			if err != nil {
				return // cannot be: it is a part of a text that was parsed
			}
			prop.def = &doc
			b.defaults = append(b.defaults, &plannedDefault{prop: prop, parts: parts, where: pointerOf(s)})
			return
		}
	}
}

// completeDefault fills the defaults inside a default and checks it.
func (b *planner) completeDefault(d *plannedDefault, depth int) error {
	if d.state == 2 {
		return nil
	}
	if d.state == 1 || depth > maxJSONDepth {
		return errors.New("a default contains itself")
	}
	d.state = 1
	if d.prop.inner.useful && isContainer(d.prop.def.value) {
		for _, other := range b.defaults { // what this one may take in must be complete first
			if other != d && d.prop.inner.reaches(other.prop, d.prop.def.value) {
				if err := b.completeDefault(other, depth+1); err != nil {
					return err
				}
			}
		}
		if d.prop.inner.reaches(d.prop, d.prop.def.value) {
			return errors.New("a default contains itself")
		}
		d.prop.inner.fill(d.prop.def)
	}
	d.state = 2
	for _, s := range d.parts {
		if err := b.schema.validate(s, d.prop.def.value); err != nil {
			return fmt.Errorf("the default %s breaks its own schema: %w", received(d.prop.def.value), err)
		}
	}
	return nil
}

// reaches reports whether filling value would insert the default of prop.
func (p *fillPlan) reaches(prop *fillProp, value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for _, own := range p.props {
			e, ok := v[own.name]
			if own == prop && !ok || ok && own.inner.useful && own.inner.reaches(prop, e) {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if p.items != nil && p.items.reaches(prop, e) {
				return true
			}
		}
	}
	return false
}

// markUseful finds the plans that lead to a default.
func (b *planner) markUseful() {
	for changed := true; changed; {
		changed = false
		for _, p := range b.plans {
			if p.useful {
				continue
			}
			p.useful = p.items != nil && p.items.useful
			for _, prop := range p.props {
				p.useful = p.useful || prop.def != nil || prop.inner.useful
			}
			changed = changed || p.useful
		}
	}
}

// unconditional lists schemas with all that hold wherever they do.
func unconditional(schemas []*jsonschema.Schema) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	seen := map[*jsonschema.Schema]bool{}
	var visit func(s *jsonschema.Schema)
	visit = func(s *jsonschema.Schema) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		out = append(out, s)
		visit(s.Ref)
		for _, a := range s.AllOf {
			visit(a)
		}
	}
	for _, s := range schemas {
		visit(s)
	}
	return out
}

func locations(schemas []*jsonschema.Schema) []string {
	out := make([]string, len(schemas))
	for i, s := range schemas {
		out[i] = s.Location
	}
	return out
}

func orEmpty(object string) string {
	if object == "" {
		return "{}"
	}
	return object
}
