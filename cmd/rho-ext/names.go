package main

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/internal/dirs"
)

// While somebody waits for a word to be completed, names are looked for this long
// at most, and one extension may take that long.
var (
	completionTime = time.Second
	completionLoad = 800 * time.Millisecond
)

// names finds what there is to name, for completion: it says nothing, asks nobody,
// and gives less where something is wrong.
type names struct {
	app  *app
	cmd  *cobra.Command
	w    *workspace
	ctx  context.Context
	stop context.CancelFunc
}

func (n *names) close() {
	if n.w != nil {
		n.w.close()
		n.stop()
	}
}

// prepare makes the program silent and finds the project.
func (n *names) prepare() (root string, options host.Options, ok bool) {
	a := n.app
	a.rootGiven = n.cmd.Flags().Changed("root")
	a.err, a.logLevel, a.asks = io.Discard, "off", false
	root, err := a.findRoot()
	if err != nil || a.checkFlags() != nil {
		return "", host.Options{}, false
	}
	c, _, err := a.loadConfig(root)
	if err != nil {
		return "", host.Options{}, false
	}
	return root, host.Options{Root: root, Dirs: c.Extensions.Dirs, Home: dirs.Home(), Enabled: c.Extensions.Enabled, Disabled: c.Extensions.Disabled}, true
}

// open loads what is trusted.
func (n *names) open() *workspace {
	if n.w != nil {
		return n.w
	}
	root, _, ok := n.prepare()
	if !ok {
		return nil
	}
	c, _, err := n.app.loadConfig(root)
	if err != nil {
		return nil
	}
	c.Log.Session = false
	c.Sandbox.LoadTimeout = min(c.Sandbox.LoadTimeout, completionLoad)
	n.ctx, n.stop = context.WithTimeout(n.cmd.Context(), completionTime)
	if n.w, err = n.app.openWith(n.ctx, "", nil, root, c); err != nil {
		n.stop()
		return nil
	}
	return n.w
}

// described is a name with what it is.
func described(name, text string) cobra.Completion {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line = cleanLine(line); len([]rune(line)) > 60 {
		line = string([]rune(line)[:59]) + "…"
	}
	return cobra.CompletionWithDesc(cleanLine(name), line)
}

// extensions are found without looking into any.
func (n *names) extensions([]string, string) (out []cobra.Completion) {
	_, options, ok := n.prepare()
	if !ok {
		return nil
	}
	options.Trusted = true // nothing is run, and a name that is shadowed shows once
	sources, _, err := host.Sources(options)
	if err != nil {
		return nil
	}
	for _, s := range sources {
		if s.ShadowedBy == "" {
			out = append(out, described(s.ID, string(s.Scope)+" extension"))
		}
	}
	return out
}

func (n *names) tools([]string, string) (out []cobra.Completion) {
	w := n.open()
	if w == nil {
		return nil
	}
	for _, e := range w.reg.Snapshot().Tools() {
		out = append(out, described(e.Tool.Name(), e.Tool.Description()))
	}
	return out
}

func (n *names) toolsAndExtensions(args []string, word string) []cobra.Completion {
	out := n.tools(args, word)
	taken := map[string]bool{}
	for _, c := range out {
		name, _, _ := strings.Cut(c, "\t")
		taken[name] = true
	}
	for _, c := range n.extensions(args, word) {
		if name, _, _ := strings.Cut(c, "\t"); !taken[name] {
			out = append(out, c)
		}
	}
	return out
}

// commands are the names of commands or, behind one, what it completes itself.
func (n *names) commands(args []string, word string) (out []cobra.Completion) {
	w := n.open()
	if w == nil {
		return nil
	}
	if len(args) == 0 {
		for _, c := range w.host.Commands() {
			out = append(out, described(c.Name, c.Description))
		}
		return out
	}
	before := ""
	for _, arg := range args[1:] {
		before += arg + " "
	}
	texts, err := w.host.CompleteCommand(n.ctx, args[0], before+word)
	if err != nil {
		return nil
	}
	for _, text := range texts { // of which the shell wants the next word
		rest, ok := strings.CutPrefix(text, before)
		next, _, _ := strings.Cut(rest, " ")
		if next = cleanLine(next); ok && next != "" && !slices.Contains(out, next) {
			out = append(out, next)
		}
	}
	return out
}

// secrets are extensions that declare some, and then the names of those.
func (n *names) secrets(args []string, _ string) (out []cobra.Completion) {
	w := n.open()
	if w == nil || len(args) > 1 {
		return nil
	}
	for _, e := range w.host.Extensions() {
		declares := false
		for _, s := range e.Settings {
			if s.Secret && len(args) == 1 && args[0] == e.ID {
				out = append(out, described(s.Name, s.Description))
			}
			declares = declares || s.Secret
		}
		if declares && len(args) == 0 {
			out = append(out, described(e.ID, string(e.Scope)+" extension"))
		}
	}
	return out
}

// parameters are those of the tool that the line names, ready for a value.
func (n *names) parameters(args []string, word string) (out []cobra.Completion) {
	if len(args) == 0 || strings.Contains(word, "=") {
		return nil
	}
	w := n.open()
	if w == nil {
		return nil
	}
	e, ok := w.reg.Snapshot().Lookup(args[0])
	if !ok {
		return nil
	}
	var schema struct {
		Properties map[string]struct {
			Description string `json:"description"`
		} `json:"properties"`
	}
	if json.Unmarshal(e.Tool.Parameters(), &schema) != nil {
		return nil
	}
	for name, p := range schema.Properties {
		out = append(out, described(name+"=", p.Description))
	}
	slices.Sort(out)
	return out
}
