package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/registry"
)

//go:embed read_file.md
var readFileDescription string

const readFileParameters = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "File to read, relative to the project root"},
    "offset": {"type": "integer", "minimum": 1, "default": 1, "description": "First line to return, counted from 1"},
    "limit": {"type": "integer", "minimum": 1, "description": "How many lines to return at most; all by default"}
  },
  "required": ["path"],
  "additionalProperties": false
}`

const readFileOutput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "Relative to the project root, links resolved"},
    "totalLines": {"type": "integer"},
    "firstLine": {"type": "integer", "description": "0 when no line was returned"},
    "lastLine": {"type": "integer", "description": "0 when no line was returned"},
    "bytes": {"type": "integer", "description": "Size of the file"},
    "binary": {"type": "boolean"}
  },
  "required": ["path", "totalLines", "firstLine", "lastLine", "bytes"],
  "additionalProperties": false
}`

// readFile is the tool read_file.
type readFile struct{ jail *jail.Jail }

// Name implements registry.Tool.
func (*readFile) Name() string { return "read_file" }

// Description implements registry.Tool.
func (*readFile) Description() string { return strings.TrimSpace(readFileDescription) }

// Parameters implements registry.Tool.
func (*readFile) Parameters() json.RawMessage { return json.RawMessage(readFileParameters) }

// Risk implements registry.Tool.
func (*readFile) Risk() registry.Risk { return registry.Read }

// Info implements registry.Informer.
func (*readFile) Info() registry.Info {
	return registry.Info{
		Title:        "Read file",
		OutputSchema: json.RawMessage(readFileOutput),
		Examples: []registry.Example{
			{Args: json.RawMessage(`{"path":"README.md"}`)},
			{Args: json.RawMessage(`{"path":"main.go","offset":100,"limit":50}`), Note: "lines 100 to 149"},
		},
	}
}

// readFileArgs are validated; numbers are floats because JSON may write an
// integer as 1e3.
type readFileArgs struct {
	Path   string  `json:"path"`
	Offset float64 `json:"offset"`
	Limit  float64 `json:"limit"`
}

type readFileAnswer struct {
	Path       string `json:"path"`
	TotalLines int    `json:"totalLines"`
	FirstLine  int    `json:"firstLine"`
	LastLine   int    `json:"lastLine"`
	Bytes      int64  `json:"bytes"`
	Binary     bool   `json:"binary,omitempty"`
}

// Execute implements registry.Tool.
func (t *readFile) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	var a readFileArgs
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, registry.Failuref(registry.KindInvalidArgs, "arguments: %w", err)
	}
	call := registry.CallFrom(ctx)
	f, rel, err := t.jail.OpenFile(a.Path)
	if err != nil {
		return nil, fileFailure(call, t.jail, a.Path, err)
	}
	defer f.Close()
	call.RecordUse(registry.Use{Kind: "file", Target: rel, Effect: "read", Grant: "default"})

	budget := call.Budget
	if budget <= 0 {
		budget = registry.DefaultTextLimit
	}
	l := newLines(lineNumber(a.Offset), lineNumber(a.Limit), budget-headerRoom)
	if err := l.read(ctx, f); err != nil {
		return nil, fmt.Errorf("reading %q: %w", a.Path, err)
	}
	answer := readFileAnswer{Path: rel, Bytes: l.bytes, Binary: l.binary, TotalLines: l.total}
	if l.kept > 0 {
		answer.FirstLine, answer.LastLine = l.first, l.first+l.kept-1
	}
	if !l.binary && l.kept == 0 && l.total > 0 {
		return nil, &registry.Failure{Kind: registry.KindOther, Code: "offset_past_end", Retryable: registry.RetryNo,
			Message: fmt.Sprintf("offset %d is past the end of %q, which has %d lines", l.first, a.Path, l.total)}
	}
	structured, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	res := registry.Text(l.text())
	res.Structured = structured
	return res, nil
}

// lineNumber makes an integer of a number that may be larger than any file.
func lineNumber(f float64) int { return int(min(f, 1<<31-1)) }
