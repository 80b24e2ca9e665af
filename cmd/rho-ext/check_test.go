package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/check"
)

// checkedFiles have a finding of every kind.
var checkedFiles = map[string]string{
	ext + "clean.ts": `import { defineTool } from "rho-ext";

export default defineTool({ name: "clean", description: "Says that all is well.", risk: "read", execute: () => "well" });
`,
	ext + "broken.ts": "export default {\n  name: \"Broken\",\n  tools: [{ name: \"half\" description: \"d\" }],\n};\n",
	ext + "many/mod.ts": `import { words } from "./words";
import { defineExtension, defineTool, s } from "rho-ext";

const count = defineTool({
  name: "many_count",
  description: "Counts the words of a text, each as often as it occurs.",
  risk: "read",
  parameters: { text: s.string(), from: s.integer().describe("the first word") },
  execute: ({ text }) => Object.groupBy(words(text), (w: string) => w) as never,
});

export default defineExtension({
  name: "Many",
  // rho-ext-ignore permission-unused: for the next version
  permissions: { net: ["*"], run: ["git"] },
  tools: [count],
});
`,
	ext + "many/words.ts": "export const words = (text: string) => text.match(/\\p{L}+/gu) ?? [];\n",
	ext + "odd.cjs":       "module.exports = {};\n",
	ext + "uses.ts": `// Uses what is not there, again and again.
export default {
  name: "Uses",
  tools: [
    {
      name: "uses",
      description: "Draws a random number in six ways.",
      risk: "read",
      execute: () => [
        crypto.randomUUID(),
        crypto.randomUUID(),
        crypto.randomUUID(),
        crypto.randomUUID(),
        crypto.randomUUID(),
        crypto.randomUUID(),
        crypto.randomUUID(),
      ],
    },
  ],
};
`,
}

func TestAReportIsReadableAt80ColumnsWithoutColour(t *testing.T) {
	s := newSetting(t, checkedFiles)
	got := s.run("check")
	require.Equal(t, exitFailed, got.code)
	require.Empty(t, got.err)
	text := regexp.MustCompile(`\(\d+ ms\)`).ReplaceAllString(got.out, "(41 ms)")
	file := filepath.Join("testdata", "check.golden")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), text)
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
	}
}

func TestAReportAsDataIsWhatItsSchemaSays(t *testing.T) {
	s := newSetting(t, checkedFiles)
	for _, args := range [][]string{{"check"}, {"check", "clean"}, {"check", "--strict"}} {
		got := s.run(append(args, "--json")...)
		require.Contains(t, []int{exitOK, exitFailed}, got.code, got.err)
		validate(t, "check", got.out)
	}
	validate(t, "check", newSetting(t, nil).run("check", "--json").out)
}

func TestHundredsOfFindingsAreFolded(t *testing.T) {
	t.Parallel()
	r := &check.Report{Extensions: []check.Checked{{ID: "many", File: "many.ts"}}}
	for i := range 400 {
		r.Findings = append(r.Findings, check.Finding{Rule: "missing-global", Severity: check.Error, Extension: "many", File: "many.ts", Line: i + 1, Column: 1,
			Message: fmt.Sprintf("Intl%d is not defined in the sandbox", i%200), Frame: "> 1 | Intl"})
		r.Counts.Errors++
	}
	r.Findings = append(r.Findings, check.Finding{Rule: "bundle-size", Severity: check.Warning, Extension: "many", File: "many.ts", Message: "large"})
	r.Counts.Warnings++
	for i := range 30 {
		r.Findings = append(r.Findings, check.Finding{Rule: "no-test", Severity: check.Info, Extension: fmt.Sprintf("e%d", i), Message: "there is no test for it"})
	}
	var out bytes.Buffer
	require.NoError(t, (&app{streams: streams{out: &out}}).printReport(r))
	require.Less(t, strings.Count(out.String(), "\n"), 30)
	require.Contains(t, out.String(), "and 390 more of missing-global")
	require.Contains(t, out.String(), "[bundle-size]")
	require.Contains(t, out.String(), "e0, e1, e2, e3, e4, e5, e6, e7 and 22")
	require.Contains(t, out.String(), "400 errors, 1 warning in 1 extension")
}

func TestAnnotationsCannotBeForged(t *testing.T) {
	t.Setenv("GITHUB_WORKSPACE", "")
	r := &check.Report{Findings: []check.Finding{{
		Rule: "regexp", Severity: check.Error, Extension: "a", File: "dir,x/a:b%.ts\n::error::x", Line: 3, Column: 4,
		Message: "50% off\r\n::warning file=x::y\x1b[2J", Hint: "none",
	}}}
	var out bytes.Buffer
	require.NoError(t, (&app{streams: streams{out: &out}}).printAnnotations(r))
	first, rest, _ := strings.Cut(out.String(), "\n")
	require.Equal(t, "::error file=dir%2Cx/a%3Ab%25.ts%0A%3A%3Aerror%3A%3Ax,line=3,col=4,title=regexp::a: 50%25 off·%0A::warning file=x::y·[2J%0Ahint: none", first)
	require.NotContains(t, rest, "::")
}
