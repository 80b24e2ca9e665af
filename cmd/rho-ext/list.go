package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

// builtinInfo describes one built-in tool in the list.
type builtinInfo struct {
	Name        string           `json:"name"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Risk        registry.Risk    `json:"risk"`
	Effects     registry.Effects `json:"effects"`
}

// listing is the document that list prints.
type listing struct {
	ProjectRoot string               `json:"projectRoot"`
	Builtins    []builtinInfo        `json:"builtins"`
	Extensions  []host.ExtensionInfo `json:"extensions"`
	Failures    []host.Failure       `json:"failures"`
}

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List extensions and tools, and what failed to load",
		Long: `List extensions and tools, and what failed to load.

An extension of a project that is not trusted is listed and not looked into; see
rho-ext trust.

Exit status: 0 when everything that may be loaded was, 3 when an extension failed.`,
		Example: "  rho-ext list\n  rho-ext list --extensions examples/extensions --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := a.open(cmd.Context(), "", nil)
			if err != nil {
				return err
			}
			defer w.close()
			l := listOf(w)
			if a.json {
				err = a.printJSON(l)
			} else {
				err = a.printListing(l)
			}
			if err != nil {
				return written(err)
			}
			a.tellUntrusted(untrusted(w.host))
			if len(l.Failures) > 0 {
				return &exitError{code: exitLoad}
			}
			return nil
		},
	}
}

func listOf(w *workspace) listing {
	l := listing{ProjectRoot: w.host.Root(), Builtins: []builtinInfo{}, Extensions: w.host.Extensions(), Failures: w.failures()}
	for _, e := range w.reg.Snapshot().Tools() {
		if e.Owner == "" {
			l.Builtins = append(l.Builtins, builtinInfo{Name: e.Tool.Name(), Title: e.Info.Title, Description: e.Tool.Description(), Risk: e.Tool.Risk(), Effects: e.Info.Effects})
		}
	}
	if l.Failures == nil {
		l.Failures = []host.Failure{}
	}
	return l
}

func (a *app) printListing(l listing) error {
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "EXTENSION\tVERSION\tSCOPE\tSTATE\tTOOLS")
	if len(l.Builtins) > 0 {
		var names []string
		for _, b := range l.Builtins {
			names = append(names, fmt.Sprintf("%s (%s)", b.Name, b.Risk))
		}
		fmt.Fprintf(t, "(built-in)\t\t\t\t%s\n", strings.Join(names, ", "))
	}
	for _, e := range l.Extensions {
		state := string(e.State)
		if e.ShadowedBy != "" {
			state += " by " + e.ShadowedBy
		}
		var tools []string
		for _, x := range e.Tools {
			tools = append(tools, fmt.Sprintf("%s (%s)", x.Name, x.Risk))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", cleanLine(e.ID), cleanLine(e.Version), e.Scope, cleanLine(state), strings.Join(tools, ", "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, f := range l.Failures {
		a.printFailure(f)
	}
	return nil
}
