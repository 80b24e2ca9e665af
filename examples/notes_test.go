package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

func TestNotesAreWrittenOnlyOnceThatIsGranted(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	p := openRoot(t, root, "")
	line := args{"name": "todo", "line": "buy milk"}
	require.Equal(t, "there are no notes yet", p.succeed("note_read", args{}).Text)
	out := p.fail(registry.KindPermissionDenied, "note_add", line)
	require.Contains(t, out.Failure.Hint, "grant notes --allow-write=notes/todo.md")
	require.NoDirExists(t, filepath.Join(root, "notes"))

	p = openRoot(t, root, "", "write notes")
	require.Equal(t, "notes/todo.md has 11 bytes now", p.succeed("note_add", line).Text)
	require.Equal(t, "notes/todo.md has 22 bytes now", p.succeed("note_add", line).Text)
	require.Equal(t, "- buy milk\n- buy milk\n", p.succeed("note_read", args{"name": "todo"}).Text)
	require.Equal(t, "notes/todo.md", p.succeed("note_read", args{}).Text)
	p.fail(registry.KindNotFound, "note_read", args{"name": "none"})
	p.fail(registry.KindInvalidArgs, "note_add", args{"name": "../up", "line": "x"})
}

func TestGitLogRunsGitAndNothingElse(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Dir = root
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", text)
	}
	git("init", "-q")
	require.NoError(t, os.WriteFile(filepath.Join(root, "a.txt"), []byte("a"), 0o644))
	git("add", ".")
	git("commit", "-q", "-m", "Add a text")

	openRoot(t, root, "").fail(registry.KindPermissionDenied, "git_log", args{})
	p := openRoot(t, root, "", "run git log")
	out := p.succeed("git_log", args{"path": "a.txt"})
	require.Contains(t, string(out.Structured), `"subject":"Add a text"`)
	require.Contains(t, out.Uses, registry.Use{Kind: "run", Target: "git log --max-count=10 --format=%h %as %s -- a.txt", Effect: "run", Grant: "--allow-run='git log'"})
	require.JSONEq(t, `{"commits":[]}`, string(p.succeed("git_log", args{"path": "none"}).Structured))
}
