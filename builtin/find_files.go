package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/rho-ext/rho-ext/registry"
)

//go:embed find_files.md
var findFilesDescription string

const findFilesParameters = `{
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "minLength": 1, "description": "Glob, such as *.go, src/**/*.{ts,tsx} or **/test_*"},
    "path": {"type": "string", "minLength": 1, "default": ".", "description": "Directory to search below, relative to the project root"},
    "max_results": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 200, "description": "How many files to name at most"},
    "hidden": {"type": "boolean", "default": false, "description": "Whether names that start with a dot are found as well"}
  },
  "required": ["pattern"],
  "additionalProperties": false
}`

const findFilesOutput = `{
  "type": "object",
  "properties": {
    "files": {"type": "array", "items": {"type": "string"}, "description": "Relative to the project root"},
    "truncated": {"type": "boolean"},
    "unreadable": {"type": "integer", "description": "How many directories could not be read"}
  },
  "required": ["files", "truncated"],
  "additionalProperties": false
}`

// findFiles is the tool find_files.
type findFiles struct{ *files }

// Name implements registry.Tool.
func (*findFiles) Name() string { return "find_files" }

// Description implements registry.Tool.
func (*findFiles) Description() string { return description(findFilesDescription) }

// Parameters implements registry.Tool.
func (*findFiles) Parameters() json.RawMessage { return json.RawMessage(findFilesParameters) }

// Risk implements registry.Tool.
func (*findFiles) Risk() registry.Risk { return registry.Read }

// Info implements registry.Informer.
func (*findFiles) Info() registry.Info {
	return registry.Info{
		Title:        "Find files",
		Kind:         registry.KindGlob,
		OutputSchema: json.RawMessage(findFilesOutput),
		Examples: []registry.Example{
			{Args: json.RawMessage(`{"pattern":"*.md"}`), Note: "by name, anywhere"},
			{Args: json.RawMessage(`{"pattern":"src/**/*.{ts,tsx}","max_results":500}`), Note: "by path"},
		},
	}
}

// FootprintOf implements registry.Footprinter.
func (*findFiles) FootprintOf(args json.RawMessage) registry.Footprint {
	return pathFootprint(args, false)
}

type foundFiles struct {
	Files      []string `json:"files"`
	Truncated  bool     `json:"truncated"`
	Unreadable int      `json:"unreadable,omitempty"`
}

// Execute implements registry.Tool.
func (t *findFiles) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	a := struct {
		Pattern string  `json:"pattern"`
		Path    string  `json:"path"`
		Max     float64 `json:"max_results"`
		Hidden  bool    `json:"hidden"`
	}{Path: ".", Max: 200}
	if err := decode(args, &a); err != nil {
		return nil, err
	}
	glob, err := compileGlob(a.Pattern)
	if err != nil {
		return nil, err
	}
	dir, err := t.openDir(ctx, a.Path)
	if err != nil {
		return nil, err
	}
	glob.below(dir.Path())
	answer := foundFiles{Files: []string{}}
	list := newList(budgetOf(registry.CallFrom(ctx)), integer(a.Max))
	walk := &tree{hidden: a.Hidden || glob.hidden()}
	defer walk.close()
	err = walk.walk(ctx, t.files, dir, func(e *entry) bool {
		if e.dir || !glob.match(e.path, e.name) {
			return true
		}
		if !list.add(e.path) {
			answer.Truncated = true
			return false
		}
		answer.Files = append(answer.Files, e.path)
		return true
	})
	if err != nil && !walkedPast(ctx, len(answer.Files)) {
		return nil, fmt.Errorf("searching %q: %w", a.Path, err)
	}
	answer.Unreadable = walk.unreadable
	if len(answer.Files) == 0 && !answer.Truncated {
		list.note("No files matching '" + printable(a.Pattern) + "'")
	}
	if answer.Truncated {
		how := "narrow the pattern or path"
		if len(answer.Files) == list.max && list.max < 1000 {
			how = "raise max_results up to 1000, or " + how
		}
		list.note(fmt.Sprintf("… more files not shown (showing first %d; %s)", len(answer.Files), how))
	}
	if answer.Unreadable > 0 {
		list.note(fmt.Sprintf("(%d directories could not be read)", answer.Unreadable))
	}
	return structured(list.String(), answer)
}

// glob is a pattern for files. Without a slash it is compared with the name,
// with one with the path, relative to the project root or to where the search
// starts.
type glob struct {
	pattern string
	byPath  bool
	ending  string // what a pattern such as *.go comes down to; empty: another one
	start   string // where the search starts, with a slash; empty at the root
}

// compileGlob checks a pattern.
func compileGlob(pattern string) (*glob, error) {
	g := &glob{pattern: strings.TrimPrefix(pattern, "./")}
	if !doublestar.ValidatePattern(g.pattern) {
		return nil, invalid("invalid glob '%s': expected *, ?, [a-z], {a,b} and **, with every bracket closed", printable(pattern))
	}
	if strings.HasPrefix(g.pattern, "/") {
		return nil, invalid("invalid glob '%s': it starts with a slash; expected a pattern relative to the project root", printable(pattern))
	}
	g.byPath = strings.Contains(g.pattern, "/")
	if rest, ok := strings.CutPrefix(g.pattern, "**/"); ok && !strings.Contains(rest, "/") && rest != "**" {
		g.byPath, g.pattern = false, rest // any depth is what a bare name means
	}
	if rest, ok := strings.CutPrefix(g.pattern, "*"); ok && !g.byPath && rest != "" && !strings.ContainsAny(rest, `*?[]{}\`) {
		g.ending = rest
	}
	return g, nil
}

func (g *glob) below(start string) {
	if start != "." {
		g.start = start + "/"
	}
}

// hidden reports whether the pattern asks for names that start with a dot.
func (g *glob) hidden() bool {
	return strings.HasPrefix(g.pattern, ".") || strings.Contains(g.pattern, "/.") ||
		strings.HasPrefix(g.pattern, "{.") || strings.Contains(g.pattern, ",.")
}

func (g *glob) match(file, name string) bool {
	switch {
	case g.ending != "":
		return strings.HasSuffix(name, g.ending)
	case !g.byPath:
		return doublestar.MatchUnvalidated(g.pattern, name)
	case doublestar.MatchUnvalidated(g.pattern, file):
		return true
	case g.start != "":
		return doublestar.MatchUnvalidated(g.pattern, strings.TrimPrefix(file, g.start))
	default:
		return false
	}
}
