package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rho-ext/rho-ext/internal/scaffold"
)

// completer gives what a word may become: args are the words before it.
type completer func(n *names, args []string, word string) []cobra.Completion

// first limits a completer to the first argument.
func first(f completer) completer {
	return func(n *names, args []string, word string) []cobra.Completion {
		if len(args) > 0 {
			return nil
		}
		return f(n, args, word)
	}
}

func fixed(values ...string) completer {
	return func(*names, []string, string) []cobra.Completion { return values }
}

var hookEvents = []string{"tool_call", "tool_result", "before_model"}

// verbArguments complete the arguments of verbs, by their paths.
var verbArguments = map[string]completer{
	"run":           first((*names).tools),
	"bench":         first((*names).tools),
	"info":          first((*names).toolsAndExtensions),
	"dev":           first((*names).extensions),
	"grant":         first((*names).extensions),
	"revoke":        first((*names).extensions),
	"permissions":   first((*names).extensions),
	"logs":          first((*names).extensions),
	"bundle":        first((*names).extensions),
	"test":          (*names).extensions,
	"check":         (*names).extensions,
	"command":       (*names).commands,
	"hook":          first(fixed(hookEvents...)),
	"secret list":   first((*names).extensions),
	"secret set":    (*names).secrets,
	"secret remove": (*names).secrets,
}

// withFiles are verbs whose arguments may be files as well, and withFolders those
// whose are folders.
var (
	withFiles   = []string{"test", "check"}
	withFolders = []string{"types"}
)

// flagValues complete the values of flags, of whichever verb.
var flagValues = map[string]completer{
	"isolation":  fixed("process", "in-process"),
	"log-level":  fixed("debug", "info", "warn", "error", "off"),
	"level":      fixed("debug", "info", "warn", "error"),
	"tool":       (*names).tools,
	"template":   fixed(scaffold.TemplateNames()...),
	"reporter":   fixed(reporterNames...),
	"format":     fixed("text", "github"),
	"sourcemap":  fixed("none", "inline", "external"),
	"allow-hook": fixed(hookEvents...),
	"allow-tool": (*names).tools,
	"extension":  (*names).extensions,
	"arg":        (*names).parameters,
}

// folderFlags and fileFlags take paths; the value of any other flag is no file.
var (
	folderFlags = []string{"root", "extensions", "save"}
	fileFlags   = []string{"config", "out", "allow-read", "allow-write", "allow-run"}
)

// completes makes every verb below root complete its arguments and its flags.
func (a *app) completes(root *cobra.Command) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		_, path, _ := strings.Cut(c.CommandPath(), " ")
		if len(c.ValidArgs) == 0 && c.ValidArgsFunction == nil {
			c.ValidArgsFunction = a.arguments(path)
		}
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { a.flagCompletes(c, f) })
	}
	visit(root)
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { a.flagCompletes(root, f) })
}

func (a *app) arguments(path string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if slices.Contains(withFolders, path) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if slices.Contains(withFiles, path) {
			directive = cobra.ShellCompDirectiveDefault
		}
		f := verbArguments[path]
		if f == nil {
			return nil, directive
		}
		n := &names{app: a, cmd: cmd}
		defer n.close()
		return beginning(f(n, args, word), word), directive
	}
}

// beginning keeps those that begin with the word as it is.
func beginning(all []cobra.Completion, word string) []cobra.Completion {
	return slices.DeleteFunc(slices.Clone(all), func(c cobra.Completion) bool { return !strings.HasPrefix(c, word) })
}

func (a *app) flagCompletes(c *cobra.Command, flag *pflag.Flag) {
	f, directive := flagValues[flag.Name], cobra.ShellCompDirectiveNoFileComp
	switch {
	case flag.NoOptDefVal != "": // a switch
		return
	case slices.Contains(folderFlags, flag.Name):
		directive = cobra.ShellCompDirectiveFilterDirs
	case slices.Contains(fileFlags, flag.Name):
		directive = cobra.ShellCompDirectiveDefault
	case flag.Name == "arg":
		directive |= cobra.ShellCompDirectiveNoSpace // the value follows
	}
	_ = c.RegisterFlagCompletionFunc(flag.Name, func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if f == nil {
			return nil, directive
		}
		n := &names{app: a, cmd: cmd}
		defer n.close()
		return beginning(f(n, args, word), word), directive
	}) // it fails where the verb has a function of its own
}
