package builtin

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/registry"
)

//go:embed write_file.md
var writeFileDescription string

const writeFileParameters = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "File to write, relative to the project root"},
    "content": {"type": "string", "description": "All of the file's content"}
  },
  "required": ["path", "content"],
  "additionalProperties": false
}`

const writeFileOutput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "Relative to the project root, links resolved"},
    "bytes": {"type": "integer"},
    "created": {"type": "boolean"},
    "changed": {"type": "boolean", "description": "Whether the file is another one now"}
  },
  "required": ["path", "bytes", "created", "changed"],
  "additionalProperties": false
}`

// maxDiffed is how large a file may be for what changed in it to be shown.
const maxDiffed = 4 << 20

// shortDiff is how many bytes a diff of a file that was overwritten may have.
const shortDiff = 4000

// writeFile is the tool write_file.
type writeFile struct{ *files }

// Name implements registry.Tool.
func (*writeFile) Name() string { return "write_file" }

// Description implements registry.Tool.
func (*writeFile) Description() string { return description(writeFileDescription) }

// Parameters implements registry.Tool.
func (*writeFile) Parameters() json.RawMessage { return json.RawMessage(writeFileParameters) }

// Risk implements registry.Tool.
func (*writeFile) Risk() registry.Risk { return registry.Write }

// Info implements registry.Informer.
func (*writeFile) Info() registry.Info {
	return registry.Info{
		Title:        "Write file",
		Kind:         registry.KindWrite,
		Effects:      registry.EffectRead | registry.EffectWrite,
		OutputSchema: json.RawMessage(writeFileOutput),
		Examples:     []registry.Example{{Args: json.RawMessage(`{"path":"notes/today.md","content":"# Today\n"}`)}},
	}
}

// FootprintOf implements registry.Footprinter.
func (*writeFile) FootprintOf(args json.RawMessage) registry.Footprint {
	return pathFootprint(args, true)
}

type writeAnswer struct {
	Path    string `json:"path"`
	Bytes   int    `json:"bytes"`
	Created bool   `json:"created"`
	Changed bool   `json:"changed"`
}

// Execute implements registry.Tool.
func (t *writeFile) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	var a struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	if err := decode(args, &a); err != nil {
		return nil, err
	}
	call := registry.CallFrom(ctx)
	unlock, err := t.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	old, err := t.before(a.Path)
	if err != nil {
		return nil, fileFailure(call, t.jail, a.Path, "write", err)
	}
	data := []byte(a.Content)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	c, err := t.jail.WriteFile(a.Path, data, jail.WriteOptions{Parents: true})
	if err != nil {
		return nil, fileFailure(call, t.jail, a.Path, "write", err)
	}
	writeUse(ctx, c.Path)
	t.seen.changed(c.Path, stamp{}, t.stamp(a.Path), 1, 1, 1, nil)
	answer := writeAnswer{Path: c.Path, Bytes: len(data), Created: c.Created, Changed: c.Created || !old.known || !bytes.Equal(old.data, data)}
	text := fmt.Sprintf("wrote %d bytes to %s", len(data), printable(c.Path))
	switch {
	case c.Created:
		text += " (created)"
	case !answer.Changed:
		text += " (overwritten with the same content)"
	default:
		text += " (overwritten)" + overwritten(old, data)
	}
	return structured(text, answer)
}

// before is what a file was before it is overwritten.
type before struct {
	data  []byte
	known bool
}

// before reads a file that may be missing, for the diff alone.
func (t *files) before(name string) (before, error) {
	data, _, err := t.jail.ReadFile(name, maxDiffed)
	var large *jail.TooLargeError
	switch {
	case err == nil:
		return before{data, true}, nil
	case errors.Is(err, fs.ErrNotExist), errors.As(err, &large), errors.Is(err, fs.ErrPermission):
		return before{}, nil // the write itself will tell what is wrong
	default:
		return before{}, err
	}
}

// overwritten says how the old content differs from the new one.
func overwritten(old before, data []byte) string {
	if !old.known || len(data) > maxDiffed {
		return ""
	}
	was, err := newDocument(old.data)
	if err != nil {
		return "; " + notText("old", err)
	}
	is, err := newDocument(data)
	if err != nil {
		return "; " + notText("new", err)
	}
	notes := ""
	if was.enc != is.enc && len(was.lines) > 0 {
		notes += fmt.Sprintf("; the encoding was %s and is %s", was.enc, is.enc)
	}
	if was.end != is.end && len(was.lines) > 1 && len(is.lines) > 1 {
		notes += fmt.Sprintf("; lines ended in %s and end in %s", endName(was.end), endName(is.end))
	}
	now := make([]string, len(is.lines))
	for i := range now {
		now[i] = is.line(i)
	}
	changes := refine(was, []change{{to: len(was.lines), lines: now}})
	if len(changes) == 0 {
		return notes
	}
	added, removed := 0, 0
	for _, c := range changes {
		added += len(c.lines)
		removed += c.to - c.from
	}
	return notes + fmt.Sprintf(": %d lines added, %d removed\n", added, removed) + diff(was, is, hunks(changes), shortDiff)
}

func notText(which string, err error) string {
	if errors.Is(err, errManyLines) {
		return "what changed is not shown: " + err.Error()
	}
	return "the " + which + " content is no text"
}

func endName(end string) string {
	if end == "\r\n" {
		return "CRLF"
	}
	return "LF"
}
