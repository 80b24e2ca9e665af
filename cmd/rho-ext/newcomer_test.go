package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// newcomer is somebody who follows the README's first pages in an empty folder.
// What is typed and printed becomes the transcript.
type newcomer struct {
	t    *testing.T
	dir  string
	text strings.Builder
}

// types runs a command, wants it to succeed, and notes what is printed.
func (n *newcomer) types(line string) string {
	n.t.Helper()
	var got bytes.Buffer
	code := run(n.t.Context(), words(line)[1:], streams{in: strings.NewReader(""), out: &got, err: &got})
	require.Equal(n.t, exitOK, code, "%s\n%s", line, got.String())
	text := strings.ReplaceAll(got.String(), n.dir, "/home/you/project")
	fmt.Fprintf(&n.text, "$ %s\n%s", line, text)
	return text
}

// edits replaces a text in a file, as an editor saves it.
func (n *newcomer) edits(name, from, to string) {
	n.t.Helper()
	path := filepath.Join(n.dir, filepath.FromSlash(name))
	data, err := os.ReadFile(path)
	require.NoError(n.t, err)
	require.Equal(n.t, 1, strings.Count(string(data), from), "%s holds %q once", name, from)
	require.NoError(n.t, os.WriteFile(path, []byte(strings.Replace(string(data), from, to, 1)), 0o644))
}

func (n *newcomer) notes(text string) { fmt.Fprintf(&n.text, "# %s\n", text) }

// terminal is what another terminal shows; it gives what came since it was read.
type otherTerminal struct {
	page *page
	seen int
}

// until waits for a line that holds each of the parts, in this order.
func (o *otherTerminal) until(t *testing.T, parts ...string) string {
	t.Helper()
	var text string
	require.Eventually(t, func() bool {
		text = o.page.String()[o.seen:]
		rest := text
		for _, p := range parts {
			at := strings.Index(rest, p)
			if at < 0 {
				return false
			}
			rest = rest[at+len(p):]
		}
		return strings.HasSuffix(text, "\n")
	}, 30*time.Second, time.Millisecond, "%q never came:\n%v", parts, o.page)
	o.seen += len(text)
	return text
}

var (
	someTime  = regexp.MustCompile(`\d+(\.\d+)? m?s`)
	someClock = regexp.MustCompile(`\d\d:\d\d:\d\d`)
	// A test that took long, which depends on the machine.
	someSlow = regexp.MustCompile(`(?m)^  ✓ .* > .* N ms\n`)
	// The transcript in the README.
	newcomerBlock = regexp.MustCompile("(?s)(<!-- newcomer -->\n```shell-session\n)(.*?)(```\n)")
)

// masked hides what differs from run to run.
func masked(text string) string {
	text = someClock.ReplaceAllString(someTime.ReplaceAllString(text, "N ms"), "HH:MM:SS")
	return someSlow.ReplaceAllString(text, "")
}

// TestANewcomerGetsFromAnEmptyFolderToAToolThatRuns does what the README's first
// page shows, and keeps the page true: UPDATE_GOLDEN=1 writes it anew.
func TestANewcomerGetsFromAnEmptyFolderToAToolThatRuns(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	readmePath, err := filepath.Abs(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	t.Chdir(dir)
	t.Setenv("RHO_HOME", filepath.Join(t.TempDir(), "home"))
	t.Setenv("CI", "")
	n := &newcomer{t: t, dir: dir}

	n.types("rho-ext init find-word")
	require.Contains(t, n.types("rho-ext test"), "4 passed")

	ctx, stop := context.WithCancel(t.Context())
	screen := &page{}
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"dev"}, streams{in: strings.NewReader(""), out: screen, err: screen})
	}()
	other := &otherTerminal{page: screen}
	n.text.WriteString("$ rho-ext dev\n" + other.until(t, "ready in"))
	const file = ".rho/extensions/find-word/index.ts"

	n.edits(file, "there is no file ${path}", "no ${path} here")
	n.notes("index.ts says it in other words, which its test does not expect")
	n.text.WriteString(other.until(t, "reloaded find-word (v2)", "failed", "FAIL"))
	n.edits(file, "no ${path} here", "there is no file ${path}")
	n.notes("the old words again")
	n.text.WriteString(other.until(t, "reloaded find-word (v3)", "4 passed"))

	n.edits(file, "found.slice(0, limit) };", "found.slice(0, limit };")
	n.notes("a bracket is forgotten")
	n.text.WriteString(other.until(t, "error "+file+":", "still serving v3", "> 34 ", "36 | });"))
	n.edits(file, "found.slice(0, limit };", "found.slice(0, limit) };")
	n.notes("and comes back")
	n.text.WriteString(other.until(t, "find-word is right again", "4 passed"))
	stop()
	require.Equal(t, exitOK, <-ended)
	n.text.WriteString("^C\n")

	n.types("rho-ext check")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("buy milk\nsell bread\n"), 0o644))
	n.notes("notes.txt holds two lines: buy milk, sell bread")
	require.Contains(t, n.types("rho-ext run find_word --arg path=notes.txt --arg word=milk"), `"total":1`)

	readme, err := os.ReadFile(readmePath)
	require.NoError(t, err)
	shown := newcomerBlock.FindSubmatch(readme)
	require.NotNil(t, shown, "the README shows a newcomer")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		text := someClock.ReplaceAllString(n.text.String(), "14:02:31")
		readme = newcomerBlock.ReplaceAllFunc(readme, func([]byte) []byte { return []byte(string(shown[1]) + text + string(shown[3])) })
		require.NoError(t, os.WriteFile(readmePath, readme, 0o644))
		return
	}
	require.Equal(t, masked(string(shown[2])), masked(n.text.String()), "run it with UPDATE_GOLDEN=1 to write the page anew")
}
