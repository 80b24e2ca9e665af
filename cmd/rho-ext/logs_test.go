package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/sessionlog"
	"github.com/rho-ext/rho-ext/registry"
)

// logOf opens the session log of a project, for a user whose folder is new.
func logOf(t *testing.T, root string, maxBytes int64) (*sessionlog.Log, string) {
	t.Helper()
	home := trusting(t, root)
	t.Setenv("RHO_HOME", home)
	dir := sessionDir(home, root)
	log, err := sessionlog.Open(sessionlog.Options{Dir: dir, MaxBytes: maxBytes})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log, dir
}

func TestLogsFollowWhatIsAddedAcrossFiles(t *testing.T) {
	root := project(t, nil)
	log, dir := logOf(t, root, 300) // a few lines to a file
	say := func(text string) {
		require.NoError(t, log.Append(t.Context(), registry.LogKindLine, registry.LogLine{Level: "info", Extension: "demo", Message: text}))
	}
	for _, text := range []string{"first", "second", "third"} {
		say(text)
	}
	for _, flags := range [][]string{{"-f", "--tail", "1"}, {"--follow", "--tail", "1", "--json"}} {
		ctx, stop := context.WithCancel(t.Context())
		out, errs := &page{}, &page{}
		ended := make(chan int, 1)
		go func() {
			ended <- run(ctx, append([]string{"logs", "demo", "--root", root}, flags...), streams{in: strings.NewReader(""), out: out, err: errs})
		}()
		out.expect(t, "third")
		require.NotContains(t, out.String(), "second")
		for i := range 10 {
			say("number " + string(rune('a'+i)))
		}
		require.NoError(t, log.Append(t.Context(), registry.LogKindLine, registry.LogLine{Level: "info", Extension: "web", Message: "of another"}))
		files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		require.NoError(t, err)
		require.Greater(t, len(files), 2)
		out.expect(t, "number j")
		f, err := os.OpenFile(files[len(files)-1], os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteString("\n{\"damaged\n\n{\"too\n")
		require.NoError(t, err)
		require.NoError(t, f.Close())
		errs.expect(t, "of the log could not be read")
		require.NoError(t, os.RemoveAll(dir)) // a writer makes it anew
		say("after all")
		say("the end third")
		out.expect(t, "the end")
		stop()
		require.Equal(t, exitOK, <-ended, errs.String())
		require.Equal(t, 1, strings.Count(errs.String(), "note:"), errs.String())
		require.Equal(t, []string{"number a", "number b", "number c"}, regexp.MustCompile(`number [abc]`).FindAllString(out.String(), -1))
		require.NotContains(t, out.String(), "of another")
		if len(flags) == 4 {
			for line := range strings.Lines(out.String()) {
				validate(t, "logs", line)
			}
		}
	}
}

func TestLogsPrintWhatTheirSchemaSays(t *testing.T) {
	root := project(t, nil)
	log, _ := logOf(t, root, 0)
	for _, args := range []string{"run fails", "run types", "run calls_out", "run nope", "run spins --timeout 50ms", "run waits --timeout 50ms --isolation process", "bench types --count 2"} {
		rhoExtBeside(t, root, strings.Fields(args)...)
	}
	require.NoError(t, registry.LogRequest(t.Context(), log, nil, "what is\nthe time"))
	require.NoError(t, log.Append(t.Context(), "outcome", strings.Repeat("x", 2<<20)))
	got := rhoExtBeside(t, root, "logs", "--json")
	kinds := map[string]bool{}
	for line := range strings.Lines(got.out) {
		validate(t, "logs", line)
		var e sessionlog.Entry
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		kinds[e.Kind] = true
	}
	require.Len(t, kinds, 4, got.out)
	got = rhoExtBeside(t, root, "logs")
	require.Contains(t, got.out, "  asked  what is·the time\n")
	require.Contains(t, got.out, "an entry of 2097.2 KB, which was too large to keep")
}

func TestWhatIsLoggedHoldsNoSecretsAndSteersNoTerminal(t *testing.T) {
	const secret = "ghp_R8x2mQ4vT7nB1kL9sW3yE6uH0jD5fG2cZ8aP"
	root := project(t, map[string]string{"talks.ts": `
console.log("loaded with ` + secret + `");
export default { name: "talks", tools: [{ name: "talks", description: "d", risk: "read", parameters: { t: { type: "string", optional: true } },
  execute: (args, ctx) => { ctx.log.error("\x1b[2Jred\r\nsecond " + args.t, { token: "` + secret + `", k: "\x9b" }); return "fine"; } }] };
`})
	_, dir := logOf(t, root, 0)
	got := rhoExtBeside(t, root, "run", "talks")
	require.Equal(t, exitOK, got.code, got.err)
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all.Write(data)
		return err
	}))
	require.Contains(t, all.String(), "loaded with [REDACTED")
	require.NotContains(t, all.String(), secret)
	got = rhoExtBeside(t, root, "logs")
	require.Contains(t, got.out, "error  talks: ·[2Jred·")
	require.Contains(t, got.out, "\n                 second undefined")
	for _, bad := range []string{"\x1b", "\r", "\u009b", secret} {
		require.NotContains(t, got.out, bad)
	}
}

func TestSinceIsReadAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 6, 12, 0, 0, 0, time.Local)
	for text, want := range map[string]time.Time{
		"": {}, "10m": now.Add(-10 * time.Minute), "2d": now.Add(-48 * time.Hour), "1.5d": now.Add(-36 * time.Hour), "1h30m": now.Add(-90 * time.Minute),
		"2026-05-01": time.Date(2026, 5, 1, 0, 0, 0, 0, time.Local), "2026-05-01 08:30": time.Date(2026, 5, 1, 8, 30, 0, 0, time.Local),
		"2026-05-01T08:30:00Z": time.Date(2026, 5, 1, 8, 30, 0, 0, time.UTC),
	} {
		got, err := sinceWhen(text, now)
		require.NoError(t, err, text)
		require.True(t, want.Equal(got), "%s: %v", text, got)
	}
	for _, text := range []string{"x", "-1m", "-1d", "1e9d", "NaNd", "infd", "10", "tomorrow", "2026-13-01"} {
		_, err := sinceWhen(text, now)
		require.Error(t, err, text)
	}
}
