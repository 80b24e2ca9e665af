package host_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/builtin"
	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

// world is what a snippet can touch, and sees whether it was.
type world struct {
	root, ext string
	server    *httptest.Server
	hits      atomic.Int64
}

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &world{root: root, ext: filepath.Join(root, ".rho", "extensions", "ext")}
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.hits.Add(1)
		_, _ = rw.Write([]byte("secret-from-the-net"))
	}))
	t.Cleanup(w.server.Close)
	writeFiles(t, w.ext, files)
	write(t, w.ext, "package.json", `{"main":"ext.ts"}`)
	write(t, root, "note.txt", "secret-from-a-file")
	write(t, root, "cmd.sh", "#!/bin/sh\ntouch ran\n")
	require.NoError(t, os.Chmod(filepath.Join(root, "cmd.sh"), 0o755))
	return w
}

// touched says what happened, in the words of [effectSnippet].
func (w *world) touched(t *testing.T, out *registry.Outcome) map[string]bool {
	t.Helper()
	seen := map[string]bool{}
	if w.hits.Load() > 0 {
		seen["net"] = true
	}
	if data, err := os.ReadFile(filepath.Join(w.root, "note.txt")); err != nil || string(data) != "secret-from-a-file" {
		seen["write"] = true
	}
	if _, err := os.Stat(filepath.Join(w.root, "ran")); err == nil {
		seen["run"] = true
	}
	for _, u := range out.Uses {
		switch {
		case u.Denied:
		case u.Kind == "file" && u.Effect == "read":
			seen["read"] = true
		case u.Kind == "file" && u.Effect == "write": // such as a directory
			seen["write"] = true
		case u.Kind == "tool":
			seen["callTool"] = true
		}
	}
	return seen
}

// call runs the snippet's tool in a world where the given things are granted.
func (w *world) call(t *testing.T, row effectSnippet, grants ...string) *registry.Outcome {
	t.Helper()
	reg := registry.New()
	require.NoError(t, builtin.Register(reg, builtin.Options{Root: w.root}))
	h, err := host.New(context.Background(), host.Options{Isolation: isolation, Root: w.root, Trusted: true, UserDir: "-", Registry: reg, Allow: allow(t, w.root, grants...)})
	require.NoError(t, err)
	defer func() { require.NoError(t, h.Close()) }()
	require.Empty(t, h.Failures())
	door := registry.NewDoor(reg, &registry.DoorOptions{ProjectRoot: w.root})
	args := map[string]string{"url": w.server.URL + "/", "path": "note.txt", "cmd": "./cmd.sh"}
	maps.Copy(args, row.args)
	data, err := json.Marshal(args)
	require.NoError(t, err)
	if row.before != "" {
		door.Call(context.Background(), registry.Request{Tool: row.before, Arguments: data})
	}
	return door.Call(context.Background(), registry.Request{Tool: row.tool, Arguments: data})
}

// Reading is a hint; this is the guarantee. Each snippet runs three times: with
// nothing granted, with everything granted, and what reading has missed must be
// refused even then.
func TestWhatReadingMissesIsRefusedAndNothingLeaves(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the snippets start a Unix script")
	}
	for _, row := range effectSnippets {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			tries, sees := wordSet(row.tries), wordSet(row.want[row.tool])

			w := newWorld(t, row.files)
			out := w.call(t, row)
			for what := range w.touched(t, out) {
				if what != "read" || !sees["read"] { // the project may be read
					t.Errorf("nothing was granted, and yet %s: %+v", what, out.Uses)
				}
			}

			w = newWorld(t, row.files)
			out = w.call(t, row, "net "+strings.TrimPrefix(w.server.URL, "http://"), "write .", "read .", "run ./cmd.sh", "tool *")
			got := w.touched(t, out)
			for what := range tries {
				assert.Equal(t, sees[what], got[what], "%s, of a tool that reading says has %q: %s %+v", what, row.want[row.tool], out.Text, out.Uses)
			}
			for what := range got {
				assert.True(t, sees[what], "%s happened, which reading has not seen", what)
			}
			if row.missed && out.Failure != nil {
				assert.Equal(t, registry.KindPermissionDenied, out.Failure.Kind, out.Text)
			}
		})
	}
}
