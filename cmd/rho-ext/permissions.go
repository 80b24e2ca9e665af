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
	idle     map[permission.Grant]bool
}

func (a *app) permissionsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "permissions [EXTENSION]",
		Short: "Show what extensions ask for and what they were granted here",
		Long: `Show what extensions ask for in their manifests and what they were granted in
this project, by what: by default, by you (granted) or by a flag of this run.

An extension can be granted what it asks for and no more; one whose manifest has
no permissions, what its code is seen to use.`,
		Example: `  rho-ext permissions
  rho-ext permissions weather --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("permissions takes one EXTENSION or none, got %d arguments: %q; see rho-ext permissions --help", len(args), args)
			}
			return nil
		},
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
			if err := a.printPermissions(r); err != nil {
				return written(err)
			}
			a.tellUntrusted(untrusted(w.host))
			return nil
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
	p.Held, p.idle = append(p.Held, access.Held()...), map[permission.Grant]bool{}
	for _, h := range p.Held {
		p.idle[h.Grant] = !access.Ceiling().Admits(h.Grant)
	}
	return p
}

func (a *app) printPermissions(r permissionsReport) error {
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "EXTENSION\tPERMISSION\tGRANTED\tNOTE")
	for _, e := range r.Extensions {
		id := cleanLine(e.ID)
		if !e.known() {
			fmt.Fprintf(t, "%s\t(%s)\t\t\n", id, e.State)
			continue
		}
		for _, row := range e.rows() {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", id, row.what, row.by, row.note)
			id = ""
		}
		if id != "" {
			fmt.Fprintf(t, "%s\t(none)\t\t\n", id)
		}
	}
	return t.Flush()
}

// known reports whether it is known what the extension asks for.
func (e extensionPermission) known() bool {
	return e.State != host.StateUntrusted && e.State != host.StateFailed && e.State != host.StateDisabled
}

// row is one permission for people.
type row struct{ what, by, note string }

// rows are what the extension asks for and what it holds.
func (e extensionPermission) rows() (rows []row) {
	asked := map[permission.Grant]bool{}
	for _, g := range e.Asks {
		asked[g] = true
		rows = append(rows, row{cleanLine(g.String()), grantedBy(e.Held, g), careful(g)})
	}
	for _, h := range e.Held {
		if asked[h.Grant] {
			continue
		}
		note := careful(h.Grant)
		switch {
		case e.idle[h.Grant] && h.By == "default":
			continue
		case e.idle[h.Grant]:
			note = "of no use: it does not ask for it"
		case e.Declared:
			note = "as far as it asks for it"
		}
		rows = append(rows, row{cleanLine(h.Grant.String()), cleanLine(h.By), note})
	}
	for _, k := range e.Any {
		rows = append(rows, row{string(k) + " (anything)", "-", "its manifest does not say which"})
	}
	return rows
}

func grantedBy(held []permission.Held, g permission.Grant) string {
	for _, h := range held {
		if h.Grant == g {
			return cleanLine(h.By)
		}
	}
	return "no"
}
