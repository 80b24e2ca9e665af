package builtin

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/registry"
)

//go:embed edit_file.md
var editFileDescription string

const editFileParameters = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "File to edit, relative to the project root"},
    "edits": {
      "type": "array",
      "minItems": 1,
      "description": "Changes, all of them of the file as it is now",
      "items": {
        "type": "object",
        "properties": {
          "op": {"type": "string", "enum": ["replace", "append", "prepend", "delete"], "description": "What to do with the line at pos: replace it (or the lines up to end), add lines after or before it, or delete it"},
          "pos": {"type": "string", "description": "Anchor of the line, LINE#HASH as read_file shows it; append and prepend without it mean the end and the start of the file"},
          "end": {"type": "string", "description": "Anchor of the last line, for replace and delete of several lines"},
          "lines": {"type": "array", "items": {"type": "string"}, "description": "New lines, without anchors and line endings"},
          "old_text": {"type": "string", "description": "In place of op: text to replace, exact and unique in the file"},
          "new_text": {"type": "string", "description": "What stands in its place"},
          "replace_all": {"type": "boolean", "description": "Whether old_text may be there several times, and each is replaced"}
        },
        "additionalProperties": false
      }
    }
  },
  "required": ["path", "edits"],
  "additionalProperties": false
}`

const editFileOutput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "Relative to the project root, links resolved"},
    "edits": {"type": "integer"},
    "changed": {"type": "boolean", "description": "Whether the file is another one now"},
    "linesAdded": {"type": "integer"},
    "linesRemoved": {"type": "integer"},
    "warnings": {"type": "array", "items": {"type": "string"}}
  },
  "required": ["path", "edits", "changed", "linesAdded", "linesRemoved"],
  "additionalProperties": false
}`

// maxEdited is how large a file may be to be edited.
const maxEdited = 64 << 20

// editFile is the tool edit_file.
type editFile struct{ *files }

// Name implements registry.Tool.
func (*editFile) Name() string { return "edit_file" }

// Description implements registry.Tool.
func (*editFile) Description() string { return description(editFileDescription) }

// Parameters implements registry.Tool.
func (*editFile) Parameters() json.RawMessage { return json.RawMessage(editFileParameters) }

// Risk implements registry.Tool.
func (*editFile) Risk() registry.Risk { return registry.Write }

// Info implements registry.Informer.
func (*editFile) Info() registry.Info {
	return registry.Info{
		Title:        "Edit file",
		Kind:         registry.KindEdit,
		Effects:      registry.EffectRead | registry.EffectWrite,
		OutputSchema: json.RawMessage(editFileOutput),
		Examples: []registry.Example{
			{Args: json.RawMessage(`{"path":"main.go","edits":[{"op":"replace","pos":"12#KYNT","end":"14#BTMZ","lines":["\treturn nil"]}]}`), Note: "three lines become one"},
			{Args: json.RawMessage(`{"path":"main.go","edits":[{"old_text":"colour","new_text":"color","replace_all":true}]}`)},
		},
	}
}

// FootprintOf implements registry.Footprinter.
func (*editFile) FootprintOf(args json.RawMessage) registry.Footprint {
	return pathFootprint(args, true)
}

type editAnswer struct {
	Path     string   `json:"path"`
	Edits    int      `json:"edits"`
	Changed  bool     `json:"changed"`
	Added    int      `json:"linesAdded"`
	Removed  int      `json:"linesRemoved"`
	Warnings []string `json:"warnings,omitempty"`
}

