package main

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/internal/suggest"
)

// completionScript is the document that completion prints.
type completionScript struct {
	Shell  string `json:"shell"`
	Script string `json:"script"`
}

// shells are those that there is a script for.
var shells = []struct {
	name string
	gen  func(root *cobra.Command, out io.Writer) error
}{
	{"bash", func(c *cobra.Command, out io.Writer) error { return c.GenBashCompletionV2(out, true) }},
	{"zsh", func(c *cobra.Command, out io.Writer) error { return c.GenZshCompletion(out) }},
	{"fish", func(c *cobra.Command, out io.Writer) error { return c.GenFishCompletion(out, true) }},
	{"powershell", func(c *cobra.Command, out io.Writer) error { return c.GenPowerShellCompletionWithDesc(out) }},
}

func (a *app) completionCommand() *cobra.Command {
	var names []string
	for _, s := range shells {
		names = append(names, s.name)
	}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script that completes verbs, flags and names in a shell",
		Long: `Print a script that completes verbs, flags, and the names of tools, extensions,
commands and secrets in a shell: ` + strings.Join(names, ", ") + `.

  bash        rho-ext completion bash > ~/.local/share/bash-completion/completions/rho-ext
  zsh         rho-ext completion zsh > a file _rho-ext in a folder of $fpath
  fish        rho-ext completion fish > ~/.config/fish/completions/rho-ext.fish
  powershell  rho-ext completion powershell | Out-String | Invoke-Expression

Names are looked for when they are needed, for a second at most. Nothing of a
project that is not trusted is run for it.`,
		Example:   "  rho-ext completion bash\n  rho-ext completion powershell",
		Args:      one("SHELL"),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			i := slices.Index(names, args[0])
			if i < 0 {
				return usage("there is no script for %q%s; expected %s", args[0], suggest.Hint(suggest.Names(args[0], names, 1)...), strings.Join(names, ", "))
			}
			var b bytes.Buffer
			if err := shells[i].gen(cmd.Root(), &b); err != nil {
				return fail(exitFailed, "%v", err)
			}
			if a.json {
				return written(a.printJSON(completionScript{args[0], b.String()}))
			}
			_, err := a.out.Write(b.Bytes())
			return written(err)
		},
	}
}
