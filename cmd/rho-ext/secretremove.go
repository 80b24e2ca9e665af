package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/internal/secret"
)

func (a *app) secretRemoveCommand() *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "remove EXTENSION NAME",
		Short: "Remove a secret",
		Long: `Remove a secret of this project, also of an extension that is gone. Where
several folders have an extension of that name, the one that is loaded is meant,
or the one that --folder names.`,
		Example: "  rho-ext secret remove weather apiKey",
		Args:    secretArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.secretRemove(cmd.Context(), args[0], args[1], folder)
		},
	}
	cmd.Flags().StringVar(&folder, "folder", "", "the `DIR` that the extension came from, as secret list shows it")
	return cmd
}

func (a *app) secretRemove(ctx context.Context, extension, name, folder string) error {
	w, err := a.open(ctx, "", nil)
	if err != nil {
		return err
	}
	defer w.close()
	store := secretsOf(w.config, w.host.Root())
	if store == nil {
		return errNoHome
	}
	list, err := store.List(ctx, secret.Key{Root: w.host.Root(), Extension: extension, Name: name, Dir: folder})
	if err != nil {
		return fail(exitFailed, "%v", err)
	}
	current, loaded := w.host.SettingsKey(extension)
	var found []secret.Key
	var folders []string
	for _, e := range list {
		if folder == "" && loaded && e.Key == secretKey(current, name) {
			found, folders = []secret.Key{e.Key}, nil
			break
		}
		found, folders = append(found, e.Key), append(folders, fmt.Sprintf("  --folder %s (%s)", e.Key.Dir, e.Key.Scope))
	}
	switch {
	case len(found) == 0:
		return a.noSecret(ctx, store, extension)
	case len(found) > 1 && folder == "":
		return usage("%d folders have a secret of that name; add one of:\n%s", len(found), strings.Join(folders, "\n"))
	}
	var place secret.Place
	for _, k := range found { // a folder that is named can have been of two scopes
		place, err = store.Delete(ctx, k)
		var ke *secret.KeychainError
		switch {
		case errors.As(err, &ke):
			return fail(exitFailed, "%s of %s is forgotten and given to nobody any more, but a copy stays in the keychain: %v\nit goes with the next secret that is set or removed while the keychain can be used", name, extension, err)
		case err != nil:
			return fail(exitFailed, "%v", err)
		}
	}
	return a.tellChange("removed", found[0], place)
}

// noSecret answers for a secret that is not there, with those that are.
func (a *app) noSecret(ctx context.Context, store *secret.Store, extension string) error {
	list, err := store.List(ctx, secret.Key{Extension: extension})
	if err != nil {
		return fail(exitFailed, "%v", err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Key.Name)
	}
	if len(names) > 0 {
		return fail(exitFailed, "%s has no secret of that name here, but %s; see rho-ext secret list", extension, strings.Join(names, ", "))
	}
	return fail(exitFailed, "no secret is kept for %s in this project; see rho-ext secret list", extension)
}
