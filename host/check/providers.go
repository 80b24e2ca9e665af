package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/render"
)

// providerRules tell what model providers do not take of a tool's schema.
func providerRules(u *unit) {
	if u.Manifest == nil {
		return
	}
	for _, t := range u.Manifest.Tools {
		r := registry.New()
		if err := r.Swap("check", []registry.Tool{shown{t}}); err != nil {
			continue // told as a failure
		}
		snap := r.Snapshot()
		where := u.toolKey(t, "parameters")
		p := &provided{lost: map[string][]string{}}
		for _, provider := range []struct {
			name   string
			render func(*registry.Snapshot, render.Options) ([]json.RawMessage, []render.Note, error)
		}{{"OpenAI", render.OpenAI}, {"Anthropic", render.Anthropic}, {"Gemini", render.Gemini}} {
			_, notes, err := provider.render(snap, render.Options{})
			if err != nil {
				continue
			}
			for _, n := range notes {
				p.note(provider.name, n)
			}
		}
		for _, name := range sorted(p.names) {
			u.say("parameter-name", where, "use letters, digits and _, beginning with a letter, at most 64", "%s: %s may refuse the name %s", t.Name, joined(p.names[name]), name)
		}
		if len(p.tops) > 0 {
			u.say("schema-alternatives", where, "write one object with optional properties, and check the rest in the tool",
				"%s: %s at the top of the parameters is refused by OpenAI and Anthropic; models see all properties as optional", t.Name, joined(p.tops))
		}
		if len(p.cut) > 0 {
			u.say("schema-recursive", where, "write the levels out, or take the part as JSON text", "%s: models do not see all of the schema at %s, which contains itself or is too large", t.Name, joined(p.cut))
		}
		for _, provider := range sorted(p.lost) {
			u.say("schema-keyword", where, "it still holds when the tool is called; say it in the description as well", "%s: %s is not shown %s", t.Name, provider, joined(p.lost[provider]))
		}
	}
}

// provided collects the notes of all providers on one tool.
type provided struct {
	names     map[string][]string // parameter → providers
	tops, cut []string
	lost      map[string][]string // provider → keywords
}

// harmless are keywords that a model can do without.
var harmless = []string{"additionalProperties", "unevaluatedProperties", "unevaluatedItems", "examples", "deprecated", "readOnly", "writeOnly",
	"contentEncoding", "contentMediaType", "contentSchema", "uniqueItems", "format", "multipleOf", "exclusiveMinimum", "exclusiveMaximum", "items", "required",
	"parameters", "properties", "title", "enum", "const", "default"}

func (p *provided) note(provider string, n render.Note) {
	switch {
	case n.Action == render.Kept:
		if n.Path == "" && n.Keyword == "name" {
			return // of the tool itself, which has 64 characters
		}
		name := unescaped(n.Path[strings.LastIndex(n.Path, "/")+1:])
		if name == "" {
			name = n.Keyword
		}
		if p.names == nil {
			p.names = map[string][]string{}
		}
		if !slices.Contains(p.names[name], provider) {
			p.names[name] = append(p.names[name], provider)
		}
	case n.Path == "" && slices.Contains([]string{"anyOf", "oneOf", "allOf", "not"}, n.Keyword):
		if !slices.Contains(p.tops, n.Keyword) && n.Keyword != "allOf" {
			p.tops = append(p.tops, n.Keyword)
		}
	case strings.HasPrefix(n.Keyword, "$"):
		if place := "#" + n.Path; !slices.Contains(p.cut, place) {
			p.cut = append(p.cut, place)
		}
	case n.Action == render.Dropped && !slices.Contains(harmless, n.Keyword):
		text := n.Keyword
		if len(p.lost[provider]) > 4 {
			return
		}
		if n.Path != "" {
			text = fmt.Sprintf("%s at %s", n.Keyword, n.Path)
		}
		if !slices.Contains(p.lost[provider], text) {
			p.lost[provider] = append(p.lost[provider], text)
		}
	}
}

// shown is a tool as models see it.
type shown struct{ t wire.Tool }

func (s shown) Name() string                { return s.t.Name }
func (s shown) Description() string         { return s.t.Description }
func (s shown) Parameters() json.RawMessage { return s.t.Parameters }
func (s shown) Risk() registry.Risk         { return s.t.Risk }

func (s shown) Execute(context.Context, json.RawMessage) (*registry.Result, error) {
	return nil, errors.New("it is only looked at")
}

func unescaped(s string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(s) }
