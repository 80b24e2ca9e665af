// Package examples_test runs each extension of this folder as an agent would:
// found by a host, called through the door.
package examples_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// The clock of the schema patterns' timeout stops by itself a little later.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// project is a folder with files and the extensions that were loaded for it.
type project struct {
	t    *testing.T
	host *host.Host
	door *registry.Door

	mu       sync.Mutex
	progress []registry.Progress
}

// open makes a project with these files. The extensions are the ones of this
// repository; tool limits them to those that the tool needs, "" is all. What is
// allowed is a host, or a kind and a target, such as "write notes".
func open(t *testing.T, tool string, files map[string]string, allow ...string) *project {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return openRoot(t, root, tool, allow...)
}

func openRoot(t *testing.T, root, tool string, allow ...string) *project {
	t.Helper()
	o := host.Options{Isolation: host.InProcess, Root: root, Dirs: []string{"extensions"}, UserDir: "-", Tool: tool}
	for _, text := range allow {
		kind, target, ok := strings.Cut(text, " ")
		if !ok {
			kind, target = string(permission.KindNet), text
		}
		grant, err := permission.ParseGrant(permission.Kind(kind), target, root)
		require.NoError(t, err)
		o.Allow = append(o.Allow, grant)
	}
	h, err := host.New(context.Background(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	require.Empty(t, h.Failures())
	return &project{t: t, host: h, door: registry.NewDoor(h.Registry(), &registry.DoorOptions{ProjectRoot: h.Root()})}
}

// call runs a tool with the JSON of args, or with args itself where it is text.
func (p *project) call(tool string, args any) *registry.Outcome {
	p.t.Helper()
	raw, ok := args.(string)
	if !ok {
		data, err := json.Marshal(args)
		require.NoError(p.t, err)
		raw = string(data)
	}
	return p.door.Call(context.Background(), registry.Request{Tool: tool, Arguments: json.RawMessage(raw), Progress: func(r registry.Progress) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.progress = append(p.progress, r)
	}})
}

// succeed runs a tool that must succeed.
func (p *project) succeed(tool string, args any) *registry.Outcome {
	p.t.Helper()
	out := p.call(tool, args)
	require.Equal(p.t, registry.StatusSuccess, out.Status, "%s: %s", tool, out.Text)
	return out
}

// fail runs a tool that must fail with this kind.
func (p *project) fail(kind registry.Kind, tool string, args any) *registry.Outcome {
	p.t.Helper()
	out := p.call(tool, args)
	require.NotNil(p.t, out.Failure, "%s: %s", tool, out.Text)
	require.Equal(p.t, kind, out.Failure.Kind, out.Text)
	require.True(p.t, out.IsError)
	return out
}

type args map[string]any

func TestEveryExampleLoadsWithItsRiskAndEffects(t *testing.T) {
	t.Parallel()
	p := open(t, "", nil)
	type tool struct {
		Extension, Name string
		Risk            registry.Risk
		Effects         registry.Effects
		Arguments       wire.ArgumentForm
	}
	read, write, net, run := registry.EffectRead, registry.EffectWrite, registry.EffectNet, registry.EffectRun
	want := []tool{
		{"csv_stats", "csv_stats", registry.Read, read, wire.ArgsObject},
		{"git_log", "git_log", registry.Destructive, run, wire.ArgsObject},
		{"http_status", "http_status", registry.Network, net, wire.ArgsObject},
		{"legacy_rho", "legacy_head", registry.Read, read, wire.ArgsText},
		{"modern_rho", "modern_head", registry.Read, read, wire.ArgsObject},
		{"notes", "note_add", registry.Write, read | write, wire.ArgsObject},
		{"notes", "note_read", registry.Read, read, wire.ArgsObject},
		{"todo_scan", "todo_scan", registry.Read, read, wire.ArgsObject},
		{"unit_convert", "unit_convert", registry.Read, read, wire.ArgsObject},
		{"word_count", "word_count", registry.Read, read, wire.ArgsObject},
	}
	var got []tool
	for _, e := range p.host.Extensions() {
		require.Equal(t, host.StateLoaded, e.State)
		for _, info := range e.Tools {
			require.Equal(t, info.DeclaredRisk, info.Risk, "%s declares less than it uses", info.Name)
			entry, ok := p.host.Registry().Snapshot().Lookup(info.Name)
			require.True(t, ok)
			js, ok := entry.Tool.(*host.JSTool)
			require.True(t, ok)
			got = append(got, tool{e.ID, info.Name, info.Risk, info.Effects, js.Arguments()})
		}
	}
	require.Equal(t, want, got)
}

func TestAManifestBringsTitleAndVersion(t *testing.T) {
	t.Parallel()
	p := open(t, "unit_convert", nil)
	for _, e := range p.host.Extensions() {
		if e.ID == "unit_convert" {
			require.Equal(t, "Unit converter", e.Title)
			require.Equal(t, "1.0.0", e.Version)
			return
		}
	}
	require.Fail(t, "not found")
}

// What breaks the schema is told all at once, and no code of the tool runs: it
// has touched nothing and reported nothing.
func TestInvalidArgumentsNameEveryProblemAndTheBodyDoesNotRun(t *testing.T) {
	t.Parallel()
	p := open(t, "", map[string]string{"a.txt": "a\n"}, "127.0.0.1")
	for _, tc := range []struct {
		tool, args string
		names      []string
	}{
		{"word_count", `{"path":7,"pth":"a.txt"}`, []string{"path", "pth"}},
		{"word_count", `{}`, []string{"path"}},
		{"todo_scan", `{"paths":["a.txt",1,""],"kind":"TODO"}`, []string{"paths[1]", "paths[2]", "kind"}},
		{"csv_stats", `{"delimiter":"x","header":"yes"}`, []string{"path", "delimiter", "header"}},
		{"http_status", `{"url":"ftp://127.0.0.1/","method":"POST","timeout":0}`, []string{"url", "method", "timeout"}},
		{"unit_convert", `{"value":"1","from":"metre","to":"km"}`, []string{"value", "from"}},
		{"legacy_head", `{"path":true,"lines":"3"}`, []string{"path", "lines"}},
		{"modern_head", `{"path":"","lines":0}`, []string{"path", "lines"}},
		{"modern_head", `["a.txt"]`, []string{"object"}},
	} {
		t.Run(tc.tool+" "+tc.args, func(t *testing.T) {
			t.Parallel()
			out := p.fail(registry.KindInvalidArgs, tc.tool, tc.args)
			require.Equal(t, registry.StatusError, out.Status)
			for _, name := range tc.names {
				require.Contains(t, out.Text, name)
			}
			require.Empty(t, out.Uses)
			require.Nil(t, out.Failure.Location)
		})
	}
	t.Cleanup(func() { require.Empty(t, p.progress) })
}

func TestLegacyAndModernToolsGiveTheSameText(t *testing.T) {
	t.Parallel()
	long := ""
	for i := range 1200 {
		long += fmt.Sprintln("line", i)
	}
	p := open(t, "", map[string]string{
		"short.txt": "a\nb\n", "no newline.txt": "a\nb", "empty.txt": "", "newline.txt": "\n", "long.txt": long,
		"crlf.txt": "a\r\nb\r\n", "sub/ünï.txt": "ä € 😀\n\tb\n", "broken.txt": "a\xffb\n", ".env": "SECRET=1\n",
	})
	for _, a := range []args{
		{"path": "short.txt"}, {"path": "short.txt", "lines": 1}, {"path": "short.txt", "lines": 2}, {"path": "short.txt", "lines": 3},
		{"path": "no newline.txt"}, {"path": "empty.txt"}, {"path": "newline.txt"}, {"path": "./sub/../short.txt"},
		{"path": "long.txt"}, {"path": "long.txt", "lines": 9}, {"path": "long.txt", "lines": 1000}, {"path": "long.txt", "lines": 1e6},
		{"path": "crlf.txt"}, {"path": "sub/ünï.txt"}, {"path": "broken.txt"},
	} {
		old, modern := p.succeed("legacy_head", a), p.succeed("modern_head", a)
		require.NotEmpty(t, old.Text)
		require.Equal(t, old.FullText(), modern.FullText(), "%v", a)
		require.Equal(t, old.Text, modern.Text, "%v", a)
		require.Equal(t, old.Uses, modern.Uses, "%v", a)
	}
	require.Equal(t, "short.txt: 1 of 2 lines\n1  a\n", p.succeed("legacy_head", args{"path": "short.txt", "lines": 1}).Text)
	for _, a := range []args{{"path": "missing.txt"}, {"path": "sub"}} {
		old, modern := p.fail(registry.KindOther, "legacy_head", a), p.fail(registry.KindOther, "modern_head", a)
		require.Equal(t, old.Text, modern.Text)
	}
	for _, path := range []string{"../outside.txt", "/etc/passwd", ".env"} {
		a := args{"path": path}
		old, modern := p.fail(registry.KindPermissionDenied, "legacy_head", a), p.fail(registry.KindPermissionDenied, "modern_head", a)
		require.Equal(t, registry.StatusDenied, old.Status)
		require.Equal(t, registry.StatusDenied, modern.Status)
	}
	// Where the old tool must look itself, the new one's schema does.
	require.Contains(t, p.fail(registry.KindOther, "legacy_head", args{"path": "short.txt", "lines": 0}).Text, "at least 1, got 0")
	p.fail(registry.KindInvalidArgs, "modern_head", args{"path": "short.txt", "lines": 0})
}

// This program's TestMain does not call host.WorkerMain. Not parallel: others
// start processes.
func TestAProgramThatForgetsWorkerMainIsToldTheLineAndStartsNoProcess(t *testing.T) {
	_, err := host.New(context.Background(), host.Options{Root: t.TempDir(), UserDir: "-"})
	require.ErrorIs(t, err, host.ErrNoWorkerMain)
	require.ErrorContains(t, err, "call host.WorkerMain() first in main")
	require.ErrorContains(t, err, "host.InProcess")
	for _, path := range must(filepath.Glob("/proc/self/task/*/children")) { // where the system tells
		children, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Empty(t, children, "a process was started")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
