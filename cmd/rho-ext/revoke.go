package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/internal/suggest"
)

func (a *app) revokeCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "revoke EXTENSION",
		Short: "Take back what was granted to one extension in this project",
		Long: `Take back what the --allow-* flags name, or all, from one extension in this
project. Programs that run see it at once.`,
		Example: `  rho-ext revoke weather --allow-net=api.open-meteo.com
  rho-ext revoke weather --all`,
		Args: one("EXTENSION"),
		RunE: func(_ *cobra.Command, args []string) error { return a.revoke(args[0], all) },
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
		a.warnOnce(err.Error())
	}
	var revoked, held []permission.Grant
	var others []string // that hold something here
	for _, k := range keys {
		if k.Root == root && k.Extension != id {
			others = append(others, k.Extension)
		}
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
			if s := suggest.First(id, others); len(held) == 0 && s != "" {
				return fail(exitFailed, "nothing was granted to %s in this project; did you mean %s?", cleanLine(id), cleanLine(s))
			}
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
		hint := ""
		if s := suggest.First(id, others); s != "" {
			hint = "; did you mean " + cleanLine(s) + "?"
		}
		fmt.Fprintf(a.err, "nothing was granted to %s in this project%s\n", cleanLine(id), hint)
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
