package exttest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/sandbox"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/jsapi"
)

// outcome is how a test ended, by vitest's words.
type outcome struct {
	Name     string   `json:"name"`
	State    string   `json:"state"`
	Messages []string `json:"messages,omitempty"` // the first line of each error
}

// TestOutcomesAreThoseOfVitest runs the files that .ci/vitest-compare runs with
// the real vitest, which wrote golden.json.
func TestOutcomesAreThoseOfVitest(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/vitest/golden.json")
	require.NoError(t, err)
	var golden map[string][]outcome
	require.NoError(t, json.Unmarshal(raw, &golden))
	require.NotEmpty(t, golden)
	for name, want := range golden {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := map[string]outcome{}
			for _, o := range runFile(t, name) {
				got[o.Name] = o
			}
			require.Len(t, got, len(byName(want)))
			for _, w := range want {
				g, ok := got[w.Name]
				if !ok {
					t.Errorf("no test %q", w.Name)
					continue
				}
				if g.State != w.State {
					t.Errorf("%s: vitest %s %q, here %s %q", w.Name, w.State, w.Messages, g.State, g.Messages)
				} else if !slices.Equal(tidy(g.Messages), tidy(w.Messages)) {
					t.Errorf("%s:\n vitest %q\n here   %q", w.Name, w.Messages, g.Messages)
				}
			}
		})
	}
}

func byName(list []outcome) map[string]bool {
	names := map[string]bool{}
	for _, o := range list {
		names[o.Name] = true
	}
	return names
}

var (
	// The engines word these errors of their own differently.
	engine = regexp.MustCompile(`^TypeError: Cannot (?:read|convert) .*`)
	// What is shown of functions that are transformed differs in nothing else.
	spaces = regexp.MustCompile(`\s+`)
)

func tidy(messages []string) []string {
	out := slices.Clone(messages)
	for i := range out {
		out[i] = spaces.ReplaceAllString(engine.ReplaceAllString(out[i], "TypeError of the engine"), " ")
	}
	return out
}

// fileRun is a run of one file by the simplest of runners.
type fileRun struct {
	t     *testing.T
	sb    wire.Sandbox
	only  bool
	calls atomic.Int64

	mu  sync.Mutex
	out []outcome
}

type silent struct{}

func (silent) Do(context.Context, wire.Request) (wire.Response, error) { return wire.Response{}, nil }
func (silent) Read(context.Context, wire.Stream, int) ([]byte, error)  { return nil, nil }
func (silent) CloseStream(wire.Stream)                                 {}

var snapshotLine = regexp.MustCompile("(?s)exports\\[`(.*?)`\\] = `(.*?)`;\n")

func runFile(t *testing.T, name string) []outcome {
	t.Helper()
	dir, err := filepath.Abs("testdata/vitest")
	require.NoError(t, err)
	dir, err = filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	b, err := bundle.Build(bundle.Options{ID: "x", Entry: filepath.Join(dir, name), Root: dir, Limit: dir, Modules: jsapi.Modules()})
	require.NoError(t, err)
	o := wire.TestOptions{File: name, TimeoutMS: 5000, HookTimeoutMS: 10000, Update: "none", Snapshots: map[string]string{}}
	if text, err := os.ReadFile(filepath.Join(dir, "__snapshots__", name+".snap")); err == nil {
		for _, m := range snapshotLine.FindAllStringSubmatch(string(text), -1) {
			o.Snapshots[m[1]] = m[2]
		}
	}
	r := &fileRun{t: t}
	r.sb, err = (&sandbox.Factory{}).NewSandbox(silent{})
	require.NoError(t, err)
	defer r.sb.Close()
	res, err := r.sb.Load(t.Context(), wire.LoadRequest{Extension: "x", Script: b.Script, SourceMap: b.SourceMap, Hash: b.Hash, Test: &o})
	require.NoError(t, err)
	require.Nil(t, res.Failure, "%+v", res.Failure)
	r.only = hasOnly(res.Tests)
	r.suite(res.Tests, nil, "", !r.only)
	return r.out
}

