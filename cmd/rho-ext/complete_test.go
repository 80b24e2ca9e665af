package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// A busy machine may take longer than a person waits.
func init() { completionTime, completionLoad = time.Minute, 3*time.Second }

// completed are the words that the last word of a line may become, with the number
// that tells the shell what else it may be.
func (s *setting) completed(words ...string) (list []string, directive string) {
	s.t.Helper()
	s.t.Setenv("RHO_HOME", s.home)
	var out, errs bytes.Buffer
	code := run(s.t.Context(), append([]string{"__complete", "--root", s.root}, words...), streams{in: strings.NewReader(""), out: &out, err: &errs})
	require.Equal(s.t, exitOK, code)
	require.NotContains(s.t, errs.String(), "EVALUATED")
	require.NotContains(s.t, errs.String(), "error")
	for line := range strings.Lines(out.String()) {
		name, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(name, ":") {
			return list, name
		}
		list = append(list, name)
	}
	s.t.Fatalf("no directive in %q", out.String())
	return nil, ""
}

const workshop = `console.error("EVALUATED");
export default { name: "w", permissions: { read: [] },
  settings: { apiKey: { type: "string", secret: true, description: "of your account" }, units: { type: "string" } },
  commands: [{ name: "wtally", description: "d", complete: (p) => ["reset all", "reset one", "show"].filter((t) => t.startsWith(p)), run: () => "" }],
  tools: [{ name: "wtool", description: "first line\n\tsecond", risk: "read", parameters: { type: "object", properties: { path: { type: "string", description: "a path" }, depth: { type: "integer" } } }, execute: () => "" }] };`

const none, dirsOnly, filesToo, noSpace = ":4", ":16", ":0", ":6"

func TestAShellCompletesNamesAndValues(t *testing.T) {
	s := newSetting(t, map[string]string{ext + "wext.ts": workshop, ext + "wplain/index.ts": "export default { name: 'p', tools: [] };"})
	for _, tt := range []struct {
		words     string // split at spaces; the last one is completed
		want      string
		directive string
	}{
		{"run wt", "wtool", none},
		{"run read_f", "read_file", none},
		{"run wtool x", "", none},
		{"info w", "write_file wait_for wtool wext wplain", none},
		{"dev w", "wext wplain", none},
		{"grant w", "wext wplain", none},
		{"revoke wp", "wplain", none},
		{"permissions we", "wext", none},
		{"permissions wext w", "", none},
		{"command ", "wtally", none},
		{"command wtally ", "reset show", none},
		{"command wtally re", "reset", none},
		{"command wtally reset ", "all one", none},
		{"command nope ", "", none},
		{"hook ", "tool_call tool_result before_model", none},
		{"hook tool_call --extension wp", "wplain", none},
		{"secret set ", "wext", none},
		{"secret set wext ", "apiKey", none},
		{"secret remove wext a", "apiKey", none},
		{"secret list wp", "wplain", none},
		{"secret set wext apiKey ", "", none},
		{"run wtool --arg ", "depth= path=", noSpace},
		{"run wtool --arg path=", "", noSpace},
		{"run wtool --allow-tool wt", "wtool", none},
		{"run wtool --args ", "", none},
		{"run wtool --allow-hook tool_c", "tool_call", none},
		{"run wtool --allow-write ", "", filesToo},
		{"init ", "", none},
		{"init x --template ", "tool fetch hooks command multi", none},
		{"types ", "", dirsOnly},
		{"test wp", "wplain", filesToo},
		{"test --reporter j", "junit json", none},
		{"check wp", "wplain", filesToo},
		{"check --format ", "text github", none},
		{"bundle wp", "wplain", none},
		{"bundle wplain --sourcemap ", "none inline external", none},
		{"bundle wplain --out ", "", filesToo},
		{"bench wt", "wtool", none},
		{"list --isolation ", "process in-process", none},
		{"list --isolation=in", "in-process", none},
		{"list --log-level ", "debug info warn error off", none},
		{"list --extensions ", "", dirsOnly},
		{"list --config ", "", filesToo},
		{"list ", "", none},
		{"completion ", "bash zsh fish powershell", none},
		{"comp", "completion", none},
	} {
		got, directive := s.completed(strings.Split(tt.words, " ")...)
		if tt.words == "info w" {
			require.ElementsMatch(t, strings.Fields(tt.want), got, tt.words)
		} else {
			require.Equal(t, tt.want, strings.Join(got, " "), tt.words)
		}
		require.Equal(t, tt.directive, directive, tt.words)
	}
}

