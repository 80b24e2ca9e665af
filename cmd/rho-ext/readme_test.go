package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	readmeBlock = regexp.MustCompile("(?ms)^```(ts|console)\n(.*?)^```")
	// The page shows two of the built-in tools.
	readmeRow  = regexp.MustCompile(`(?m)^(\(built-in\).*?\), .*?\)), .*$`)
	readmeFile = regexp.MustCompile(`^// (\S+)\n`)
)

// TestTheReadmeTellsTheTruth follows the README in an empty project: it writes
// the files that are shown, runs what is typed and compares what is printed.
func TestTheReadmeTellsTheTruth(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	dir := t.TempDir()
	t.Chdir(dir)
	real, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	t.Setenv("RHO_HOME", filepath.Join(dir, "none"))
	require.NoError(t, os.Mkdir(".git", 0o755))
	ran := 0
	for _, block := range readmeBlock.FindAllStringSubmatch(string(readme), -1) {
		kind, text := block[1], block[2]
		if kind == "ts" {
			name := readmeFile.FindStringSubmatch(text)
			require.NotNil(t, name, "a ts block begins with the file's name")
			require.NoError(t, os.MkdirAll(filepath.Dir(name[1]), 0o755))
			require.NoError(t, os.WriteFile(name[1], []byte(text), 0o644))
			continue
		}
		for _, shown := range strings.Split(text, "$ ")[1:] {
			typed, want, _ := strings.Cut(shown, "\n")
			if !strings.HasPrefix(typed, "rho-ext ") {
				continue
			}
			var got bytes.Buffer
			run(context.Background(), words(typed)[1:], streams{in: strings.NewReader(""), out: &got, err: &got})
			require.Equal(t, want, readmeRow.ReplaceAllString(strings.ReplaceAll(got.String(), real, "/home/you/project"), "$1, …"), typed)
			ran++
		}
	}
	require.GreaterOrEqual(t, ran, 4)
}

// words splits a command line as a shell does, with single quotes alone.
func words(line string) []string {
	var out []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}
