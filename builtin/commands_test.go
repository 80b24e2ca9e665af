package builtin

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

// workshop is a project with a door to the tools in it.
type workshop struct {
	*registry.Door
	root, state string
}

// newWorkshop makes a project with files.
func newWorkshop(t testing.TB, files map[string]string, o CommandOptions, d *registry.DoorOptions) *workshop {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &workshop{root: root, state: t.TempDir()}
	w.write(t, files)
	if o.StateDir == "" {
		o.StateDir = w.state
	}
	r := registry.New()
	require.NoError(t, Register(r, Options{Root: root, Commands: o}))
	t.Cleanup(func() { require.NoError(t, r.Swap("", nil)) })
	w.Door = registry.NewDoor(r, d)
	return w
}

func (w *workshop) write(t testing.TB, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(w.root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
	}
}

// call runs a tool with arguments and reads its structured answer.
func (w *workshop) call(t testing.TB, tool string, args map[string]any, into any) *registry.Outcome {
	t.Helper()
	return w.callIn(t, context.Background(), tool, args, into)
}

func (w *workshop) callIn(t testing.TB, ctx context.Context, tool string, args map[string]any, into any) *registry.Outcome {
	t.Helper()
	if args == nil {
		args = map[string]any{}
	}
	raw, err := json.Marshal(args)
	require.NoError(t, err)
	o := w.Call(ctx, registry.Request{Tool: tool, Arguments: raw})
	if into != nil {
		require.NotEmpty(t, o.Structured, o.Text)
		require.NoError(t, json.Unmarshal(o.Structured, into))
	}
	return o
}

func needsPOSIX(t testing.TB) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands of this test are for a POSIX shell")
	}
}

// long reports whether the long versions of tests are to run.
func long() bool { return os.Getenv("RHO_LONG") != "" }
