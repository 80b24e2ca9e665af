package builtin

import (
	"context"
	"encoding/json"
	"path"
	"path/filepath"
	"strings"

	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/registry"
)

// files is what the tools that touch files share.
type files struct {
	jail     *jail.Jail
	seen     *views
	checkers map[string]SyntaxChecker
	excludes excludes
	writing  chan struct{} // holds one token: one call changes files at a time, so that what it read stays true until it writes
}

// lock waits for the turn to change files.
func (t *files) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case <-t.writing:
		return func() { t.writing <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// decode reads validated arguments.
func decode(args json.RawMessage, into any) error {
	if err := json.Unmarshal(args, into); err != nil {
		return registry.Failuref(registry.KindInvalidArgs, "arguments: %w", err)
	}
	return nil
}

// budgetOf is how many bytes of text a call may answer with.
func budgetOf(call *registry.Call) int {
	if call.Budget > 0 {
		return call.Budget
	}
	return registry.DefaultTextLimit
}

// refuse is a failure that the same call will meet again.
func refuse(code, message string) *registry.Failure {
	return &registry.Failure{Kind: registry.KindOther, Code: code, Retryable: registry.RetryNo, Message: message}
}

// invalid is a failure of arguments that a schema cannot describe.
func invalid(format string, args ...any) *registry.Failure {
	f := registry.Failuref(registry.KindInvalidArgs, format, args...)
	f.Retryable = registry.RetryNo
	return f
}

// integer makes an integer of a number that may be larger than any file: JSON
// may write one as 1e3.
func integer(f float64) int { return int(max(min(f, 1<<31-1), -1<<31)) }

// footprintPath is a path as footprints have it.
func footprintPath(p string) string { return path.Clean(filepath.ToSlash(p)) }

// pathFootprint is the footprint of a tool with one path.
func pathFootprint(args json.RawMessage, writes bool) registry.Footprint {
	var a struct {
		Path *string `json:"path"`
	}
	if json.Unmarshal(args, &a) != nil {
		return registry.Footprint{Exclusive: true}
	}
	p := "."
	if a.Path != nil {
		p = footprintPath(*a.Path)
	}
	if writes {
		return registry.Footprint{Writes: []string{p}}
	}
	return registry.Footprint{Reads: []string{p}}
}

// readUse and writeUse record what a call touched.
func readUse(ctx context.Context, rel string) {
	registry.CallFrom(ctx).RecordUse(registry.Use{Kind: "file", Target: rel, Effect: "read", Grant: "default"})
}

func writeUse(ctx context.Context, rel string) {
	registry.CallFrom(ctx).RecordUse(registry.Use{Kind: "file", Target: rel, Effect: "write", Grant: "default"})
}

// structured adds data to a text.
func structured(text string, data any) (*registry.Result, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	res := registry.Text(text)
	res.Structured = raw
	return res, nil
}

// description is the text of a .md file as a model gets it.
func description(md string) string { return strings.TrimSpace(md) }
