package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/config"
)

var configRow = regexp.MustCompile("(?m)^\\| `([a-z_]+\\.[A-Za-z_.]+)` \\| (.+?) \\| (.*?) ?\\| (.+) \\|$")

// TestTheConfigurationPageTellsTheTruth compares docs/configuration.md with the
// keys that are read, both ways, and reads its example.
func TestTheConfigurationPageTellsTheTruth(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	require.NoError(t, err)
	plain := func(s string) string { return strings.ReplaceAll(s, "`", "") }
	told := map[string][]string{}
	for _, row := range configRow.FindAllStringSubmatch(string(page), -1) {
		told[row[1]] = []string{plain(row[2]), plain(row[3]), row[4]}
	}
	for _, k := range config.Keys() {
		row, ok := told[k.Name]
		require.True(t, ok, "%s is not on the page", k.Name)
		delete(told, k.Name)
		if !strings.HasPrefix(k.Type, "a list") && k.Type != "a table" {
			require.Equal(t, k.Type, row[0], k.Name)
		}
		require.Equal(t, k.Default, row[1], k.Name)
		require.Equal(t, k.Project, row[2], k.Name)
		section, _, _ := strings.Cut(k.Name, ".")
		require.Contains(t, string(page), "\n### "+section+"\n")
	}
	require.Empty(t, told, "the page tells of keys that do not exist")

	_, example, ok := strings.Cut(string(page), "```toml\n")
	require.True(t, ok)
	example, _, _ = strings.Cut(example, "```")
	file := filepath.Join(t.TempDir(), "config.toml")
	require.NoError(t, os.WriteFile(file, []byte(example), 0o600))
	c, _, err := config.Load(config.Options{File: file})
	require.NoError(t, err)
	require.Len(t, c.Approval.Rules, 3)
}

func TestDoctorPrintsWhatItsSchemaSays(t *testing.T) {
	root := project(t, map[string]string{"bad.ts": brokenExt})
	require.NoError(t, os.WriteFile(filepath.Join(root, ".rho", "config.toml"), []byte("memory.enabled = true\napproval.per_tool.x = 'deny'\nextensions.disabled = ['web']"), 0o600))
	got := rhoExt(t, root, "", "doctor", "--json", "--timeout", "5s")
	require.Equal(t, exitFailed, got.code)
	validate(t, "doctor", got.out)
	require.Contains(t, got.out, `"disabled": 1`)
	require.NoError(t, os.Remove(filepath.Join(root, ".rho", "extensions", "bad.ts")))
	got = rhoExt(t, root, "", "doctor", "--json")
	require.Equal(t, exitOK, got.code, got.err)
	validate(t, "doctor", got.out)
}
