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
on. It is kept in your own folder, for this extension as it is: should it ask
for more one day, or another one take its name, nothing is granted to that.

An extension never gets more than its manifest asks for; see rho-ext permissions.`,
		Example: `  rho-ext grant weather --allow-net=api.open-meteo.com
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
	Granted   []permission.Grant `json:"granted,omitempty"`
	Revoked   []permission.Grant `json:"revoked,omitempty"`
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
		return usage("say what to grant, such as --allow-net=api.example.org, or --all for what its manifest asks for; see rho-ext permissions %s", cleanLine(id))
	}
	for _, g := range grants {
		if !access.Ceiling().Admits(g) {
			return fail(exitFailed, "%s does not ask for %s, so it cannot have it\nit asks for: %s", cleanLine(id), clean(g.String()), asksText(access.Ceiling()))
		}
	}
	store := a.kept()
	if store == nil {
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

func (a *app) revokeCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "revoke EXTENSION",
		Short: "Take back what was granted to one extension in this project",
		Long: `Take back what the --allow-* flags name, or all, from one extension in this
project. Programs that run see it at once.`,
		Example: "  rho-ext revoke weather --allow-net=api.open-meteo.com\n  rho-ext revoke weather --all",
		Args:    one("EXTENSION"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.revoke(args[0], all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "take everything back, also what older versions were granted")
	return cmd
}

func (a *app) revoke(id string, all bool) error {
	root, err := a.canonicalRoot()
	if err != nil {
		return err
	}
	named, err := a.allow.grants(root)
	if err != nil {
		return err
	}
	if all == (len(named) > 0) {
		return usage("say either what to take back, such as --allow-net=api.example.org, or --all")
	}
	store := permission.NewFileStore(dirs.Home())
	keys, err := store.Keys()
	if err != nil {
		fmt.Fprintln(a.err, a.paint(yellow, "warning:"), clean(err.Error()))
	}
	var revoked, held []permission.Grant
	for _, k := range keys {
		if k.Root != root || k.Extension != id {
			continue
		}
		have, _ := store.Grants(k)
		held = append(held, have...)
		have = slices.DeleteFunc(have, func(g permission.Grant) bool { return !all && !slices.Contains(named, g) })
		if err := store.Remove(k, have...); err != nil {
			return fail(exitFailed, "it could not be taken back: %v", err)
		}
		revoked = append(revoked, have...)
	}
	for _, g := range named {
		if !slices.Contains(revoked, g) {
			return fail(exitFailed, "%s was not granted %s in this project\nit was granted: %s", cleanLine(id), clean(g.String()), grantsText(held))
		}
	}
	if a.json {
		if revoked == nil {
			revoked = []permission.Grant{}
		}
		return written(a.printJSON(grantReport{Extension: id, Root: root, Revoked: revoked}))
	}
	if len(revoked) == 0 {
		fmt.Fprintf(a.err, "nothing was granted to %s in this project\n", cleanLine(id))
	}
	for _, g := range revoked {
		fmt.Fprintf(a.err, "%s may not use %s any more\n", cleanLine(id), clean(g.String()))
	}
	return nil
}

func grantsText(list []permission.Grant) string {
	if len(list) == 0 {
		return "nothing"
	}
	var parts []string
	for _, g := range list {
		parts = append(parts, g.String())
	}
	return clean(strings.Join(parts, ", "))
}

// shortList joins the first n of a list.
func shortList(list []string, n int) string {
	if len(list) > n {
		return strings.Join(list[:n], ", ") + fmt.Sprintf(" and %d more", len(list)-n)
	}
	return strings.Join(list, ", ")
}
