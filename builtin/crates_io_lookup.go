package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rho-ext/rho-ext/registry"
)

//go:embed crates_io_lookup.md
var cratesDescription string

type cratesArgs struct {
	Operation string `json:"operation" description:"What to look up" enum:"search,info,versions,deps"`
	Query     string `json:"query,omitempty" description:"For search" max:"200"`
	CrateName string `json:"crate_name,omitempty" description:"For info, versions and deps" pattern:"^[A-Za-z][A-Za-z0-9_-]*$" max:"64"`
	Version   string `json:"version,omitempty" description:"For deps; the latest by default" pattern:"^[0-9][A-Za-z0-9.+-]*$" max:"100"`
	Limit     int    `json:"limit,omitempty" description:"How many to list" default:"20" min:"1" max:"100"`
}

// cratesAnswer is what crates.io says.
type cratesAnswer struct {
	Total        int               `json:"total,omitempty" description:"Without the limit"`
	Crates       []crateInfo       `json:"crates,omitempty"`
	Versions     []crateVersion    `json:"versions,omitempty"`
	Dependencies []crateDependency `json:"dependencies,omitempty"`
	Version      string            `json:"version,omitempty" description:"Of which the dependencies are"`

	text string
}

// PromptText implements registry.PromptTexter.
func (a *cratesAnswer) PromptText() string { return a.text }

type crateInfo struct {
	Name          string   `json:"name"`
	Version       string   `json:"version"`
	Downloads     int64    `json:"downloads"`
	Description   string   `json:"description,omitempty"`
	Licence       string   `json:"licence,omitempty"`
	Repository    string   `json:"repository,omitempty"`
	Homepage      string   `json:"homepage,omitempty"`
	Documentation string   `json:"documentation,omitempty"`
	Keywords      []string `json:"keywords,omitempty"`
}

type crateVersion struct {
	Number      string `json:"number"`
	Yanked      bool   `json:"yanked,omitempty"`
	Released    string `json:"released,omitempty"`
	RustVersion string `json:"rustVersion,omitempty"`
	Licence     string `json:"licence,omitempty"`
}

type crateDependency struct {
	Name     string   `json:"name"`
	Req      string   `json:"req"`
	Kind     string   `json:"kind" description:"normal, dev or build"`
	Optional bool     `json:"optional,omitempty"`
	Features []string `json:"features,omitempty"`
	Target   string   `json:"target,omitempty"`
}

// newCratesLookup makes the tool crates_io_lookup.
func newCratesLookup(o CommandOptions) registry.Tool {
	client := newCratesClient(o.CratesURL, o.Transport)
	return registry.MustTool(registry.TypedOptions{
		Name: "crates_io_lookup", Description: strings.TrimSpace(cratesDescription), Risk: registry.Network,
		Info: registry.Info{Title: "crates.io", Kind: registry.KindOtherTool, Effects: registry.EffectNet,
			Examples: []registry.Example{{Args: json.RawMessage(`{"operation":"search","query":"command line parser"}`)}, {Args: json.RawMessage(`{"operation":"deps","crate_name":"serde"}`)}}},
	}, func(ctx context.Context, a cratesArgs) (*cratesAnswer, error) {
		if a.Operation == "search" && strings.TrimSpace(a.Query) == "" {
			return nil, invalid("query: required for search")
		}
		if a.Operation != "search" && a.CrateName == "" {
			return nil, invalid("crate_name: required for %s", a.Operation)
		}
		switch a.Operation {
		case "search":
			return client.search(ctx, a.Query, a.Limit)
		case "info":
			return client.info(ctx, a.CrateName)
		case "versions":
			return client.versions(ctx, a.CrateName, a.Limit)
		}
		return client.deps(ctx, a.CrateName, a.Version)
	})
}

var xmlText = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;", "\n", " ", "\r", " ")

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return xmlText.Replace(s)
}

func (a *cratesAnswer) search() {
	var b strings.Builder
	for _, c := range a.Crates {
		fmt.Fprintf(&b, "<crate name=\"%s\" version=\"%s\" downloads=\"%d\">\ndescription: %s\ndocs: %s\n</crate>\n\n", xmlText.Replace(c.Name), xmlText.Replace(c.Version), c.Downloads, orNone(c.Description), orNone(c.Documentation))
	}
	switch {
	case len(a.Crates) == 0:
		b.WriteString("no crate was found")
	case a.Total > len(a.Crates):
		fmt.Fprintf(&b, "%d of %d crates", len(a.Crates), a.Total)
	}
	a.text = strings.TrimSpace(b.String())
}

func (a *cratesAnswer) info() {
	c := a.Crates[0]
	a.text = fmt.Sprintf("<crate name=\"%s\" version=\"%s\" downloads=\"%d\">\ndescription: %s\nlicense: %s\nrepository: %s\nhomepage: %s\ndocs: %s\nkeywords: %s\n</crate>",
		xmlText.Replace(c.Name), xmlText.Replace(c.Version), c.Downloads, orNone(c.Description), orNone(c.Licence), orNone(c.Repository), orNone(c.Homepage), orNone(c.Documentation), orNone(strings.Join(c.Keywords, ", ")))
}

func (a *cratesAnswer) versions() {
	var b strings.Builder
	for _, v := range a.Versions {
		status := "available"
		if v.Yanked {
			status = "yanked"
		}
		fmt.Fprintf(&b, "<version num=\"%s\" status=\"%s\" released=\"%s\" />\n", xmlText.Replace(v.Number), status, xmlText.Replace(v.Released))
	}
	if a.Total > len(a.Versions) {
		fmt.Fprintf(&b, "%d of %d versions\n", len(a.Versions), a.Total)
	}
	a.text = strings.TrimSpace(b.String())
}

func (a *cratesAnswer) deps(name string) {
	var b strings.Builder
	fmt.Fprintf(&b, "dependencies of %s %s:\n", name, a.Version)
	for _, d := range a.Dependencies {
		optional, features, target := "", "", ""
		if d.Optional {
			optional = ` optional="true"`
		}
		if len(d.Features) > 0 {
			features = fmt.Sprintf(" features=\"%s\"", xmlText.Replace(strings.Join(d.Features, ",")))
		}
		if d.Target != "" {
			target = fmt.Sprintf(" target=\"%s\"", xmlText.Replace(d.Target))
		}
		fmt.Fprintf(&b, "<dependency name=\"%s\" req=\"%s\" kind=\"%s\"%s%s%s />\n", xmlText.Replace(d.Name), xmlText.Replace(d.Req), xmlText.Replace(d.Kind), optional, features, target)
	}
	if len(a.Dependencies) == 0 {
		b.WriteString("none")
	}
	a.text = strings.TrimSpace(b.String())
}
