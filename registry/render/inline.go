package render

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// The limits of what inlining makes of a schema; beyond them a reference is cut
// off. No provider takes as much.
const (
	maxInlined = 1 << 17 // bytes, about
	maxDepth   = 60      // schemas within schemas, and references within references
	maxPath    = 400     // steps from the root to a reference
)

// inlined is a schema without references and without the keywords that only
// serve them. A schema that contains itself is cut off where it recurs.
func inlined(schema any, n *notes) any {
	in := inliner{notes: n, left: maxInlined, ids: map[string]any{}}
	in.find(schema)
	return in.schema(schema, "", schema, nil)
}

type inliner struct {
	notes *notes
	left  int            // bytes
	ids   map[string]any // schemas by their $id
}

// find records the schemas that have a name of their own.
func (in *inliner) find(v any) {
	o, ok := v.(object)
	if !ok {
		return
	}
	if id, ok := o.get("$id").(string); ok {
		in.ids[strings.TrimSuffix(id, "#")] = o
	}
	mapParts(o, "", func(v any, _ string) any { in.find(v); return v })
}

// schema inlines v, which belongs to the document base. The references that led
// to it are in within.
func (in *inliner) schema(v any, path string, base any, within []string) any {
	o, ok := v.(object)
	if !ok {
		return v
	}
	if o.has("$id") {
		base = o
	}
	in.left -= 2
	rest := object{}
	for _, m := range o {
		switch m.key {
		case "$ref", "$dynamicRef", "$recursiveRef", "$defs", "definitions", "$schema", "$id", "$anchor",
			"$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$comment":
		default:
			rest = append(rest, m)
			if !holdsSchema[m.key] && !holdsList[m.key] && !holdsMap[m.key] {
				in.left -= size(m.value)
			}
			in.left -= len(m.key) + 4
		}
	}
	rest = mapParts(rest, path, func(v any, path string) any { return in.schema(v, path, base, within) })
	for _, key := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		ref, ok := o.get(key).(string)
		if !ok {
			continue
		}
		target, doc, found := in.resolve(ref, base)
		switch {
		case !found:
			in.notes.add(Dropped, path, key, "cannot be resolved here: "+clipped(ref))
			continue
		case slices.Contains(within, ref):
			in.notes.add(Dropped, path, key, "the schema contains itself: cut off at "+clipped(ref))
			continue
		case len(within) >= maxDepth || strings.Count(path, "/") > maxPath || in.left < 0:
			in.notes.add(Dropped, path, key, "the schema is too large without references")
			continue
		}
		part := in.schema(target, path, doc, append(slices.Clip(within), ref))
		if t, ok := part.(object); ok {
			rest = merged(rest, t, path, in.notes)
		} else if part == false && len(rest) == 0 {
			return false
		}
	}
	return rest
}

// resolve finds what a reference within base means, and the document it is in.
func (in *inliner) resolve(ref string, base any) (target, doc any, ok bool) {
	id, fragment, _ := strings.Cut(ref, "#")
	if doc = base; id != "" {
		if doc, ok = in.ids[id]; !ok {
			return nil, nil, false
		}
	}
	if f, err := url.PathUnescape(fragment); err == nil {
		fragment = f
	}
	if fragment == "" {
		return doc, doc, true
	}
	if !strings.HasPrefix(fragment, "/") {
		target = anchored(doc, fragment)
		return target, doc, target != nil
	}
	target = doc
	for token := range strings.SplitSeq(fragment[1:], "/") {
		token = pointerUnescaper.Replace(token)
		switch v := target.(type) {
		case object:
			if !v.has(token) {
				return nil, nil, false
			}
			target = v.get(token)
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil, nil, false
			}
			target = v[i]
		default:
			return nil, nil, false
		}
	}
	return target, doc, isSchema(target)
}

// anchored finds the schema of that anchor.
func anchored(v any, name string) (found any) {
	o, ok := v.(object)
	if !ok {
		return nil
	}
	if o.get("$anchor") == name || o.get("$dynamicAnchor") == name {
		return o
	}
	mapParts(o, "", func(v any, _ string) any {
		if found == nil {
			found = anchored(v, name)
		}
		return v
	})
	return found
}

// merged is what both a and b ask for, as far as one schema can say it. Where it
// cannot, a wins.
func merged(a, b object, path string, n *notes) object {
	out := slices.Clone(a)
	for _, m := range b {
		i := out.index(m.key)
		if i < 0 {
			out = append(out, m)
			continue
		}
		old := out[i].value
		switch m.key {
		case "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly":
			continue // what is nearer says it better
		case "properties":
			mine, ok1 := old.(object)
			theirs, ok2 := m.value.(object)
			if ok1 && ok2 {
				out[i].value = mergedProperties(mine, theirs, path+"/properties", n)
				continue
			}
		case "required":
			mine, ok1 := old.([]any)
			theirs, ok2 := m.value.([]any)
			if ok1 && ok2 {
				out[i].value = union(mine, theirs)
				continue
			}
		case "allOf":
			mine, ok1 := old.([]any)
			theirs, ok2 := m.value.([]any)
			if ok1 && ok2 {
				out[i].value = append(slices.Clone(mine), theirs...)
				continue
			}
		}
		if !equal(old, m.value) {
			n.add(Changed, path, m.key, "asked for twice; one of them is shown")
		}
	}
	return out
}

func mergedProperties(a, b object, path string, n *notes) object {
	out := slices.Clone(a)
	for _, m := range b {
		i := out.index(m.key)
		if i < 0 {
			out = append(out, m)
			continue
		}
		mine, ok1 := out[i].value.(object)
		theirs, ok2 := m.value.(object)
		if ok1 && ok2 {
			out[i].value = merged(mine, theirs, path+"/"+escaped(m.key), n)
		}
	}
	return out
}

// union is a with what b has more.
func union(a, b []any) []any {
	out := slices.Clone(a)
	for _, e := range b {
		if !slices.ContainsFunc(out, func(have any) bool { return equal(have, e) }) {
			out = append(out, e)
		}
	}
	return out
}

// flatRoot is a root schema without alternatives at its top, which several
// providers refuse there. What allOf asks for becomes part of the root; of anyOf
// and oneOf the properties do, as optional ones.
func flatRoot(root object, n *notes) object {
	for root.has("allOf") {
		parts, _ := root.get("allOf").([]any)
		root = root.without("allOf")
		for _, p := range parts {
			if part, ok := p.(object); ok {
				root = merged(root, part, "", n)
			}
		}
		n.add(Changed, "", "allOf", "its parts are shown as one")
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		for root.has(key) {
			parts, _ := root.get(key).([]any)
			root = root.without(key)
			var common []any
			for i, p := range parts {
				part, _ := p.(object)
				part = flatRoot(part, n)
				required, _ := part.get("required").([]any)
				if i == 0 {
					common = required
				} else {
					common = slices.DeleteFunc(slices.Clone(common), func(have any) bool {
						return !slices.ContainsFunc(required, func(r any) bool { return equal(r, have) })
					})
				}
				if props, ok := part.get("properties").(object); ok {
					root = merged(root, object{{"properties", props}}, "", n)
				}
			}
			if len(common) > 0 {
				root = merged(root, object{{"required", common}}, "", n)
			}
			n.add(Changed, "", key, "the properties of its branches are shown as optional ones")
		}
	}
	return root
}

func clipped(s string) string {
	const limit = 100
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return s
}
