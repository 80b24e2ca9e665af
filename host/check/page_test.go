package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/check"
)

const pageMark = "<!-- What follows is written by the test TestEveryRuleFindsItsBadExampleAndLeavesItsGoodOneAlone of host/check; run it with UPDATE_GOLDEN=1. -->\n"

// page compares docs/check.md with the rules and with what they said.
func page(t *testing.T, said map[string]check.Finding) {
	t.Helper()
	file := filepath.Join("..", "..", "docs", "check.md")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, old, ok := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), pageMark)
	require.True(t, ok, "the page has a mark")
	var b strings.Builder
	b.WriteString("\n| Rule | Severity |\n|---|---|\n")
	for _, r := range check.Rules() {
		fmt.Fprintf(&b, "| [%s](#%[1]s) | %s |\n", r.ID, r.Severity)
	}
	for _, r := range check.Rules() {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", r.ID, r.Summary)
		if r.Bad == nil {
			continue
		}
		b.WriteString(shown("", r.Bad))
		f := said[r.ID]
		place := ""
		if f.Line > 0 {
			place = fmt.Sprintf("%d:%d  ", f.Line, f.Column)
		}
		fmt.Fprintf(&b, "\n```text\n%s%s  %s\n", place, f.Severity, f.Message)
		if f.Hint != "" {
			fmt.Fprintf(&b, "hint: %s\n", f.Hint)
		}
		b.WriteString("```\n" + shown("Better:", r.Good))
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(before+pageMark+b.String()), 0o644))
		return
	}
	require.Equal(t, b.String(), old, "the rules have changed: run this test with UPDATE_GOLDEN=1")
}

// shown are the files of an example. Very large ones are left out.
func shown(title string, files map[string]string) string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	if title != "" {
		b.WriteString("\n" + title + "\n")
	}
	for _, name := range names {
		if len(files) > 1 || name != "example.ts" {
			fmt.Fprintf(&b, "\n`%s`\n", name)
		}
		text := strings.TrimRight(files[name], "\n")
		if len(text) > 4000 {
			text = text[:60] + " …"
		}
		lang := strings.TrimPrefix(filepath.Ext(name), ".")
		if lang == "cjs" {
			lang = "js"
		}
		fmt.Fprintf(&b, "\n```%s\n%s\n```\n", lang, text)
	}
	return b.String()
}
