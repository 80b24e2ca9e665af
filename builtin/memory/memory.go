package memory

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/registry"
)

//go:embed memory.md
var description string

// Options configure the tool.
type Options struct {
	// Root is the project's directory; the file is .rho/memory.db in it.
	Root string
	// Redact takes secrets out of what is stored; nil stores it as it is.
	Redact func(string) string
}

// Register adds the tool memory to r, for the host program, and reserves its
// name. The file is opened by the first call.
func Register(r *registry.Registry, o Options) error {
	t := New(o)
	if err := r.Register("", t); err != nil {
		return err
	}
	r.Reserve(t.Name())
	return nil
}

// args are the tool's arguments.
type args struct {
	Operation  string   `json:"operation" description:"What to do" enum:"store,search,get,update,delete,list"`
	Title      string   `json:"title,omitempty" description:"For store" max:"500"`
	Content    string   `json:"content,omitempty" description:"For store" max:"1000000"`
	Tags       []string `json:"tags,omitempty" description:"For store and update: the note's tags; for search and list: tags that it must have" max:"50"`
	Query      string   `json:"query,omitempty" description:"For search; without words all notes match" max:"1000"`
	ID         string   `json:"id,omitempty" description:"For get, update and delete" pattern:"^[0-9a-fA-F-]{36}$"`
	NewTitle   *string  `json:"new_title,omitempty" description:"For update" max:"500"`
	NewContent *string  `json:"new_content,omitempty" description:"For update" max:"1000000"`
	Limit      int      `json:"limit,omitempty" description:"For search and list: how many notes" default:"10" min:"1" max:"100"`
	Offset     int      `json:"offset,omitempty" description:"For search and list: how many to pass over" min:"0" max:"1000000"`
}

// Note is one document.
type Note struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Content string   `json:"content" description:"Cut in lists; in a search, the place that was found"`
	Tags    []string `json:"tags"`
	Hash    string   `json:"contentHash"`
	Created string   `json:"createdAt"`
	Updated string   `json:"updatedAt"`
}

// Answer is what an operation gives.
type Answer struct {
	Notes   []Note `json:"notes"`
	Total   int    `json:"total" description:"Of a search or list, without limit and offset"`
	More    bool   `json:"more,omitempty" description:"More notes than total match; the latest were ranked"`
	Offset  int    `json:"offset,omitempty"`
	Known   bool   `json:"known,omitempty" description:"Of store: the content was there already"`
	Deleted bool   `json:"deleted,omitempty"`

	text string
}

// PromptText implements registry.PromptTexter.
func (a *Answer) PromptText() string { return a.text }

// tool is the tool memory.
type tool struct {
	registry.Tool
	db *store
}

// New makes the tool.
func New(o Options) registry.Tool {
	t := &tool{db: newStore(o)}
	t.Tool = registry.MustTool(registry.TypedOptions{
		Name: "memory", Description: strings.TrimSpace(description), Risk: registry.Write,
		Info: registry.Info{
			Title: "Memory", Effects: registry.EffectRead | registry.EffectWrite,
			Examples: []registry.Example{
				{Args: json.RawMessage(`{"operation":"search","query":"release process"}`)},
				{Args: json.RawMessage(`{"operation":"store","title":"Release","content":"Tags are signed.","tags":["process"]}`)},
			},
		},
	}, t.call)
	return t
}

// Unwrap implements registry.Unwrapper.
func (t *tool) Unwrap() registry.Tool { return t.Tool }

// EffectsOf implements registry.Effecter: to look changes nothing.
func (t *tool) EffectsOf(raw json.RawMessage) registry.Effects {
	var a struct {
		Operation string `json:"operation"`
	}
	if json.Unmarshal(raw, &a) == nil {
		switch a.Operation {
		case "search", "get", "list":
			return registry.EffectRead
		}
	}
	return registry.EffectRead | registry.EffectWrite
}

// FootprintOf implements registry.Footprinter.
func (t *tool) FootprintOf(raw json.RawMessage) registry.Footprint {
	if t.EffectsOf(raw) == registry.EffectRead {
		return registry.Footprint{Reads: []string{path}}
	}
	return registry.Footprint{Writes: []string{path}}
}

// Close closes the file.
func (t *tool) Close() error { return t.db.close() }

func (t *tool) call(ctx context.Context, a args) (*Answer, error) {
	missing := func(ok bool, name string) error {
		if ok {
			return nil
		}
		f := registry.Failuref(registry.KindInvalidArgs, "%s: required for the operation %s", name, a.Operation)
		f.Retryable = registry.RetryNo
		return f
	}
	effect := "read"
	if t.EffectsOf(json.RawMessage(`{"operation":"`+a.Operation+`"}`)) != registry.EffectRead {
		effect = "write"
	}
	var ans *Answer
	var err error
	switch a.Operation {
	case "store":
		if err = missing(strings.TrimSpace(a.Title) != "", "title"); err == nil {
			err = missing(strings.TrimSpace(a.Content) != "", "content")
		}
		if err == nil {
			ans, err = t.db.add(ctx, a.Title, a.Content, a.Tags)
		}
	case "search":
		ans, err = t.db.search(ctx, a.Query, a.Tags, a.Limit, a.Offset)
	case "list":
		ans, err = t.db.list(ctx, a.Tags, a.Limit, a.Offset)
	default:
		if err = missing(a.ID != "", "id"); err != nil {
			break
		}
		id := strings.ToLower(a.ID)
		switch a.Operation {
		case "get":
			ans, err = t.db.get(ctx, id)
		case "delete":
			ans, err = t.db.remove(ctx, id)
		case "update":
			if err = missing(a.NewTitle != nil || a.NewContent != nil || a.Tags != nil, "new_title, new_content or tags"); err == nil {
				ans, err = t.db.update(ctx, id, a.NewTitle, a.NewContent, a.Tags)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	registry.CallFrom(ctx).RecordUse(registry.Use{Kind: "file", Target: path, Effect: effect, Grant: "default"})
	ans.text = ans.render(a.Operation)
	return ans, nil
}

var attribute = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;", "\n", " ", "\r", " ")

// render shows an answer to a model. A note cannot end its own frame.
func (a *Answer) render(operation string) string {
	var b strings.Builder
	switch {
	case operation == "delete":
		return fmt.Sprintf("<memory_delete id=%q deleted=\"true\" />", a.Notes[0].ID)
	case operation == "search" || operation == "list":
		more := ""
		if a.More {
			more = " or more"
		}
		fmt.Fprintf(&b, "<memory_%s total=\"%d%s\" returned=\"%d\" offset=\"%d\">\n", operation, a.Total, more, len(a.Notes), a.Offset)
	case a.Known:
		b.WriteString("this content is kept already:\n")
	}
	for _, n := range a.Notes {
		fmt.Fprintf(&b, "<memory id=\"%s\" title=\"%s\" tags=\"%s\" updated_at=\"%s\">\n%s\n</memory>\n",
			n.ID, attribute.Replace(n.Title), attribute.Replace(strings.Join(n.Tags, ", ")), n.Updated, strings.ReplaceAll(n.Content, "</memory", "<\\/memory"))
	}
	if operation == "search" || operation == "list" {
		fmt.Fprintf(&b, "</memory_%s>", operation)
	}
	return strings.TrimRight(b.String(), "\n")
}

func stamp() string { return time.Now().UTC().Format(time.RFC3339Nano) }
