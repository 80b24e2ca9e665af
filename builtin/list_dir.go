package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/internal/suggest"
	"github.com/rho-ext/rho-ext/registry"
)

//go:embed list_dir.md
var listDirDescription string

const listDirParameters = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "default": ".", "description": "Directory to list, relative to the project root"},
    "recursive": {"type": "boolean", "default": false, "description": "Whether what is in the directories below is listed as well"}
  },
  "additionalProperties": false
}`

const listDirOutput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string"},
    "entries": {"type": "array", "items": {"type": "string"}, "description": "Relative to the project root; a directory ends in a slash"},
    "truncated": {"type": "boolean"},
    "unreadable": {"type": "integer", "description": "How many directories could not be read"}
  },
  "required": ["path", "entries", "truncated"],
  "additionalProperties": false
}`

// listDir is the tool list_dir.
type listDir struct{ *files }

// Name implements registry.Tool.
func (*listDir) Name() string { return "list_dir" }

// Description implements registry.Tool.
func (*listDir) Description() string { return description(listDirDescription) }

// Parameters implements registry.Tool.
func (*listDir) Parameters() json.RawMessage { return json.RawMessage(listDirParameters) }

// Risk implements registry.Tool.
func (*listDir) Risk() registry.Risk { return registry.Read }

// Info implements registry.Informer.
func (*listDir) Info() registry.Info {
	return registry.Info{
		Title:        "List directory",
		Kind:         registry.KindGlob,
		OutputSchema: json.RawMessage(listDirOutput),
		Examples: []registry.Example{
			{Args: json.RawMessage(`{}`), Note: "the project root"},
			{Args: json.RawMessage(`{"path":".","recursive":true}`), Note: "all below it"},
		},
	}
}

// FootprintOf implements registry.Footprinter.
func (*listDir) FootprintOf(args json.RawMessage) registry.Footprint {
	return pathFootprint(args, false)
}

type listing struct {
	Path       string   `json:"path"`
	Entries    []string `json:"entries"`
	Truncated  bool     `json:"truncated"`
	Unreadable int      `json:"unreadable,omitempty"`
}

// Execute implements registry.Tool.
func (t *listDir) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	a := struct {
		Path      string `json:"path"`
		Recursive bool   `json:"recursive"`
	}{Path: "."}
	if err := decode(args, &a); err != nil {
		return nil, err
	}
	dir, err := t.openDir(ctx, a.Path)
	if err != nil {
		return nil, err
	}
	answer := listing{Path: dir.Path(), Entries: []string{}}
	list := newList(budgetOf(registry.CallFrom(ctx)), 0)
	walk := &tree{hidden: true, flat: !a.Recursive}
	defer walk.close()
	err = walk.walk(ctx, t.files, dir, func(e *entry) bool {
		name := e.path
		if e.dir {
			name += "/"
		}
		if !list.add(name) {
			answer.Truncated = true
			return false
		}
		answer.Entries = append(answer.Entries, name)
		return true
	})
	if err != nil && !walkedPast(ctx, len(answer.Entries)) {
		return nil, fmt.Errorf("listing %q: %w", a.Path, err)
	}
	answer.Unreadable = walk.unreadable
	if len(answer.Entries) == 0 && !answer.Truncated && answer.Unreadable == 0 {
		list.note("(empty directory)")
	}
	if answer.Truncated {
		list.note(fmt.Sprintf("… more entries not shown (showing first %d; list a directory below it, or use find_files)", len(answer.Entries)))
	}
	if answer.Unreadable > 0 {
		list.note(fmt.Sprintf("(%d entries could not be read)", answer.Unreadable))
	}
	return structured(list.String(), answer)
}

// walkedPast reports whether an error of a walk only means that a part of the
// directory is missing.
func walkedPast(ctx context.Context, found int) bool { return found > 0 && ctx.Err() == nil }

// openDir opens the directory that a tool starts at.
func (t *files) openDir(ctx context.Context, name string) (*jail.Dir, error) {
	dir, err := t.jail.OpenDir(name)
	if err == nil {
		readUse(ctx, dir.Path())
		return dir, nil
	}
	f := fileFailure(registry.CallFrom(ctx), t.jail, name, "read", err)
	switch {
	case jail.IsRefusal(err):
	case errors.Is(err, fs.ErrNotExist):
		f.Code = "dir_not_found"
		f.Message = "directory " + strconv.Quote(name) + " does not exist" + suggest.Hint(neighbours(t.jail, strings.TrimRight(name, "/"))...)
	default:
		if info, _, serr := t.jail.Stat(name); serr == nil && !info.IsDir() {
			f.Code = "not_a_directory"
			f.Message = fmt.Sprintf("%q is not a directory: name one, or use read_file", name)
		}
	}
	return nil, f
}

// list is a text of one line each, within a budget.
type list struct {
	strings.Builder
	budget int
	max    int // of lines; zero: no limit
	lines  int
}

// noteRoom is kept free for the notes at the end.
const noteRoom = 300

func newList(budget, max int) *list { return &list{budget: budget - noteRoom, max: max} }

// add adds a line that is the name of a file; false says that it does not fit.
func (l *list) add(name string) bool {
	line := fileLine(name)
	if l.max > 0 && l.lines == l.max || l.Len()+1+len(line) > l.budget {
		return false
	}
	l.note(line)
	l.lines++
	return true
}

func (l *list) note(line string) {
	if l.Len() > 0 {
		l.WriteByte('\n')
	}
	l.WriteString(line)
}

// fileLine is a file's name on one line: quoted where it could be mistaken.
func fileLine(name string) string {
	if printable(name) != name || strings.HasPrefix(name, `"`) {
		return strconv.Quote(name)
	}
	return name
}