func hasOnly(n *wire.TestNode) bool {
	if n.Mode == "only" {
		return true
	}
	return slices.ContainsFunc(n.Children, func(c wire.TestNode) bool { return hasOnly(&c) })
}

// modeOf says what becomes of a node: run, skip or todo.
func (r *fileRun) modeOf(n *wire.TestNode, above string, chosen bool) (mode string, chose bool) {
	chose = chosen
	if n.Mode == "only" {
		chose = true
	}
	if n.Suite && r.only && n.Mode == "only" && slices.ContainsFunc(n.Children, func(c wire.TestNode) bool { return hasOnly(&c) }) {
		chose = false // those that it holds are alone
	}
	switch {
	case above != "":
		return above, chose
	case n.Mode == "skip" || n.Mode == "todo":
		return n.Mode, chose
	case !n.Suite && !chose:
		return "skip", chose
	}
	return "", chose
}

func (r *fileRun) suite(n *wire.TestNode, path []string, mode string, chosen bool) {
	if n.BeforeAll && mode == "" && r.runs(n, mode, chosen) {
		if res := r.call(wire.TestBeforeAll, n.ID); res.State == "fail" {
			mode = "skip"
		}
	}
	for i := 0; i < len(n.Children); {
		end := i + 1
		if n.Children[i].Concurrent {
			for end < len(n.Children) && n.Children[end].Concurrent {
				end++
			}
		}
		var wait sync.WaitGroup
		for _, c := range n.Children[i:end] {
			wait.Go(func() { r.node(&c, append(slices.Clone(path), c.Name), mode, chosen) })
		}
		wait.Wait()
		i = end
	}
	if n.AfterAll && mode == "" && r.runs(n, mode, chosen) {
		r.call(wire.TestAfterAll, n.ID)
	}
}

// runs reports whether any test of the suite runs.
func (r *fileRun) runs(n *wire.TestNode, mode string, chosen bool) bool {
	return slices.ContainsFunc(n.Children, func(c wire.TestNode) bool {
		m, chose := r.modeOf(&c, mode, chosen)
		return m == "" && (!c.Suite || r.runs(&c, m, chose))
	})
}

func (r *fileRun) node(n *wire.TestNode, path []string, above string, chosen bool) {
	mode, chose := r.modeOf(n, above, chosen)
	if n.Suite {
		r.suite(n, path, mode, chose)
		return
	}
	o := outcome{Name: strings.Join(path, " > "), State: mode}
	if mode == "" {
		res := r.call(wire.TestBody, n.ID)
		o.State = res.State
		for _, e := range res.Errors {
			line, _, _ := strings.Cut(e.Message, "\n")
			if e.Name != "" {
				line = strings.TrimSuffix(e.Name+": "+line, ": ")
			}
			o.Messages = append(o.Messages, line)
		}
	}
	r.mu.Lock()
	r.out = append(r.out, o)
	r.mu.Unlock()
}

func (r *fileRun) call(part string, id int) wire.TestResult {
	ctx, cancel := context.WithTimeoutCause(r.t.Context(), 20*time.Second, wire.ErrDeadline)
	defer cancel()
	res := r.sb.Call(ctx, wire.CallRequest{ID: fmt.Sprint(r.calls.Add(1)), Run: wire.RunTest, Tool: part, Args: json.RawMessage(fmt.Sprintf(`{"id":%d}`, id))})
	var out wire.TestResult
	if res.Value == nil {
		r.t.Errorf("%s %d: %+v", part, id, res.Thrown)
		return wire.TestResult{State: "fail"}
	}
	if err := json.Unmarshal(res.Value.Structured, &out); err != nil {
		r.t.Error(err)
	}
	return out
}
