package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// healthy is the extension that must go on working beside each broken one.
const healthy = `export default { name: "healthy", tools: [
  { name: "ping", description: "Answers", risk: "read", execute: () => "pong" } ] };
`

// broken is one extension that cannot be loaded, and what has to be said of it.
// Paths of files are relative to .rho/extensions, or to the project with a
// leading "/".
type broken struct {
	name  string
	files map[string]string
	links map[string]string // path → target; a leading "/" as in files
	src   string            // short for files: the text of ext.ts
	// builtin registers a tool of the host program under this name first.
	builtin string

	extension string // "ext" where empty
	stage     wire.Stage
	at        string // file:line:column in the project; the column or the line may be left out
	message   string // a part of it
	hint      string // a part of it; "-" where nothing can be advised
	// also are the messages of further failures of the same extension.
	also []string
}

func (b broken) run(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	place := func(name string) string {
		if rest, ok := strings.CutPrefix(name, "/"); ok {
			return filepath.Join(root, rest)
		}
		return filepath.Join(root, ".rho", "extensions", name)
	}
	files := map[string]string{"healthy.ts": healthy}
	if b.files == nil {
		files["ext.ts"] = b.src
	}
	for name, text := range b.files {
		files[name] = text
	}
	for name, text := range files {
		path := place(name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "ROOT", root)), 0o644))
	}
	for name, target := range b.links {
		require.NoError(t, os.Symlink(target, place(name)))
	}
	reg := registry.New()
	if b.builtin != "" {
		require.NoError(t, reg.Register("", named(b.builtin)))
		reg.Reserve(b.builtin)
	}

	// Only what never ends meets a short limit: the machine may be busy.
	limit := 20 * time.Second
	if b.message == notInTime {
		limit = 700 * time.Millisecond
	}
	start := time.Now()
	h, err := host.New(t.Context(), host.Options{
		Isolation: isolation, Root: root, Trusted: true, UserDir: "-", Registry: reg, LoadTimeout: limit,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	require.Less(t, time.Since(start), 15*time.Second, "loading must not hang")

	got := h.Failures()
	out := registry.NewDoor(reg, nil).Call(t.Context(), registry.Request{Tool: "ping", Arguments: []byte("{}")})
	require.Equal(t, registry.StatusSuccess, out.Status, "%+v", out.Failure)
	require.Equal(t, "pong", out.Text)
	b.check(t, got)
	for _, e := range h.Extensions() {
		if e.ID == "healthy" {
			require.Equal(t, host.StateLoaded, e.State)
		}
		if e.ID == got[0].Extension {
			require.Equal(t, host.StateFailed, e.State)
			require.Empty(t, e.Tools)
		}
	}
}

func (b broken) check(t *testing.T, got []host.Failure) {
	require.Len(t, got, 1+len(b.also), "%+v", got)
	f := got[0]
	id := b.extension
	if id == "" {
		id = "ext"
	}
	require.Equal(t, id, f.Extension)
	require.Equal(t, b.stage, f.Stage, f.Message)
	require.Contains(t, f.Message, b.message)
	for i, part := range b.also {
		require.Equal(t, id, got[i+1].Extension)
		require.Contains(t, got[i+1].Message, part)
	}
	at := f.File
	if f.Line > 0 {
		at += fmt.Sprintf(":%d", f.Line)
	}
	if f.Column > 0 && strings.Count(b.at, ":") == 2 {
		at += fmt.Sprintf(":%d", f.Column)
	}
	require.Equal(t, ".rho/extensions/"+b.at, at)
	if b.hint == "-" {
		require.Empty(t, f.Hint)
	} else {
		require.NotEmpty(t, f.Hint)
		require.Contains(t, f.Hint, b.hint)
	}
	if f.Line > 0 {
		require.Regexp(t, fmt.Sprintf(`(?m)^> *%d \|`, f.Line), f.Frame)
		require.Less(t, len(f.Frame), 2000)
	} else {
		require.Empty(t, f.Frame)
	}
	require.Less(t, len(f.Message), 5000)
	require.NotContains(t, f.Message, "rho-bundle.js")
	require.NotContains(t, f.Message, "goja")
}

// named is a Go tool that does nothing.
type named string

func (n named) Name() string              { return string(n) }
func (named) Description() string         { return "Does nothing" }
func (named) Parameters() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }
func (named) Risk() registry.Risk         { return registry.Read }
func (named) Execute(context.Context, json.RawMessage) (*registry.Result, error) {
	return &registry.Result{}, nil
}

const notInTime = "did not finish loading"

// one is a manifest with one tool, whose members are given.
func one(members string) string {
	return "export default { name: \"ext\", tools: [\n  { " + members + " } ] };\n"
}

const good = `name: "t", description: "d", risk: "read", execute() {}`
