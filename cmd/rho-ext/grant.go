package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/internal/suggest"
)

func (a *app) grantCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "grant EXTENSION",
		Short: "Let one extension touch something, in this project, from now on",
		Long: `Let one extension touch what the --allow-* flags name, in this project, from now
on. On a terminal and without flags you are asked about each thing that its
manifest asks for. A grant is kept in your own folder, for this extension as it is: should it ask
for more one day, or another one take its name, nothing is granted to that.

An extension never gets more than its manifest asks for; see rho-ext permissions.`,
		Example: `  rho-ext grant weather
  rho-ext grant weather --allow-net=api.open-meteo.com
  rho-ext grant notes --allow-write=./notes --allow-run=git
  rho-ext grant weather --all`,
		Args: one("EXTENSION"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.grant(cmd.Context(), args[0], all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "grant all that its manifest asks for")
	return cmd
}

// grantReport is what grant and revoke print.
type grantReport struct {
	Extension string             `json:"extension"`
	Root      string             `json:"root"`
	Granted   []permission.Grant `json:"granted,omitzero"` // by grant
	Revoked   []permission.Grant `json:"revoked,omitzero"` // by revoke
}

func (a *app) grant(ctx context.Context, id string, all bool) error {
	w, err := a.open(ctx, "", nil)
	if err != nil {
		return err
	}
	defer w.close()
	access, err := a.accessOf(w, id)
	if err != nil {
		return err
	}
	grants, err := a.allow.grants(w.host.Root())
	if err != nil {
		return err
	}
	if all {
		if !access.Ceiling().Declared() {
			return fail(exitFailed, "%s has no permissions in its manifest that --all could mean; name what to grant, such as --allow-net=HOST", cleanLine(id))
		}
		for _, g := range access.Ceiling().Grants() {
			if g.Kind != permission.KindRead || g.Target != "." { // which everybody may
				grants = append(grants, g)
			}
		}
	}
	if len(grants) == 0 {
		if grants, err = a.askGrants(ctx, id, access); err != nil {
			return err
		}
	}
	if len(grants) == 0 {
		return usage("say what to grant, such as --allow-net=api.example.org, or --all for what its manifest asks for; see rho-ext permissions %s", cleanLine(id))
	}
	for _, g := range grants {
		if !access.Ceiling().Admits(g) {
			return fail(exitFailed, "%s does not ask for %s, so it cannot have it\nit asks for: %s", cleanLine(id), clean(g.String()), asksText(access.Ceiling()))
		}
	}
	store := a.kept()
	if store == nil { // nowhere
		return fail(exitFailed, "there is no place to keep it: set %s", dirs.HomeVariable)
	}
	if err := store.Add(access.Key(), grants...); err != nil {
		return fail(exitFailed, "the grant could not be kept: %v", err)
	}
	if a.json {
		return written(a.printJSON(grantReport{Extension: id, Root: w.host.Root(), Granted: grants}))
	}
	for _, g := range grants {
		fmt.Fprintf(a.err, "%s may now use %s in %s\n", cleanLine(id), clean(g.String()), clean(w.host.Root()))
	}
	return nil
}

// askGrants asks the person at the terminal, where there is one, about each
// thing that the manifest asks for and that is not granted yet.
func (a *app) askGrants(ctx context.Context, id string, access *permission.Access) (yes []permission.Grant, err error) {
	p := a.person()
	if p == nil {
		return nil, nil
	}
	held := access.Held()
	asked := false
	for _, g := range access.Ceiling().Grants() {
		if slices.ContainsFunc(held, func(h permission.Held) bool { return h.Grant == g }) {
			continue
		}
		asked = true
		text := fmt.Sprintf("%s asks for %s", shown(id), shown(g.String()))
		if why := careful(g); why != "" {
			text += "\n  " + a.paint(red, "careful:") + " " + why
		}
		ok, err := p.yes(ctx, text, "grant it in this project?")
		if err != nil {
			return nil, fail(exitInterrupted, "interrupted; nothing was granted")
		}
		if ok {
			yes = append(yes, g)
		}
	}
	if asked && len(yes) == 0 {
		return nil, fail(exitDenied, "nothing was granted")
	}
	return yes, nil
}

// accessOf finds what an extension may touch, or says why there is none.
func (a *app) accessOf(w *workspace, id string) (*permission.Access, error) {
	if access := w.host.Access(id); access != nil {
		return access, nil
	}
	var ids []string
	for _, e := range w.host.Extensions() {
		ids = append(ids, e.ID)
		if e.ID != id {
			continue
		}
		switch e.State {
		case host.StateUntrusted:
			return nil, fail(exitDenied, "%s belongs to this project, which is not trusted yet; see rho-ext trust", cleanLine(id))
		case host.StateDisabled:
			return nil, fail(exitFailed, "%s is disabled in the configuration", cleanLine(id))
		case host.StateFailed:
			for _, f := range w.host.Failures() {
				if f.Extension == id {
					a.printFailure(f)
				}
			}
			return nil, fail(exitLoad, "%s did not load, so what it asks for is not known", cleanLine(id))
		}
	}
	hint := "see rho-ext list"
	if s := suggest.First(id, ids); s != "" {
		hint = fmt.Sprintf("did you mean %s?", cleanLine(s))
	}
	return nil, fail(exitFailed, "there is no extension %q; %s", id, hint)
}

func asksText(c *permission.Ceiling) string {
	var parts []string
	for _, g := range c.Grants() {
		parts = append(parts, g.String())
	}
	for _, k := range c.Any() {
		parts = append(parts, string(k)+" (anything: its manifest does not say)")
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return clean(strings.Join(parts, ", "))
}
