package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/builtin"
	"github.com/rho-ext/rho-ext/builtin/memory"
	"github.com/rho-ext/rho-ext/registry"
)

const toolsMark = "<!-- This table is written by the test TestTheToolsPageIsFresh; run it with UPDATE_GOLDEN=1. -->\n"

// TestTheToolsPageIsFresh compares the table of docs/tools.md with the tools.
func TestTheToolsPageIsFresh(t *testing.T) {
	t.Parallel()
	file := filepath.Join("..", "..", "docs", "tools.md")
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(strings.ReplaceAll(string(page), "\r\n", "\n"), toolsMark)
	require.True(t, ok, "the page has a mark above the table")
	old, after, ok := strings.Cut(rest, "\n\n")
	require.True(t, ok, "text follows the table")
	table := toolsTable(t)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(before+toolsMark+table+"\n\n"+after), 0o644))
		return
	}
	require.Equal(t, table, old, "the built-in tools have changed: run this test with UPDATE_GOLDEN=1")
}

// toolsTable lists the built-in tools and what becomes of a call of them where
// nothing is configured.
func toolsTable(t *testing.T) string {
	r := registry.New()
	require.NoError(t, builtin.Register(r, builtin.Options{Root: t.TempDir()}))
	require.NoError(t, memory.Register(r, memory.Options{Root: t.TempDir()}))
	defer func() { require.NoError(t, r.Swap("", nil)) }()
	policy, err := registry.NewPolicy(registry.PolicyOptions{})
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString("| Tool | Risk | Effects | By default | What it does |\n|---|---|---|---|---|")
	for _, e := range r.Snapshot().Tools() {
		var actions []string
		examples := e.Info.Examples
		require.NotEmpty(t, examples, "%s has an example", e.Name())
		for _, x := range examples {
			v := policy.Judge(e, x.Args, "")
			require.NotEqual(t, registry.Deny, v.Action, "%s: %s", e.Name(), v.Reason)
			if a := v.Action.String(); !slices.Contains(actions, a) {
				actions = append(actions, a)
			}
		}
		slices.Sort(actions)
		what, _, _ := strings.Cut(strings.ReplaceAll(e.Description(), "\n", " "), ". ")
		fmt.Fprintf(&b, "\n| `%s` | %s | %s | %s | %s |", e.Name(), e.Tool.Risk(), e.Info.Effects, strings.Join(actions, " or "), strings.TrimSuffix(what, "."))
	}
	return b.String()
}
