package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// target is a real server that counts what arrives.
type target struct {
	addr string // host:port
	hits atomic.Int32
}

func newTarget(t *testing.T) *target {
	t.Helper()
	s := &target{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.hits.Add(1)
		fmt.Fprint(w, "answered")
	}))
	t.Cleanup(srv.Close)
	s.addr = strings.TrimPrefix(srv.URL, "http://")
	return s
}

// asking is an extension whose tool asks the server. ceiling is what stands in
// its manifest after "permissions:", or empty.
func (s *target) asking(tool, ceiling string) string {
	if ceiling != "" {
		ceiling = "permissions: " + ceiling + ","
	}
	return fmt.Sprintf(`export default { name: "asker", %s tools: [{ name: %q, description: "d", risk: "network",
  async execute() { return (await fetch("http://%s/")).text(); } }] };`, ceiling, tool, s.addr)
}

func (s *target) ceiling() string { return fmt.Sprintf("{ net: [%q] }", s.addr) }

// setting is a project and a user.
type setting struct {
	t          *testing.T
	root, home string
}

// newSetting makes a project with files, which the user trusts.
func newSetting(t *testing.T, files map[string]string) *setting {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := &setting{t, root, trusting(t, root)}
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".rho", "extensions"), 0o755))
	for name, text := range files {
		s.write(name, text)
	}
	return s
}

// write writes a file of the project, or anywhere by an absolute path.
func (s *setting) write(name, text string) {
	s.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.root, name)
	}
	require.NoError(s.t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(s.t, os.WriteFile(name, []byte(text), 0o600))
}

// in runs the program in a project.
func (s *setting) in(root string, args ...string) ran {
	s.t.Helper()
	s.t.Setenv("RHO_HOME", s.home)
	var out, errs bytes.Buffer
	code := run(s.t.Context(), append(args, "--root", root), streams{in: strings.NewReader(""), out: &out, err: &errs})
	return ran{code: code, out: out.String(), err: errs.String()}
}

func (s *setting) run(args ...string) ran { s.t.Helper(); return s.in(s.root, args...) }

// grant grants the server to an extension.
func (s *setting) grant(id string, to *target, args ...string) {
	s.t.Helper()
	got := s.run(append([]string{"grant", id, "--allow-net=" + to.addr}, args...)...)
	require.Equal(s.t, exitOK, got.code, got.err)
}

// refused runs a tool, which must reach nothing.
func (s *setting) refused(to *target, root string, args ...string) {
	s.t.Helper()
	before := to.hits.Load()
	for _, more := range [][]string{nil, {"--yes"}, {"--json"}} {
		got := s.in(root, append(append([]string{"run"}, args...), more...)...)
		require.Contains(s.t, []int{exitDenied, exitFailed, exitLoad}, got.code, got.out+got.err)
		require.NotContains(s.t, got.out, "answered")
	}
	require.Equal(s.t, before, to.hits.Load(), "something got out")
}

// allowed runs a tool, which must reach the server: else a refusal that follows
// would prove nothing.
func (s *setting) allowed(to *target, root string, args ...string) {
	s.t.Helper()
	before := to.hits.Load()
	got := s.in(root, append([]string{"run"}, args...)...)
	require.Equal(s.t, exitOK, got.code, got.err)
	require.Equal(s.t, before+1, to.hits.Load())
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

const ext = ".rho/extensions/"
