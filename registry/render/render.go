package render

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/rho-ext/rho-ext/registry"
)

// Options choose among the formats of one provider. The zero value is what the
// provider recommends.
type Options struct {
	// ChatCompletions is OpenAI's older format, which other providers speak too,
	// instead of the one of the Responses API.
	ChatCompletions bool
	// DegradeFreeform shows a freeform tool to OpenAI as a function of one text,
	// for services and models that know no custom tools.
	DegradeFreeform bool
}

// OpenAI renders for the Responses API, or for Chat Completions. Functions are
// not strict: strict mode knows no optional arguments, and the door validates.
func OpenAI(s *registry.Snapshot, o Options) ([]json.RawMessage, []Note, error) {
	return each(s, func(e registry.Entry, n *notes) (object, error) {
		if f := e.Info.InputFormat; f != nil && !o.DegradeFreeform {
			return openAICustom(e, f, o), nil
		}
		noteDegraded(e, n)
		params, err := parameters(e, n)
		if err != nil {
			return nil, err
		}
		params = flatRoot(params, n)
		for _, key := range []string{"enum", "const", "not"} {
			if params.has(key) {
				params = params.without(key)
				n.add(Dropped, "", key, "not allowed at the top")
			}
		}
		if !params.has("properties") {
			params = params.with("properties", object{})
		}
		params = openAIArrays(params, "", n).(object)
		function := object{{"name", e.Name()}, {"description", e.Description()}, {"parameters", params}, {"strict", false}}
		if o.ChatCompletions {
			return object{{"type", "function"}, {"function", function}}, nil
		}
		return append(object{{"type", "function"}}, function...), nil
	})
}

func openAICustom(e registry.Entry, f *registry.InputFormat, o Options) object {
	grammar := object{{"syntax", string(f.Syntax)}, {"definition", f.Definition}}
	custom := object{{"name", e.Name()}, {"description", e.Description()}}
	if o.ChatCompletions {
		format := object{{"type", "grammar"}, {"grammar", grammar}}
		return object{{"type", "custom"}, {"custom", append(custom, member{"format", format})}}
	}
	format := append(object{{"type", "grammar"}}, grammar...)
	return append(object{{"type", "custom"}}, append(custom, member{"format", format})...)
}

// openAIArrays gives every array items, without which OpenAI refuses it, and
// writes tuples as 2020-12 does.
func openAIArrays(v any, path string, n *notes) any {
	o, ok := v.(object)
	if !ok {
		return v
	}
	if tuple, ok := o.get("items").([]any); ok {
		rest := o.get("additionalItems")
		o = o.without("items", "additionalItems").with("prefixItems", tuple)
		if rest != nil {
			o = o.with("items", rest)
		}
		n.add(Changed, path, "items", "a list of schemas is shown as prefixItems")
	}
	if isArray(o.get("type")) && !o.has("items") {
		o = o.with("items", object{})
		n.add(Changed, path, "items", "an array must say what it holds: anything")
	}
	return mapParts(o, path, func(v any, path string) any { return openAIArrays(v, path, n) })
}

func isArray(typ any) bool {
	if list, ok := typ.([]any); ok {
		for _, t := range list {
			if t == "array" {
				return true
			}
		}
	}
	return typ == "array"
}

// anthropicKey is what Anthropic takes for the name of a property at the top.
var anthropicKey = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// Anthropic renders for the Messages API.
func Anthropic(s *registry.Snapshot, _ Options) ([]json.RawMessage, []Note, error) {
	return each(s, func(e registry.Entry, n *notes) (object, error) {
		noteDegraded(e, n)
		params, err := parameters(e, n)
		if err != nil {
			return nil, err
		}
		params = flatRoot(params, n)
		noteKeys(params, anthropicKey, n)
		return object{{"name", e.Name()}, {"description", e.Description()}, {"input_schema", params}}, nil
	})
}

// MCP renders as in the answer to tools/list. The protocol takes any JSON
// Schema, so schemas are the author's own, references included.
func MCP(s *registry.Snapshot, _ Options) ([]json.RawMessage, []Note, error) {
	return each(s, func(e registry.Entry, n *notes) (object, error) {
		noteDegraded(e, n)
		tool := object{{"name", e.Name()}}
		if e.Info.Title != "" && e.Info.Title != e.Name() {
			tool = append(tool, member{"title", e.Info.Title})
		}
		input, err := parse(e.Parameters())
		if err != nil {
			return nil, err
		}
		tool = append(tool, member{"description", e.Description()}, member{"inputSchema", input})
		if e.Info.OutputSchema != nil {
			output, err := parse(e.Info.OutputSchema)
			if err != nil {
				return nil, err
			}
			if o, ok := output.(object); ok && o.get("type") == "object" {
				tool = append(tool, member{"outputSchema", output})
			} else {
				n.add(Dropped, "", "outputSchema", "structured content of MCP is an object")
			}
		}
		annotations, err := json.Marshal(registry.AnnotationsOf(e))
		if err != nil {
			return nil, err
		}
		return append(tool, member{"annotations", json.RawMessage(annotations)}), nil
	})
}

// each renders tool by tool.
func each(s *registry.Snapshot, fn func(registry.Entry, *notes) (object, error)) ([]json.RawMessage, []Note, error) {
	tools := make([]json.RawMessage, 0, s.Len())
	var all []Note
	for _, e := range s.Tools() {
		n := &notes{tool: e.Name()}
		tool, err := fn(e, n)
		if err != nil {
			return nil, nil, fmt.Errorf("tool %q cannot be rendered: %w", e.Name(), err)
		}
		tools = append(tools, encode(tool))
		all = append(all, n.list...)
	}
	return tools, all, nil
}

// parameters is the schema of a tool's arguments without references.
func parameters(e registry.Entry, n *notes) (object, error) {
	raw, err := parse(e.Parameters())
	if err != nil {
		return nil, err
	}
	params, ok := plain(inlined(raw, n)).(object)
	if !ok {
		return nil, fmt.Errorf("the parameters are no object") // the registry has seen to it that they are
	}
	return params, nil
}

// plain writes the schema true, which says nothing, as {} where providers look
// for a description.
func plain(v any) any {
	o, ok := v.(object)
	if !ok {
		return v
	}
	for _, key := range []string{"properties", "patternProperties"} {
		if props, ok := o.get(key).(object); ok {
			out := make(object, 0, len(props))
			for _, p := range props {
				if p.value == true {
					p.value = object{}
				}
				out = append(out, p)
			}
			o = o.with(key, out)
		}
	}
	if o.get("items") == true {
		o = o.with("items", object{})
	}
	return mapParts(o, "", func(v any, _ string) any { return plain(v) })
}

// noteDegraded says that a freeform tool is shown as a function of one text.
func noteDegraded(e registry.Entry, n *notes) {
	if f := e.Info.InputFormat; f != nil {
		n.add(Changed, "", "grammar", "freeform input is shown as the argument input; nothing holds the model to the "+string(f.Syntax)+" grammar")
	}
}

// noteKeys says which names of properties the provider does not take.
func noteKeys(schema object, valid *regexp.Regexp, n *notes) {
	props, _ := schema.get("properties").(object)
	for _, p := range props {
		if !valid.MatchString(p.key) {
			n.add(Kept, "/properties/"+escaped(p.key), "properties", "the name does not match "+valid.String())
		}
	}
}
