package host_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

func says(tool, text string) string {
	return `import { word } from "./_word"; export default { name: "x", tools: [{ name: "` + tool + `", description: "d", risk: "read",
  execute: async (_, ctx) => { await new Promise((r) => setTimeout(r, 20)); return "` + text + ` " + word } }] }`
}

func TestReloadPutsWorkingVersionsInPlaceAndKeepsTheLastGoodOne(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"_word.ts": `export const word = "one"`, "x.ts": says("x", "v1"), "y.ts": says("y", "y1"), "z.ts": manifest("z")})
	dir := filepath.Join(p.root, ".rho", "extensions")
	ctx := context.Background()
	require.Equal(t, "v1 one", p.call("x", "{}").Text)

	r, err := p.host.Reload(ctx)
	require.NoError(t, err)
	require.Equal(t, host.Report{Unchanged: []string{"x", "y", "z"}}, plain(r))

	// A module that is imported counts, though the entry is the same.
	writeFiles(t, dir, map[string]string{"_word.ts": `export const word = "two"`, "n.ts": manifest("n")})
	require.NoError(t, os.Remove(filepath.Join(dir, "z.ts")))
	r, err = p.host.Reload(ctx)
	require.NoError(t, err)
	require.Equal(t, host.Report{Added: []string{"n"}, Reloaded: []string{"x", "y"}, Removed: []string{"z"}}, plain(r))
	require.Equal(t, "v1 two", p.call("x", "{}").Text)
	require.Equal(t, registry.KindNotFound, p.call("z", "{}").Failure.Kind)

	for _, broken := range []string{"", "export default {", `throw new Error("no")`, manifest("y"), `export default { name: "x", tools: [{ name: "x" }] }`} {
		writeFiles(t, dir, map[string]string{"x.ts": broken})
		r, err = p.host.Reload(ctx)
		require.NoError(t, err)
		require.Len(t, r.Failures, 1, broken)
		require.Equal(t, "x", r.Failures[0].Extension)
		require.Equal(t, "v1 two", p.call("x", "{}").Text, "the last good version serves")
		require.Equal(t, "y1 two", p.call("y", "{}").Text)
	}
	writeFiles(t, dir, map[string]string{"x.ts": says("x2", "v2")})
	r, err = p.host.Reload(ctx)
	require.NoError(t, err)
	require.Empty(t, r.Failures)
	require.Equal(t, []string{"x"}, r.Reloaded)
	require.Equal(t, "v2 two", p.call("x2", "{}").Text)
	require.Equal(t, registry.KindNotFound, p.call("x", "{}").Failure.Kind)
}

func TestCallsFinishOnTheVersionTheyBeganOn(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"_word.ts": `export const word = "w"`, "x.ts": says("x", "v0")})
	dir := filepath.Join(p.root, ".rho", "extensions")
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if o := p.within(10*time.Second, "x", "{}"); o.Status != registry.StatusSuccess {
					t.Errorf("%s: %+v", o.Status, o.Failure)
					return
				}
			}
		})
	}
	for i := range 30 {
		writeFiles(t, dir, map[string]string{"x.ts": says("x", "v"+string(rune('A'+i)))})
		r, err := p.host.Reload(context.Background())
		require.NoError(t, err)
		require.Equal(t, []string{"x"}, r.Reloaded)
	}
	close(done)
	wg.Wait()
}

func TestWhatCannotBeReadForAMomentGoesOnServing(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"d/package.json": `{"main":"m.ts"}`, "d/m.ts": manifest("in_folder"), "x.ts": manifest("in_file")})
	dir := filepath.Join(p.root, ".rho", "extensions")
	require.Equal(t, "in_folder", p.call("in_folder", "{}").Text)

	writeFiles(t, dir, map[string]string{"d/package.json": `{"ma`}) // half saved
	r, err := p.host.Reload(context.Background())
	require.NoError(t, err)
	require.Len(t, r.Failures, 1)
	require.Empty(t, r.Removed)
	require.Equal(t, "in_folder", p.call("in_folder", "{}").Text)
	require.Equal(t, host.StateFailed, state(p.host, "d"))

	// The whole folder: replaced by a file for a moment.
	require.NoError(t, os.Rename(dir, dir+"2"))
	require.NoError(t, os.WriteFile(dir, nil, 0o644))
	r, err = p.host.Reload(context.Background())
	require.NoError(t, err)
	require.Empty(t, r.Removed)
	require.Equal(t, "in_file", p.call("in_file", "{}").Text)

	require.NoError(t, os.Remove(dir))
	r, err = p.host.Reload(context.Background())
	require.NoError(t, err)
	require.Equal(t, []string{"d", "x"}, r.Removed)
}