// Execute implements registry.Tool.
func (t *editFile) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	var a struct {
		Path  string `json:"path"`
		Edits []edit `json:"edits"`
	}
	if err := decode(args, &a); err != nil {
		return nil, err
	}
	if len(a.Edits) == 0 {
		return nil, invalid("no edits provided: expected at least one")
	}
	unlock, err := t.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	old, err := t.load(ctx, a.Path)
	if err != nil {
		return nil, err
	}
	ed := &editor{doc: old.doc, path: a.Path, fresh: func(line int) bool { return t.seen.fresh(old.rel, old.stamp, line) }}
	changes, err := ed.changes(a.Edits)
	if err != nil {
		return nil, err
	}
	now, err := old.doc.apply(changes)
	if err != nil {
		return nil, refuse("not_encodable", fmt.Sprintf("%q: %v. Nothing was written.", a.Path, err))
	}
	data, err := now.bytes()
	if err != nil {
		return nil, refuse("not_encodable", fmt.Sprintf("%q: %v. Nothing was written.", a.Path, err))
	}
	answer := editAnswer{Path: old.rel, Edits: len(a.Edits)}
	head := applied(a.Edits, old.rel)
	if bytes.Equal(data, old.data) {
		return structured(head+": nothing changed, the text was so before", answer)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	stamp, err := t.store(ctx, a.Path, old, data)
	if err != nil {
		return nil, err
	}
	answer.Changed = true
	all := hunks(refine(old.doc, changes))
	for _, h := range all {
		answer.Added += len(h.lines)
		answer.Removed += h.to - h.from
	}
	answer.Warnings = t.syntaxWarnings(old, data, changes)

	var b strings.Builder
	b.WriteString(head + "\n")
	for _, note := range ed.notes {
		b.WriteString("  " + note + "\n")
	}
	if len(ed.notes) > 0 {
		b.WriteString("  Warning: hashes were stale. Re-read file if further edits needed.\n")
	}
	for _, w := range answer.Warnings {
		b.WriteString("[warning] " + w + "\n")
	}
	if len(all) == 0 {
		t.seen.changed(old.rel, old.stamp, stamp, len(now.lines)+1, len(now.lines)+1, 0, nil)
		return structured(b.String()+"The newline at the end of the file changed, no line did.", answer)
	}
	room := budgetOf(registry.CallFrom(ctx)) - b.Len() - 200
	b.WriteString(diff(old.doc, now, all, room/2))
	anchors, shown := freshAnchors(now, all, room-room/2)
	b.WriteString(anchors + movedNote(all))
	first, last := all[0], all[len(all)-1]
	t.seen.changed(old.rel, old.stamp, stamp, first.from+1, last.to, last.end()-last.to, shown)
	return structured(b.String(), answer)
}

// applied is the first line of the answer.
func applied(edits []edit, path string) string {
	byText := 0
	for i := range edits {
		if edits[i].byText() {
			byText++
		}
	}
	byLine := len(edits) - byText
	path = printable(path)
	switch {
	case byText == 0:
		return fmt.Sprintf("applied %d hashline edit(s) to %s", byLine, path)
	case byLine == 0:
		return fmt.Sprintf("applied %d edit(s) to %s", byText, path)
	default:
		return fmt.Sprintf("applied %d hashline + %d legacy edit(s) to %s", byLine, byText, path)
	}
}

// loaded is a file that is to be changed.
type loaded struct {
	rel   string
	data  []byte
	doc   *document
	stamp stamp
}

// load reads a file to change it.
func (t *files) load(ctx context.Context, name string) (*loaded, error) {
	call := registry.CallFrom(ctx)
	info, rel, err := t.jail.Stat(name)
	if err != nil {
		return nil, fileFailure(call, t.jail, name, "write", err)
	}
	data, rel2, err := t.jail.ReadFile(name, maxEdited)
	if err != nil {
		return nil, fileFailure(call, t.jail, name, "write", err)
	}
	readUse(ctx, rel)
	if rel2 != rel || int64(len(data)) != info.Size() {
		return nil, changedMeanwhile(name)
	}
	doc, err := newDocument(data)
	if err != nil {
		return nil, refuse("not_text", fmt.Sprintf("%q cannot be edited: %v", name, err))
	}
	return &loaded{rel: rel, data: data, doc: doc, stamp: stampOf(info)}, nil
}

// store writes the new content of a file that is still what was loaded.
func (t *files) store(ctx context.Context, name string, old *loaded, data []byte) (stamp, error) {
	info, rel, err := t.jail.Stat(name)
	if err != nil {
		return stamp{}, fileFailure(registry.CallFrom(ctx), t.jail, name, "write", err)
	}
	if rel != old.rel || stampOf(info) != old.stamp {
		return stamp{}, changedMeanwhile(name)
	}
	if err := t.write(ctx, name, data, jail.WriteOptions{}); err != nil {
		return stamp{}, err
	}
	return t.stamp(name), nil
}

// write writes a file and records it.
func (t *files) write(ctx context.Context, name string, data []byte, o jail.WriteOptions) error {
	c, err := t.jail.WriteFile(name, data, o)
	if err != nil {
		return fileFailure(registry.CallFrom(ctx), t.jail, name, "write", err)
	}
	writeUse(ctx, c.Path)
	return nil
}

// stamp is the state that a file is in.
func (t *files) stamp(name string) stamp {
	var info fs.FileInfo
	info, _, err := t.jail.Stat(name)
	if err != nil {
		return stamp{}
	}
	return stampOf(info)
}

func changedMeanwhile(name string) *registry.Failure {
	f := refuse("changed_meanwhile", fmt.Sprintf("%q was changed by somebody else while it was edited: nothing was written; read it again", name))
	f.Retryable = registry.RetryYes
	return f
}
