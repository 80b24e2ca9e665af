package registry

import "encoding/json"

// Spec is a tool as an agent presents it to a model, before any provider's own
// format; package registry/render knows those.
type Spec struct {
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Input       SpecInput `json:"input"`
}

// The types of a [SpecInput].
const (
	InputJSONSchema = "json_schema"
	InputFreeform   = "freeform"
)

// SpecInput is how a tool takes its input: a schema, or a grammar.
type SpecInput struct {
	Type       string          `json:"type"`
	Parameters json.RawMessage `json:"parameters,omitempty"` // json_schema
	Syntax     Syntax          `json:"syntax,omitempty"`     // freeform
	Definition string          `json:"definition,omitempty"` // freeform: the grammar, verbatim
}

// Specs lists the tools of a snapshot in its order.
func Specs(s *Snapshot) []Spec {
	specs := make([]Spec, 0, s.Len())
	for _, e := range s.entries {
		specs = append(specs, e.spec())
	}
	return specs
}

func (e *Entry) spec() Spec {
	spec := Spec{Name: e.name, Description: e.description}
	if f := e.Info.InputFormat; f != nil {
		spec.Input = SpecInput{Type: InputFreeform, Syntax: f.Syntax, Definition: f.Definition}
	} else {
		spec.Input = SpecInput{Type: InputJSONSchema, Parameters: e.parameters}
	}
	return spec
}

// Document is a tool as text, for an index that finds tools by meaning.
type Document struct {
	ID   string `json:"id"`   // the registered name
	Text string `json:"text"` // name, description and input
}

// Documents lists the tools of a snapshot in its order.
func Documents(s *Snapshot) []Document {
	docs := make([]Document, 0, s.Len())
	for _, e := range s.entries {
		input := string(e.parameters)
		if f := e.Info.InputFormat; f != nil {
			input = f.describe()
		}
		docs = append(docs, Document{ID: e.name, Text: e.name + "\n" + e.description + "\n" + input})
	}
	return docs
}

// AnnotationsOf is what a tool tells of itself in MCP's terms: its own
// annotations, and for what they leave open, hints derived from its risk and
// effects. A hint that MCP would assume anyway, or that nothing is known of,
// stays nil.
func AnnotationsOf(e Entry) Annotations {
	var a Annotations
	if e.Info.Annotations != nil {
		a = *e.Info.Annotations
	}
	hint := func(h **bool, v bool) {
		if *h == nil {
			*h = &v
		}
	}
	effects := e.Info.Effects
	hint(&a.OpenWorld, effects.Has(EffectNet) || effects.Has(EffectRun))
	switch e.risk {
	case Read:
		hint(&a.ReadOnly, true)
	case Write:
		hint(&a.Destructive, false)
	case Destructive:
		hint(&a.Destructive, true)
	}
	return a
}
