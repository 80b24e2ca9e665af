package registry

import "strings"

// A fillPlan says which defaults belong into a value. Defaults are taken from
// what holds without condition: properties, items, $ref and allOf, at any
// depth; an object that the caller left out is not made up for the sake of
// defaults inside it.
//
// Filling edits the text of the arguments rather than a decoded form, so that
// the caller's key order and numbers of any size stay as they are.
type fillPlan struct {
	props  []*fillProp // in the order of the schema's text
	items  *fillPlan   // nil: none
	useful bool        // some default lies here or deeper
}

type fillProp struct {
	name  string
	key   string    // name as it stands in JSON, with the colon
	def   *jsonDoc  // complete with the defaults inside it; nil: none
	inner *fillPlan // nil: none
}

// fill completes doc. It changes doc.value in place.
func (p *fillPlan) fill(doc *jsonDoc) {
	if p != nil && p.useful {
		doc.text = p.complete(doc.text, doc.value)
	}
}

// complete returns text with every default filled in, and value too.
func (p *fillPlan) complete(text string, value any) string {
	switch v := value.(type) {
	case map[string]any:
		return p.completeObject(text, v)
	case []any:
		if p.items != nil && p.items.useful && len(v) > 0 {
			return p.completeArray(text, v)
		}
	}
	return text
}

func (p *fillPlan) completeObject(text string, obj map[string]any) string {
	missing, deeper := false, false
	for _, prop := range p.props {
		v, ok := obj[prop.name]
		missing = missing || !ok && prop.def != nil
		deeper = deeper || ok && prop.inner != nil && prop.inner.useful && isContainer(v)
	}
	if !missing && !deeper {
		return text
	}
	var b strings.Builder
	b.WriteByte('{')
	sep := ""
	if deeper {
		eachMember(text, func(key, v string) {
			if prop := p.prop(key); prop != nil && prop.inner != nil && prop.inner.useful {
				v = prop.inner.complete(v, obj[key])
			}
			b.WriteString(sep + quote(key) + ":" + v)
			sep = ","
		})
	} else if body := strings.TrimRight(text[1:len(text)-1], " \t\r\n"); body != "" {
		b.WriteString(body)
		sep = ","
	}
	for _, prop := range p.props {
		if _, ok := obj[prop.name]; !ok && prop.def != nil {
			b.WriteString(sep)
			b.WriteString(prop.key)
			b.WriteString(prop.def.text)
			sep = ","
			obj[prop.name] = prop.def.value
		}
	}
	b.WriteByte('}')
	return b.String()
}

func (p *fillPlan) completeArray(text string, arr []any) string {
	var b strings.Builder
	b.WriteByte('[')
	i := 0
	eachItem(text, func(v string) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(p.items.complete(v, arr[i]))
		i++
	})
	b.WriteByte(']')
	return b.String()
}

func (p *fillPlan) prop(name string) *fillProp {
	for _, prop := range p.props {
		if prop.name == name {
			return prop
		}
	}
	return nil
}

func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}
