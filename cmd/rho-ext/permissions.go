package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
)

// permissionsReport is the document that permissions prints.
type permissionsReport struct {
	Root       string                `json:"root"`
	Trusted    bool                  `json:"trusted"`
	Extensions []extensionPermission `json:"extensions"`
}

type extensionPermission struct {
	ID       string             `json:"id"`
	Scope    host.Scope         `json:"scope"`
	State    host.State         `json:"state"`
	Declared bool               `json:"declared"` // the manifest has permissions
	Asks     []permission.Grant `json:"asks"`     // what can be granted
	Any      []permission.Kind  `json:"any"`      // kinds of which anything can
	Held     []permission.Held  `json:"held"`     // what is granted now
}

func (a *app) permissionsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "permissions [EXTENSION]",
		Short:   "Show what extensions ask for and what they were granted here",
		Example: "  rho-ext permissions\n  rho-ext permissions weather --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := a.open(cmd.Context(), "", nil)
			if err != nil {
				return err
			}
			defer w.close()
			if len(args) == 1 {
				if _, err := a.accessOf(w, args[0]); err != nil {
					return err
				}
			}
			r := permissionsReport{Root: w.host.Root(), Extensions: []extensionPermission{}}
			r.Trusted, _ = a.trusted(r.Root)
			for _, e := range w.host.Extensions() {
				if e.State == host.StateShadowed || len(args) == 1 && e.ID != args[0] {
					continue
				}
				r.Extensions = append(r.Extensions, permissionsOf(w.host, e))
			}
			if a.json {
				return written(a.printJSON(r))
			}
			return written(a.printPermissions(r))
		},
	}
}

func permissionsOf(h *host.Host, e host.ExtensionInfo) extensionPermission {
	p := extensionPermission{ID: e.ID, Scope: e.Scope, State: e.State, Asks: []permission.Grant{}, Any: []permission.Kind{}, Held: []permission.Held{}}
	access := h.Access(e.ID)
	if access == nil || e.State == host.StateUntrusted {
		return p
	}
	p.Declared, p.Any = access.Ceiling().Declared(), access.Ceiling().Any()
	p.Asks = append(p.Asks, access.Ceiling().Grants()...)
	p.Held = append(p.Held, access.Held()...)
	return p
}

func (a *app) printPermissions(r permissionsReport) error {
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "EXTENSION\tPERMISSION\tGRANTED")
	for _, e := range r.Extensions {
		id := cleanLine(e.ID)
		if e.State == host.StateUntrusted || e.State == host.StateFailed || e.State == host.StateDisabled {
			fmt.Fprintf(t, "%s\t(%s)\t\n", id, e.State)
			continue
		}
		shown := map[permission.Grant]bool{}
		for _, g := range e.Asks {
			shown[g] = true
			fmt.Fprintf(t, "%s\t%s\t%s\n", id, cleanLine(g.String()), grantedBy(e.Held, g))
			id = ""
		}
		for _, k := range e.Any {
			fmt.Fprintf(t, "%s\t%s (not said which)\t-\n", id, k)
			id = ""
		}
		for _, h := range e.Held {
			if !shown[h.Grant] {
				fmt.Fprintf(t, "%s\t%s\t%s\n", id, cleanLine(h.Grant.String()), cleanLine(h.By))
				id = ""
			}
		}
		if id != "" {
			fmt.Fprintf(t, "%s\t(none)\t\n", id)
		}
	}
	return t.Flush()
}

func grantedBy(held []permission.Held, g permission.Grant) string {
	for _, h := range held {
		if h.Grant == g {
			return cleanLine(h.By)
		}
	}
	return "no"
}