// TestEveryFlagWithFixedValuesCompletesThem finds flags whose help lists what they
// take, so that a new one is not forgotten.
func TestEveryFlagWithFixedValuesCompletesThem(t *testing.T) {
	t.Parallel()
	var visit func(c *cobra.Command)
	root := (&app{streams: streams{out: &bytes.Buffer{}, err: &bytes.Buffer{}}, allow: allowFlags{}}).command()
	known := 0
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal != "" {
				return
			}
			_, has := c.GetFlagCompletionFunc(f.Name)
			require.True(t, has, "%s --%s", c.CommandPath(), f.Name)
			if name, _ := pflag.UnquoteUsage(f); flagValues[f.Name] != nil || name == "FORMAT" || name == "MODE" || name == "LEVEL" {
				require.NotNil(t, flagValues[f.Name], "%s --%s", c.CommandPath(), f.Name)
				known++
			}
		})
	}
	visit(root)
	require.GreaterOrEqual(t, known, 8)
}

func TestCompletionRunsNothingThatIsNotTrusted(t *testing.T) {
	s := newSetting(t, map[string]string{ext + "wext.ts": `rho.log("error", "EVALUATED"); ` + workshop})
	s.home = t.TempDir()
	for _, words := range []string{"run w", "command ", "secret set ", "run wtool --arg "} {
		got, _ := s.completed(strings.Split(words, " ")...)
		require.NotContains(t, got, "wtool", words)
		require.NotContains(t, got, "wext", words)
	}
	got, _ := s.completed("grant", "")
	require.Equal(t, []string{"wext"}, got, "what is there is known without a look into it")
}

func TestCompletionWaitsForNobodyAndComplainsOfNothing(t *testing.T) {
	s := newSetting(t, map[string]string{ext + "wext.ts": workshop, ext + "spins.ts": "for (;;) {}", ext + "broken.ts": brokenExt})
	start := time.Now()
	got, _ := s.completed("run", "wt")
	require.Less(t, time.Since(start), 30*time.Second)
	require.Equal(t, []string{"wtool"}, got)

	s.write(".rho/config.toml", "nonsense [")
	got, directive := s.completed("run", "wt")
	require.Empty(t, got)
	require.Equal(t, none, directive)
	s.root = filepath.Join(s.root, "nowhere")
	got, _ = s.completed("grant", "")
	require.Empty(t, got)
	_, err := os.Stat(filepath.Join(s.home, "projects"))
	require.ErrorIs(t, err, os.ErrNotExist, "looking for names leaves no trace")
}

func TestDescriptionsStayOnTheirLine(t *testing.T) {
	s := newSetting(t, map[string]string{ext + "wext.ts": workshop})
	t.Setenv("RHO_HOME", s.home)
	var out bytes.Buffer
	run(t.Context(), []string{"__complete", "--root", s.root, "run", "wt"}, streams{in: strings.NewReader(""), out: &out, err: &bytes.Buffer{}})
	require.Equal(t, "wtool\tfirst line\n:4\n", out.String())
}

func TestCompletionScripts(t *testing.T) {
	for _, s := range shells {
		got := rhoExt(t, t.TempDir(), "", "completion", s.name)
		require.Equal(t, exitOK, got.code, got.err)
		require.Contains(t, got.out, "__complete")
		validate(t, "completion", rhoExt(t, t.TempDir(), "", "completion", s.name, "--json").out)
		path, err := exec.LookPath(s.name)
		if err != nil || s.name == "powershell" {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		check := exec.CommandContext(ctx, path, "-n") // reads it and runs nothing
		check.Stdin = strings.NewReader(got.out)
		text, err := check.CombinedOutput()
		require.NoError(t, err, string(text))
	}
	got := rhoExt(t, t.TempDir(), "", "completion", "tcsh")
	require.Equal(t, exitUsage, got.code)
	require.Contains(t, got.err, `there is no script for "tcsh"`)
	require.Contains(t, got.err, "expected bash, zsh, fish, powershell")
	require.Equal(t, exitUsage, rhoExt(t, t.TempDir(), "", "completion").code)
}
