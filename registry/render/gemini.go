package render

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rho-ext/rho-ext/registry"
)

// maxGeminiName is the longest name of a function that every version of the API
// takes.
const maxGeminiName = 63

// geminiKey is what Gemini takes for the name of a parameter.
var geminiKey = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`)

// Gemini renders the entries of functionDeclarations, with parameters in the
// API's own Schema, a subset of OpenAPI 3.0. A tool without parameters has none.
func Gemini(s *registry.Snapshot, _ Options) ([]json.RawMessage, []Note, error) {
	return each(s, func(e registry.Entry, n *notes) (object, error) {
		noteDegraded(e, n)
		if len(e.Name()) > maxGeminiName {
			n.add(Kept, "", "name", fmt.Sprintf("has %d characters; some versions take %d", len(e.Name()), maxGeminiName))
		}
		params, err := parameters(e, n)
		if err != nil {
			return nil, err
		}
		params = flatRoot(params, n)
		decl := object{{"name", e.Name()}, {"description", e.Description()}}
		g := gemini{notes: n, left: maxInlined}
		if schema := g.schema(params, "", 0); schema.has("properties") {
			decl = append(decl, member{"parameters", schema})
		}
		return decl, nil
	})
}

type gemini struct {
	notes *notes
	left  int // bytes, for alternatives multiply
}

// geminiAny is a schema that anything but a list or an object meets: those two
// must say what they hold.
func geminiAny(about object) object {
	var list []any
	for _, t := range []string{"STRING", "NUMBER", "BOOLEAN"} {
		list = append(list, append(object{{"type", t}}, about...))
	}
	return object{{"anyOf", list}}
}

// schema converts one schema.
func (g *gemini) schema(v any, path string, depth int) object {
	o, _ := v.(object)
	if depth > maxDepth || g.left < 0 {
		g.notes.add(Changed, path, "type", "nested too deeply or too large: shown as a string")
		return object{{"type", "STRING"}}
	}
	if v == false {
		g.notes.add(Changed, path, "false", "a value that must not be is shown as anything")
	}
	nullable := false
	for {
		if parts, ok := o.get("allOf").([]any); ok {
			o = o.without("allOf")
			for _, p := range parts {
				if part, ok := p.(object); ok {
					o = merged(o, part, path, g.notes)
				}
			}
			continue
		}
		key := "anyOf"
		if !o.has(key) {
			key = "oneOf"
		} else if o.has("oneOf") {
			g.notes.add(Dropped, path, "oneOf", "beside anyOf")
			o = o.without("oneOf")
		}
		parts, ok := o.get(key).([]any)
		if !ok {
			break
		}
		base := o.without(key)
		var branches []object
		for _, p := range parts {
			part, ok := p.(object)
			if !ok { // true or false
				continue
			}
			if isNull(part) {
				nullable = true
				continue
			}
			branches = append(branches, part)
		}
		if key == "oneOf" && len(branches) > 1 {
			g.notes.add(Changed, path, "oneOf", "shown as anyOf")
		}
		if len(branches) <= 1 {
			if o = base; len(branches) == 1 {
				o = merged(branches[0], base, path, g.notes)
			}
			continue
		}
		list := make([]any, len(branches))
		for i, b := range branches {
			list[i] = g.schema(merged(b, base, fmt.Sprintf("%s/%s/%d", path, key, i), g.notes), fmt.Sprintf("%s/%s/%d", path, key, i), depth+1)
			if nullable {
				list[i] = asNullable(list[i].(object))
			}
		}
		return object{{"anyOf", list}}
	}
	types, null := typesOf(o)
	nullable = nullable || null
	var out object
	switch len(types) {
	case 0:
		if null {
			return object{{"type", "NULL"}}
		}
		g.notes.add(Changed, path, "type", "a value of any type is shown as a string, number or boolean")
		g.noteDropped(o, path, "title", "description")
		out = geminiAny(g.about(o))
	case 1:
		out = g.typed(o, types[0], path, depth)
	default:
		g.notes.add(Changed, path, "type", "a list of types is shown as anyOf")
		var list []any
		for _, t := range types {
			part := g.typed(o, t, path, depth)
			if nullable {
				part = asNullable(part)
			}
			list = append(list, part)
		}
		return object{{"anyOf", list}}
	}
	if nullable {
		out = asNullable(out)
	}
	return out
}

// asNullable lets a converted schema be null. Beside anyOf no other field may
// stand, so that its branches say it.
func asNullable(o object) object {
	list, ok := o.get("anyOf").([]any)
	if !ok {
		return o.with("nullable", true)
	}
	out := make([]any, len(list))
	for i, b := range list {
		out[i] = asNullable(b.(object))
	}
	return o.with("anyOf", out)
}

func isNull(o object) bool {
	if t := o.get("type"); t != nil {
		return t == "null"
	}
	if list, ok := o.get("enum").([]any); ok {
		return len(list) == 1 && list[0] == nil
	}
	return o.has("const") && o.get("const") == nil
}

// typesOf lists the types of a schema, less null, and guesses them where it does
// not say.
func typesOf(o object) (types []string, null bool) {
	add := func(t any) {
		if s, ok := t.(string); ok && s == "null" {
			null = true
		} else if ok && !slices.Contains(types, s) {
			types = append(types, s)
		}
	}
	switch t := o.get("type").(type) {
	case string:
		add(t)
		return types, null
	case []any:
		for _, e := range t {
			add(e)
		}
		if i := slices.Index(types, "integer"); i >= 0 && slices.Contains(types, "number") {
			types = slices.Delete(types, i, i+1)
		}
		return types, null
	}
	for _, v := range allowed(o) {
		add(typeOf(v))
	}
	if types != nil || null {
		return types, null
	}
	for _, m := range o {
		switch m.key {
		case "properties", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties":
			return []string{"object"}, false
		case "items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains":
			return []string{"array"}, false
		case "minLength", "maxLength", "pattern", "format":
			return []string{"string"}, false
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
			return []string{"number"}, false
		}
	}
	return nil, false
}

// allowed lists the values of enum or const.
func allowed(o object) []any {
	if list, ok := o.get("enum").([]any); ok {
		return list
	}
	if o.has("const") {
		return []any{o.get("const")}
	}
	return nil
}

func typeOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		if _, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	case object:
		return "object"
	}
	return "null"
}

// about is what describes a schema.
func (g *gemini) about(o object) object {
	var out object
	for _, key := range []string{"title", "description"} {
		if s, ok := o.get(key).(string); ok {
			out = append(out, member{key, s})
			g.left -= len(s)
		}
	}
	return out
}

// geminiFormats are the formats that the API documents, by type.
var geminiFormats = map[string]map[string]bool{
	"number":  set("float", "double"),
	"integer": set("int32", "int64"),
	"string":  set("date-time"),
}

// typed converts a schema that is about values of one type.
func (g *gemini) typed(o object, typ, path string, depth int) object {
	g.left -= 40
	out := append(object{{"type", strings.ToUpper(typ)}}, g.about(o)...)
	known := []string{"type", "title", "description"}
	take := func(keys ...string) { // as they are
		known = append(known, keys...)
		for _, key := range keys {
			if o.has(key) {
				out = append(out, member{key, o.get(key)})
				g.left -= size(o.get(key))
			}
		}
	}
	known = append(known, "enum", "const")
	out = g.values(o, out, typ, path)
	if f, ok := o.get("format").(string); ok && geminiFormats[typ][f] && !out.has("format") {
		take("format")
	}
	switch typ {
	case "string":
		take("minLength", "maxLength", "pattern")
	case "number", "integer":
		take("minimum", "maximum")
		for _, side := range []struct {
			exclusive, inclusive string
			step                 int64
		}{{"exclusiveMinimum", "minimum", 1}, {"exclusiveMaximum", "maximum", -1}} {
			if n, ok := o.get(side.exclusive).(json.Number); ok {
				known = append(known, side.exclusive)
				out = g.bound(out, n, typ, path, side.exclusive, side.inclusive, side.step)
			}
		}
	case "array":
		take("minItems", "maxItems")
		known = append(known, "items")
		out = append(out, member{"items", g.items(o, path, depth)})
	case "object":
		take("minProperties", "maxProperties")
		known = append(known, "properties", "required")
		out = g.properties(o, out, path, depth)
	}
	take("default")
	for t, keys := range keywordsOf {
		if t != typ && !(t == "number" && typ == "integer") {
			known = append(known, keys...) // say nothing about values of this type
		}
	}
	g.noteDropped(o, path, known...)
	return out
}

// keywordsOf lists the keywords that are about values of one type.
var keywordsOf = map[string][]string{
	"string": {"minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema"},
	"number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
	"array": {"items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains",
		"maxContains", "unevaluatedItems"},
	"object": {"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
		"maxProperties", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"},
}

// values adds the allowed values. The API knows them for strings alone; others
// go into the description.
func (g *gemini) values(o, out object, typ, path string) object {
	values := allowed(o)
	if values == nil {
		return out
	}
	keyword := "const"
	if o.has("enum") {
		keyword = "enum"
	}
	var mine []any
	for _, v := range values {
		if t := typeOf(v); t == typ || t == "integer" && typ == "number" {
			mine = append(mine, v)
		}
	}
	g.left -= size(mine)
	switch {
	case len(mine) == 0:
		return out
	case typ != "string":
		texts := make([]string, len(mine))
		for i, v := range mine {
			texts[i] = string(encode(v))
		}
		about, _ := out.get("description").(string)
		if about != "" {
			about += " "
		}
		g.notes.add(Changed, path, keyword, "the allowed values are told in the description")
		return out.with("description", about+"One of: "+strings.Join(texts, ", "))
	case slices.Contains(mine, any("")): // refused as a value
		g.notes.add(Dropped, path, keyword, "it allows the empty string")
		return out
	}
	if keyword == "const" {
		g.notes.add(Changed, path, keyword, "shown as enum")
	}
	return append(out, member{"format", "enum"}, member{"enum", mine})
}

// bound adds an exclusive bound as an inclusive one.
func (g *gemini) bound(out object, n json.Number, typ, path, exclusive, inclusive string, step int64) object {
	detail := "shown as " + inclusive + ", which allows the bound itself"
	if i, err := strconv.ParseInt(string(n), 10, 53); err == nil && typ == "integer" {
		n = json.Number(strconv.FormatInt(i+step, 10))
		detail = "shown as " + inclusive
	}
	if out.has(inclusive) {
		g.notes.add(Dropped, path, exclusive, "beside "+inclusive)
		return out
	}
	g.notes.add(Changed, path, exclusive, detail)
	return append(out, member{inclusive, n})
}

// items is what an array holds, which must be said.
func (g *gemini) items(o object, path string, depth int) object {
	switch items := o.get("items").(type) {
	case object:
		return g.schema(items, path+"/items", depth+1)
	case []any:
		g.notes.add(Dropped, path, "items", "a schema for each place")
	case nil:
		g.notes.add(Changed, path, "items", "an array must say what it holds: a string, number or boolean")
	}
	return geminiAny(nil)
}

func (g *gemini) properties(o, out object, path string, depth int) object {
	props, _ := o.get("properties").(object)
	var list object
	var order, required []any
	for _, p := range props {
		at := path + "/properties/" + escaped(p.key)
		if p.value == false {
			g.notes.add(Dropped, at, "false", "a property that must not be")
			continue
		}
		if !geminiKey.MatchString(p.key) {
			g.notes.add(Kept, at, "properties", "the name does not match "+geminiKey.String())
		}
		list = append(list, member{p.key, g.schema(p.value, at, depth+1)})
		order = append(order, p.key)
		g.left -= len(p.key)
	}
	if list == nil {
		if o.has("required") {
			g.notes.add(Dropped, path, "required", "without properties")
		}
		return out
	}
	names, _ := o.get("required").([]any)
	for _, r := range names {
		if name, ok := r.(string); ok && list.has(name) {
			required = append(required, r)
		} else {
			g.notes.add(Dropped, path, "required", "names a property that is not there")
		}
	}
	out = append(out, member{"properties", list})
	if required != nil {
		out = append(out, member{"required", required})
	}
	if len(order) > 1 {
		out = append(out, member{"propertyOrdering", order})
	}
	return out
}

// noteDropped says which keywords are left out that would have had a meaning.
func (g *gemini) noteDropped(o object, path string, known ...string) {
	for _, m := range o {
		if !slices.Contains(known, m.key) {
			g.notes.add(Dropped, path, m.key, "")
		}
	}
}
