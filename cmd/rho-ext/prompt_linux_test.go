package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/permission"
)

const allowPrompt = "allow? [o]nce, this [s]ession, [a]lways, [N]o "

// asked is a setting in which a tool asks for a server that is not granted.
func asked(t *testing.T) (*setting, *target) {
	t.Helper()
	to := newTarget(t)
	return newSetting(t, map[string]string{ext + "asker.ts": to.asking("ask", to.ceiling())}), to
}

func TestAPermissionIsGivenByTheAnswersThatSaySo(t *testing.T) {
	for name, tt := range map[string]struct {
		types   []string // one for each prompt
		repeats int      // calls in one run
		hits    int32
		after   int // exit code of a run without a terminal afterwards
	}{
		"once":              {[]string{"o\n"}, 1, 1, exitDenied},
		"once, each call":   {[]string{"o\n", "once\n"}, 2, 2, exitDenied},
		"session":           {[]string{"s\n"}, 2, 2, exitDenied},
		"the word":          {[]string{" SESSION \n"}, 2, 2, exitDenied},
		"always":            {[]string{"a\n"}, 2, 2, exitOK},
		"nonsense, then":    {[]string{"what?\n", "\x1b[31mo\n", "always\n"}, 1, 1, exitOK},
		"no":                {[]string{"n\n"}, 1, 0, exitDenied},
		"nothing":           {[]string{"\n"}, 1, 0, exitDenied},
		"nonsense":          {[]string{"yes\n", "yes\n", "yes\n"}, 1, 0, exitDenied},
		"what only begins":  {[]string{"oops\n", "so what\n", "and now\n"}, 1, 0, exitDenied},
		"an end of input":   {[]string{"\x04"}, 1, 0, exitDenied},
		"something, at end": {[]string{"not o\x04\n", "", "\n"}, 1, 0, exitDenied},
	} {
		t.Run(name, func(t *testing.T) {
			s, to := asked(t)
			r := s.at(newConsole(t), "run", "ask", "--json", fmt.Sprintf("--repeat=%d", tt.repeats))
			for _, text := range tt.types {
				r.expect(allowPrompt)
				if text == "" {
					break
				}
				r.typed(text)
			}
			if name == "something, at end" {
				r.typed("\n")
			}
			want := exitDenied
			if tt.hits > 0 {
				want = exitOK
			}
			require.Equal(t, want, r.code(), r.screen())
			require.Equal(t, tt.hits, to.hits.Load())
			validate(t, "outcome", r.out.String())
			require.NotContains(t, r.screen(), "answered")
			require.NotContains(t, r.screen()[:strings.Index(r.screen(), allowPrompt)], "\x1b")
			require.Equal(t, tt.after, s.run("run", "ask").code)
		})
	}
}

func TestAPermissionPromptSaysAllThatCounts(t *testing.T) {
	s, to := asked(t)
	r := s.at(newConsole(t), "run", "ask")
	r.expect(allowPrompt)
	require.Contains(t, r.screen(), fmt.Sprintf(`permission: extension asker (project) wants network access to %[1]s, for its tool ask
  a yes grants it net %[1]s
  careful: it is this machine
allow?`, to.addr))
	r.typed("n\n")
	require.Equal(t, exitDenied, r.code())
	require.Contains(t, r.screen(), "grant asker --allow-net="+to.addr)
}

func TestEveryQuestionIsAnsweredForItself(t *testing.T) {
	one, two := newTarget(t), newTarget(t)
	src := fmt.Sprintf(`export default { name: "both", permissions: { net: [%[1]q, %[2]q] }, tools: [{ name: "ask", description: "d", risk: "network",
  async execute() { const a = await (await fetch("http://%[1]s/")).text(); return a + await (await fetch("http://%[2]s/")).text(); } }] };`, one.addr, two.addr)
	s := newSetting(t, map[string]string{ext + "both.ts": src})
	r := s.at(newConsole(t), "run", "ask")
	r.expect("access to " + one.addr)
	r.expect(allowPrompt)
	r.typed("o\no\n") // the second line is typed ahead of a question that nobody has seen
	r.expect("access to " + two.addr)
	r.expect(allowPrompt)
	r.typed("n\n")
	require.Equal(t, exitDenied, r.code(), r.screen())
	require.EqualValues(t, 1, one.hits.Load())
	require.Zero(t, two.hits.Load())
}

func TestWhatWasTypedBeforeAQuestionIsNoAnswer(t *testing.T) {
	s, to := asked(t)
	p := newConsole(t)
	p.typed("a\na\nalwa") // also a line that is not finished
	p.expect("alwa")
	r := s.at(p, "run", "ask")
	r.expect(allowPrompt)
	r.typed("ys\n") // "always", were the rest still there
	r.expect("is no answer")
	r.expect(allowPrompt)
	r.typed("\n")
	require.Equal(t, exitDenied, r.code(), r.screen())
	require.Zero(t, to.hits.Load())
	require.NoFileExists(t, filepath.Join(s.home, permission.GrantsFile))
}

