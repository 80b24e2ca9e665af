package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const worker = `import { defineTool } from "rho-ext";
export default defineTool({ name: "work", description: "d", risk: "read", async execute(_, ctx) {
  ctx.progress({ message: "first\nline", done: 1, total: 3 });
  await new Promise((r) => setTimeout(r, 120));
  ctx.progress({ message: "second " + "漢".repeat(100), done: 2, total: 3 });
  await new Promise((r) => setTimeout(r, 120));
  console.log("said");
  ctx.progress("third");
  await new Promise((r) => setTimeout(r, 120));
  return "done";
} });`

// rows is what a terminal of so many columns shows in the end, and what its rows
// have held on the way.
func rows(t *testing.T, seen string) (final string, passing []string) {
	t.Helper()
	for i, line := range strings.Split(seen, "\n") {
		parts := strings.Split(line, "\r\x1b[2K")
		for _, part := range parts {
			require.NotContains(t, part, "\x1b")
			require.NotContains(t, part, "\r")
		}
		if i > 0 {
			final += "\n"
		}
		final += parts[len(parts)-1]
		passing = append(passing, parts[:len(parts)-1]...)
	}
	return final, passing
}

func TestProgressIsOneLineThatPasses(t *testing.T) {
	s := newSetting(t, map[string]string{ext + "work.ts": worker})
	t.Setenv("TERM", "xterm")
	p := newConsole(t)
	require.NoError(t, unix.IoctlSetWinsize(int(p.tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 40}))
	r := s.at(p, "run", "work")
	require.Equal(t, exitOK, r.code(), r.screen())
	require.Equal(t, "done\n", r.out.String())
	final, passing := rows(t, r.screen())
	require.Equal(t, "info work: said\n", final)
	all := strings.Join(passing, "\n")
	require.Contains(t, all, "… [1/3] first·line")
	require.Contains(t, all, "… [2/3] second "+strings.Repeat("漢", 11)+"…\n")
	require.Contains(t, all, "… third")
	require.NotContains(t, all, strings.Repeat("漢", 12), "it never wraps")
}

func TestProgressIsLinesWhereALineCannotPass(t *testing.T) {
	s := newSetting(t, map[string]string{ext + "work.ts": worker})
	got := s.run("run", "work")
	require.Equal(t, exitOK, got.code)
	require.Regexp(t, "(?s)^… \\[1/3\\] first\nline\n… \\[2/3\\] second .*\ninfo work: said\n… third\n$", got.err)
	t.Setenv("TERM", "dumb")
	r := s.at(newConsole(t), "run", "work")
	require.Equal(t, exitOK, r.code())
	require.NotContains(t, r.screen(), "\x1b")
	require.Contains(t, r.screen(), "… third\n")
	t.Setenv("TERM", "xterm")
	r = s.at(newConsole(t), "run", "work", "--json")
	require.Equal(t, exitOK, r.code())
	require.NotContains(t, r.screen(), "…")
}

func TestProgressLeavesQuestionsAlone(t *testing.T) {
	to := newTarget(t)
	s := newSetting(t, map[string]string{ext + "asks.ts": strings.Replace(to.asking("ask", to.ceiling()),
		"async execute() {", `async execute(_, ctx) { setInterval(() => ctx.progress("busy"), 5); await new Promise((r) => setTimeout(r, 200));`, 1)})
	t.Setenv("TERM", "xterm")
	r := s.at(newConsole(t), "run", "ask")
	r.expect("… busy")
	r.expect(allowPrompt)
	r.typed("o\n")
	require.Equal(t, exitOK, r.code(), r.screen())
	_, after, _ := strings.Cut(r.screen(), allowPrompt)
	require.True(t, strings.HasPrefix(after, "o\n"), "nothing was written over what is typed: %q", after)
}

func TestFitCountsColumns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{
		{"short", 5, "short"}, {"shorts", 5, "shor…"}, {"", 5, ""}, {"漢字", 4, "漢字"}, {"漢字漢", 5, "漢字…"}, {"漢字漢", 4, "漢…"}, {"abc", 0, "…"},
	} {
		require.Equal(t, tt.want, fitColumns(tt.text, tt.n), tt.text)
	}
}