func state(h *host.Host, id string) host.State {
	for _, e := range h.Extensions() {
		if e.ID == id {
			return e.State
		}
	}
	return ""
}

func TestACallThatLookedItsToolUpBeforeAReloadStillRuns(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"_word.ts": `export const word = "w"`, "x.ts": says("x", "old")})
	old, ok := p.reg.Snapshot().Lookup("x")
	require.True(t, ok)
	writeFiles(t, filepath.Join(p.root, ".rho", "extensions"), map[string]string{"x.ts": says("x", "new")})
	_, err := p.host.Reload(context.Background())
	require.NoError(t, err)
	for range 2 {
		res, err := old.Tool.Execute(context.Background(), []byte("{}"))
		require.NoError(t, err)
		require.Equal(t, "old w", res.Content[0].Text)
	}
	require.Equal(t, "new w", p.call("x", "{}").Text)
}

func TestCloseEndsCallsOfAReplacedVersionToo(t *testing.T) {
	t.Parallel()
	slow := func(version string) string {
		return `export default { name: "` + version + `", tools: [{ name: "slow", description: "d", risk: "read",
  execute: async (_, ctx) => { ctx.progress("began"); await new Promise((r) => setTimeout(r, 60_000)); return "late" } }] }`
	}
	p := newProject(t, map[string]string{"x.ts": slow("v1")})
	began, done := make(chan struct{}), make(chan *registry.Outcome)
	go func() {
		done <- p.door.Call(context.Background(), registry.Request{Tool: "slow", Progress: func(registry.Progress) { close(began) }})
	}()
	<-began
	writeFiles(t, filepath.Join(p.root, ".rho", "extensions"), map[string]string{"x.ts": slow("v2")})
	_, err := p.host.Reload(context.Background())
	require.NoError(t, err)
	start := time.Now()
	require.NoError(t, p.host.Close())
	o := <-done
	require.Less(t, time.Since(start), 5*time.Second)
	require.Equal(t, "replaced", o.Failure.Code)
}

func TestCloseDoesNotWaitForAnExtensionThatIsBeingLoaded(t *testing.T) {
	t.Parallel()
	loading := make(told, 1)
	p := newProject(t, map[string]string{"x.ts": manifest("x")}, func(o *host.Options) {
		o.LoadTimeout, o.Logger = time.Minute, slog.New(slog.NewTextHandler(loading, nil))
	})
	writeFiles(t, filepath.Join(p.root, ".rho", "extensions"), map[string]string{"x.ts": `console.log("loading"); for (;;) {} export default {}`})
	done := make(chan error)
	go func() { _, err := p.host.Reload(context.Background()); done <- err }()
	<-loading
	start := time.Now()
	require.NoError(t, p.host.Close())
	require.ErrorIs(t, <-done, host.ErrClosed)
	require.Less(t, time.Since(start), 5*time.Second)
}

func TestACallDoesNotWaitBeyondItsDeadlineForANewRuntime(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": `await new Promise((r) => setTimeout(r, 1500));
export default { name: "x", tools: [
  { name: "busy", description: "d", risk: "read", execute: () => { for (;;) {} } },
  { name: "ping", description: "d", risk: "read", execute: () => "pong" } ] }`})
	require.Empty(t, p.host.Failures())
	require.Equal(t, registry.KindTimeout, p.within(50*time.Millisecond, "busy", "{}").Failure.Kind)
	ping, ok := p.reg.Snapshot().Lookup("ping")
	require.True(t, ok)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := ping.Tool.Execute(ctx, []byte("{}"))
	require.Error(t, err)
	require.Less(t, time.Since(start), time.Second)
	require.Equal(t, "pong", p.call("ping", "{}").Text, "the runtime that was begun serves the next call")
}

func TestAToolMayMoveToAnEarlierExtension(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a.ts": manifest("one"), "z.ts": manifest("two")})
	writeFiles(t, filepath.Join(p.root, ".rho", "extensions"), map[string]string{"a.ts": manifest("two"), "z.ts": manifest("three")})
	r, err := p.host.Reload(context.Background())
	require.NoError(t, err)
	require.Equal(t, host.Report{Reloaded: []string{"a", "z"}}, plain(r))
	require.Equal(t, "two", p.call("two", "{}").Text)
	require.Equal(t, "three", p.call("three", "{}").Text)
	require.Equal(t, registry.KindNotFound, p.call("one", "{}").Failure.Kind)
}

// plain is a report without what tests of the lists do not look at.
func plain(r host.Report) host.Report {
	r.Changes, r.Duration = nil, 0
	return r
}

// told is a log that tells of its first line.
type told chan struct{}

func (c told) Write(b []byte) (int, error) {
	select {
	case c <- struct{}{}:
	default:
	}
	return len(b), nil
}