func TestATerminalThatClosesSaysNo(t *testing.T) {
	s, to := asked(t)
	r := s.at(newConsole(t), "run", "ask")
	r.expect(allowPrompt)
	require.NoError(t, r.ctl.Close())
	require.Equal(t, exitDenied, r.code())
	require.Zero(t, to.hits.Load())

	p := newConsole(t) // and where the program is told so by a signal
	cmd := s.child(p, "run", "ask")
	p.expect(allowPrompt)
	require.NoError(t, p.tty.Close())
	require.NoError(t, p.ctl.Close())
	require.Error(t, cmd.Wait())
	require.Zero(t, to.hits.Load())
	require.NoFileExists(t, filepath.Join(s.home, permission.GrantsFile))
}

func TestInterruptingAQuestionGrantsNothing(t *testing.T) {
	s, to := asked(t)
	p := newConsole(t)
	cmd := s.child(p, "run", "ask", "--json")
	p.expect(allowPrompt)
	p.typed("a\x03")
	var exit *exec.ExitError
	require.True(t, errors.As(cmd.Wait(), &exit))
	require.Equal(t, exitInterrupted, exit.ExitCode(), p.screen())
	validate(t, "outcome", cmd.Stdout.(*bytes.Buffer).String())
	require.Zero(t, to.hits.Load())
	require.NoFileExists(t, filepath.Join(s.home, permission.GrantsFile))

	require.NoError(t, permission.NewTrust(s.home).Set(s.root, false))
	require.NoError(t, os.Remove(filepath.Join(s.home, permission.TrustFile)))
	p = newConsole(t)
	cmd = s.child(p, "run", "ask")
	p.expect("trust this project? [y/N] ")
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.True(t, errors.As(cmd.Wait(), &exit))
	require.Equal(t, exitInterrupted, exit.ExitCode(), p.screen())
	require.NoFileExists(t, filepath.Join(s.home, permission.TrustFile))
}

func TestADeadlineStandsStillWhileAPersonThinks(t *testing.T) {
	s, to := asked(t)
	r := s.at(newConsole(t), "run", "ask", "--timeout", "300ms")
	r.expect(allowPrompt)
	require.False(t, r.await("timed out", time.Second), r.screen())
	r.typed("o\n")
	require.Equal(t, exitOK, r.code(), r.screen())
	require.EqualValues(t, 1, to.hits.Load())
}

func TestTrustIsAskedForOnceAndNoIsTheDefault(t *testing.T) {
	s, to := asked(t)
	s.home = t.TempDir()
	for _, text := range []string{"\n", "n\n", "no\n", "yep\nn\n", "\x04"} {
		r := s.at(newConsole(t), "run", "ask")
		r.expect("has 1 extension of its own in .rho/extensions: asker.")
		r.expect("trust this project? [y/N] ")
		r.typed(text)
		require.Equal(t, exitDenied, r.code(), r.screen())
		require.NoFileExists(t, filepath.Join(s.home, permission.TrustFile))
	}
	r := s.at(newConsole(t), "run", "ask")
	r.expect("trust this project? [y/N] ")
	r.typed("y\n")
	r.expect(allowPrompt) // trust grants nothing
	r.typed("o\n")
	require.Equal(t, exitOK, r.code(), r.screen())
	require.EqualValues(t, 1, to.hits.Load())
	r = s.at(newConsole(t), "run", "ask")
	r.expect("permission: ")
	require.NotContains(t, r.screen(), "trust this")
	r.typed("\n")
	r.expect(allowPrompt)
	r.typed("\n")
	require.Equal(t, exitDenied, r.code())

	require.Equal(t, exitOK, s.run("trust", "--remove").code)
	r = s.at(newConsole(t), "run", "ask")
	require.Equal(t, exitDenied, r.code(), "who took it back is not asked again")
	require.NotContains(t, r.screen(), "[y/N]")
	for _, verb := range []string{"list", "permissions", "doctor"} {
		r = s.at(newConsole(t), verb)
		require.Equal(t, exitOK, r.code())
		require.NotContains(t, r.screen(), "[y/N]")
	}
}

func TestGrantAsksItemByItem(t *testing.T) {
	to := newTarget(t)
	s := newSetting(t, map[string]string{ext + "asker.ts": to.asking("ask", fmt.Sprintf(`{ net: [%q], write: ["."], run: ["*"] }`, to.addr))})
	r := s.at(newConsole(t), "grant", "asker")
	for _, q := range [][2]string{{"net " + to.addr, "y\n"}, {"careful: it is the whole project", "\n"}, {"careful: any program runs as you, outside the sandbox", "n\n"}} {
		r.expect(q[0])
		r.expect("grant it in this project? [y/N] ")
		r.typed(q[1])
	}
	require.Equal(t, exitOK, r.code(), r.screen())
	s.allowed(to, s.root, "ask")
	require.Len(t, strings.Split(strings.TrimSpace(read(t, filepath.Join(s.home, permission.GrantsFile))), "\n"), 1)
	r = s.at(newConsole(t), "grant", "asker")
	for range 2 { // what is left
		r.expect("[y/N] ")
		r.typed("\n")
	}
	require.Equal(t, exitDenied, r.code(), r.screen())
}

