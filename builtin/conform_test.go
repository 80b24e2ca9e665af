package builtin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

func TestFileToolsConform(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]string{
		"read_file": `{"path":"a.txt"}`, "batch_read": `{"paths":["a.txt","b.txt"]}`, "write_file": `{"path":"w.txt","content":"x"}`,
		"list_dir": `{"recursive":true}`, "find_files": `{"pattern":"*.txt"}`, "search_files": `{"pattern":"one","context":1}`,
		"edit_file":   `{"path":"e.txt","edits":[{"old_text":"one","new_text":"one"}]}`,
		"apply_patch": `{"input":"*** Begin Patch\n*** Update File: p.txt\n@@\n one\n*** End Patch"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for _, file := range []string{"a.txt", "b.txt", "e.txt", "p.txt"} {
				require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte("one\ntwo\n"), 0o644))
			}
			r := registry.New()
			require.NoError(t, Register(r, Options{Root: root}))
			e, ok := r.Snapshot().Lookup(name)
			require.True(t, ok)
			registrytest.Run(t, e.Tool, registrytest.Options{Args: json.RawMessage(args), Invalid: []json.RawMessage{json.RawMessage(`{"unknown":1}`)}})
		})
	}
}
