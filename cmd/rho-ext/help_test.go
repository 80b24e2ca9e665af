package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// TestHelpShowsWhatCanBeTyped reads the examples of every verb with the verb's
// own flags.
func TestHelpShowsWhatCanBeTyped(t *testing.T) {
	t.Parallel()
	program := func() *cobra.Command {
		return (&app{streams: streams{out: &bytes.Buffer{}, err: &bytes.Buffer{}}, allow: allowFlags{}}).command()
	}
	var visit func(parent *cobra.Command)
	visit = func(parent *cobra.Command) {
		for _, c := range parent.Commands() {
			visit(c)
			if c.Name() == "help" {
				continue
			}
			require.NotEmpty(t, c.Short, c.CommandPath())
			require.NotEmpty(t, c.Example, c.CommandPath())
			mine := false
			for line := range strings.Lines(c.Example) {
				_, typed, ok := strings.Cut(line, "rho-ext ")
				if !ok {
					continue
				}
				found, rest, err := program().Find(words(typed))
				require.NoError(t, err, line)
				require.NoError(t, found.ParseFlags(rest), line)
				require.NoError(t, found.ValidateArgs(found.Flags().Args()), line)
				mine = mine || strings.HasPrefix(found.CommandPath(), c.CommandPath())
			}
			require.True(t, mine, "%s: its example is of something else", c.CommandPath())
			c.LocalFlags().VisitAll(func(f *pflag.Flag) {
				require.NotEmpty(t, f.Usage, "%s --%s", c.CommandPath(), f.Name)
			})
		}
	}
	visit(program())
}