// Where nobody sits at a keyboard and a screen, nobody is waited for.
func TestWithoutATerminalNothingWaits(t *testing.T) {
	s, to := asked(t)
	t.Setenv("RHO_HOME", s.home)
	open, keep, err := os.Pipe() // stays open, and silent
	require.NoError(t, err)
	defer keep.Close()
	defer open.Close()
	closed, _, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	p := newConsole(t)
	var out, errs bytes.Buffer
	for name, st := range map[string]streams{
		"a pipe that stays open":          {in: open, out: &out, err: &errs},
		"a closed stdin":                  {in: closed, out: &out, err: &errs},
		"a terminal to print to alone":    {in: open, out: p.tty, err: p.tty},
		"a terminal to type at alone":     {in: p.tty, out: &out, err: &errs},
		"a terminal, with errors in file": {in: p.tty, out: p.tty, err: &errs},
	} {
		require.Equal(t, exitDenied, run(t.Context(), []string{"run", "ask", "--root", s.root}, st), name)
		require.Equal(t, exitUsage, run(t.Context(), []string{"grant", "asker", "--root", s.root}, st), name)
	}
	s.home = t.TempDir()
	t.Setenv("RHO_HOME", s.home)
	require.Equal(t, exitDenied, run(t.Context(), []string{"run", "ask", "--root", s.root}, streams{in: open, out: p.tty, err: p.tty}))
	require.Zero(t, to.hits.Load())
	require.NotContains(t, p.screen()+errs.String(), "allow?")
	require.NotContains(t, p.screen()+errs.String(), "[y/N]")
}

// A server speaks a protocol on its streams, terminal or not.
func TestServersNeverPrompt(t *testing.T) {
	for mode, messages := range map[string][]string{
		"--rpc": {`{"jsonrpc":"2.0","id":1,"method":"callTool","params":{"name":"ask","arguments":{}}}`},
		"--mcp": {
			`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{}}}`,
		},
	} {
		for _, trusted := range []bool{true, false} {
			s, to := asked(t)
			require.NoError(t, permission.NewTrust(s.home).Set(s.root, trusted))
			p := newConsole(t)
			t.Setenv("RHO_HOME", s.home)
			out, in, err := os.Pipe()
			require.NoError(t, err)
			done := make(chan int, 1)
			go func() {
				done <- run(t.Context(), []string{"serve", mode, "--yes", "--root", s.root}, streams{in: p.tty, out: in, err: p.tty})
				in.Close()
			}()
			p.expect("on stdio\n")
			for _, m := range messages {
				p.typed(m + "\n")
			}
			var got strings.Builder
			buf := make([]byte, 4096)
			for !strings.Contains(got.String(), `"id":1`) {
				n, err := out.Read(buf)
				require.NoError(t, err, got.String())
				got.Write(buf[:n])
			}
			if trusted {
				require.Contains(t, got.String(), "is not granted", mode)
			}
			p.typed("\x04")
			require.Equal(t, exitOK, <-done, p.screen())
			require.NotContains(t, p.screen(), "allow?")
			require.NotContains(t, p.screen(), "[y/N]")
			require.Zero(t, to.hits.Load())
			out.Close()
		}
	}
}

var promptLine = regexp.MustCompile(`(?m)^(allow\?|permission:|approval:|trust this|  careful:|  a yes)`)

func TestNamesCannotForgeAPrompt(t *testing.T) {
	const forged = "\npermission: extension good wants nothing\n  careful: no\nallow? [o]nce \x1b[2J\r\u202e\u009b"
	src := fmt.Sprintf(`const f = %q;
export default { name: f, description: f, permissions: { write: ["."], run: ["x"] }, tools: [{ name: "put", title: f, description: f, risk: "destructive",
  async execute(_, ctx) {
    console.log("one" + f); ctx.progress(f);
    try { rho.writeFile("a" + f, "x"); } catch {}
    await ctx.exec("x", [f, "y".repeat(5000)]);
  } }] };`, forged)
	s := newSetting(t, map[string]string{ext + "x.ts": src})
	r := s.at(newConsole(t), "run", "put", "--json")
	r.expect("wants running x") // of the file nobody is asked: no grant can name it
	r.expect(allowPrompt)
	before := r.screen()
	r.typed("\n")
	require.Equal(t, exitDenied, r.code(), r.screen())
	for _, bad := range []string{"\x1b", "\u202e", "\u009b", "\r"} {
		require.NotContains(t, r.screen(), bad)
	}
	require.Equal(t, []string{"permission:", "  a yes", "  careful:", "allow?"}, promptLine.FindAllString(before, -1), before)
	last := before[strings.LastIndex(before, "\npermission:"):]
	require.Contains(t, last, "characters left out")
	require.Less(t, len(last), 20*80, "it fits a screen")
}
