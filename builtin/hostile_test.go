package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rho-ext/rho-ext/registry"
)

// TestOtherToolsWithHostileArguments is for the tools that are told what to
// run: everything else about a call starts nothing. Cargo's and Go's tools are
// tested beside their own tests.
func TestOtherToolsWithHostileArguments(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	s := newCratesServer(t)
	w := newWorkshop(t, nil, CommandOptions{CratesURL: s.URL}, nil)
	hostileCalls(t, w, "run_command", map[string]any{"command": "true"}, []string{"cwd", "shell"})
	hostileCalls(t, w, "wait_for", map[string]any{"command": "true", "timeout_secs": 1}, []string{"cwd", "shell", "until"})
	hostileCalls(t, w, "command_job", map[string]any{"action": "status"}, []string{"job", "action"})
	hostileCalls(t, w, "crates_io_lookup", map[string]any{"operation": "info"}, []string{"operation", "crate_name"})
	hostileCalls(t, w, "crates_io_lookup", map[string]any{"operation": "deps", "crate_name": "serde"}, []string{"version"})
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, asked := range s.asked { // what looks like a name may be asked for
		assert.True(t, strings.HasPrefix(asked, "/api/v1/crates/"), asked)
		assert.NotContains(t, asked, "..")
	}
}

// TestInputIsNoCommand gives hostile texts to what a command reads.
func TestInputIsNoCommand(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	for _, v := range hostileValues {
		var a commandAnswer
		o := w.call(t, "run_command", map[string]any{"command": "cat", "input": v}, &a)
		assert.Equal(t, registry.StatusSuccess, o.Status, o.Text)
		assert.Equal(t, v, a.Stdout)
	}
	_, err := os.Stat(filepath.Join(w.root, "hostile-was-here"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
