package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/internal/redact"
	"github.com/rho-ext/rho-ext/internal/secret"
	"github.com/rho-ext/rho-ext/internal/suggest"
)

// secretChange is the document that secret set and secret remove print.
type secretChange struct {
	Change    string `json:"change"` // set or removed
	Extension string `json:"extension"`
	Name      string `json:"name"`
	Scope     string `json:"scope"`
	Folder    string `json:"folder"`
	Store     string `json:"store"`
	File      string `json:"file,omitempty"`
	Note      string `json:"note,omitempty"` // why it is in the file although the keychain was wanted
}

const secretExample = `  rho-ext secret set weather apiKey
  printf %s "$TOKEN" | rho-ext secret set weather apiKey
  rho-ext secret list
  rho-ext secret remove weather apiKey`

func (a *app) secretCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "secret",
		Short: "Set, list and remove secrets of extensions",
		Long: `Set, list and remove the secrets that extensions declare in their settings.

A secret is kept in the keychain of the system, or where there is none in a file
that you alone may read. It belongs to one extension of this project, in the
folder that the extension comes from now: no other extension gets it, whatever
its name. It is never printed.`,
		Example: secretExample,
		// What stands here may be a secret by mistake, so it is not repeated.
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("secret knows set, list and remove, and not what was given; such as:\n%s", secretExample)
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.secretSetCommand(), a.secretListCommand(), a.secretRemoveCommand())
	return cmd
}

func (a *app) secretSetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "set EXTENSION NAME",
		Short: "Keep a secret, typed at the terminal or from stdin",
		Long: `Keep the value of a setting that an extension declares as a secret. It is asked
for at the terminal and not shown, or read from stdin where that is no terminal,
without the line break at its end. It is not an argument, since other programs
see those.

Exit status: 0 when it is kept, 1 when it is not, or when there is no such
extension or setting, 3 when the extension did not load.`,
		Example: "  rho-ext secret set weather apiKey\n" + `  printf %s "$TOKEN" | rho-ext secret set weather apiKey`,
		Args:    secretArgs,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.secretSet(cmd.Context(), args[0], args[1]) },
	}
	// A secret that begins with - looks like a flag, and must not be repeated.
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if strings.HasPrefix(err.Error(), "unknown") {
			return usage("secret set was given a flag that it does not know. %s", notAnArgument)
		}
		return err
	})
	return cmd
}

const notAnArgument = `The value is not an argument, since other programs see those and the shell keeps them; let it be asked for, or:
  printf %s "$TOKEN" | rho-ext secret set weather apiKey`

// secretArgs never repeats what it was given.
func secretArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) < 2 || args[0] == "":
		return usage("secret %s needs an EXTENSION and the NAME of a setting, such as:\n%s", cmd.Name(), cmd.Example)
	case len(args) > 2 && cmd.Name() == "set":
		return usage("secret set takes an EXTENSION and a NAME, and was given %d arguments. %s", len(args), notAnArgument)
	case len(args) > 2:
		return usage("secret %s takes an EXTENSION and a NAME, and was given %d arguments", cmd.Name(), len(args))
	case !secret.ValidName(args[1]):
		return usage("NAME is no name of a setting: expected 1–%d letters, digits, _ or -, such as apiKey. %s", secret.MaxName, notAnArgument)
	}
	return nil
}

func (a *app) secretSet(ctx context.Context, extension, name string) error {
	w, err := a.open(ctx, "", nil)
	if err != nil {
		return err
	}
	key, err := a.declaredSecret(w, extension, name)
	store := secretsOf(w.config, w.host.Root())
	w.close() // nothing of it runs while a person types
	if err != nil {
		return err
	}
	if store == nil {
		return errNoHome
	}
	text, err := a.readSecret(ctx, fmt.Sprintf("%s of %s", name, cleanLine(extension)))
	if err != nil {
		return err
	}
	if len(text) < redact.MinSecret {
		return fail(exitFailed, "the value has %d bytes; at least %d are needed, as a shorter one could not be kept out of logs", len(text), redact.MinSecret)
	}
	place, err := store.Set(ctx, key, secret.NewValue(text))
	switch {
	case ctx.Err() != nil:
		return fail(exitInterrupted, "interrupted; nothing was kept")
	case err != nil:
		return fail(exitFailed, "%v", err)
	}
	return a.tellChange("set", key, place)
}

var errNoHome = fail(exitFailed, "there is no place for secrets: set HOME or RHO_HOME")

// tellChange prints what became of a secret.
func (a *app) tellChange(change string, k secret.Key, p secret.Place) error {
	if a.json {
		return written(a.printJSON(secretChange{Change: change, Extension: k.Extension, Name: k.Name, Scope: k.Scope, Folder: k.Dir, Store: p.Store, File: p.File, Note: p.Note}))
	}
	if p.Note != "" {
		fmt.Fprintln(a.err, a.paint(yellow, "note:"), clean(p.Note))
	}
	where := "the keychain"
	if p.File != "" {
		where = p.File + ", which you alone may read"
	}
	if change == "removed" {
		fmt.Fprintf(a.err, "removed %s of %s\n", k.Name, cleanLine(k.Extension))
		return nil
	}
	fmt.Fprintf(a.err, "kept %s of %s in %s\n", k.Name, cleanLine(k.Extension), clean(where))
	return nil
}

// declaredSecret is the key of a secret that an extension declares.
func (a *app) declaredSecret(w *workspace, extension, name string) (secret.Key, error) {
	e, err := a.loadedExtension(w, extension)
	if err != nil {
		return secret.Key{}, err
	}
	key, _ := w.host.SettingsKey(extension)
	var names []string
	for _, s := range e.Settings {
		switch {
		case s.Name == name && s.Secret:
			return secretKey(key, name), nil
		case s.Name == name:
			return secret.Key{}, fail(exitFailed, "%s of %s is no secret; set it in config.toml, under [settings.%[2]s]", name, extension)
		case s.Secret:
			names = append(names, s.Name)
		}
	}
	if near := suggest.Names(name, names, 1); len(near) > 0 {
		return secret.Key{}, fail(exitFailed, "%s declares no secret %q%s", extension, name, suggest.Hint(near...))
	}
	// The name may be the secret itself, in the wrong place.
	if len(names) > 0 {
		return secret.Key{}, fail(exitFailed, "%s declares no secret of that name, but %s", extension, strings.Join(names, ", "))
	}
	return secret.Key{}, fail(exitFailed, `%s declares no secrets; it would with settings: { apiKey: { type: "string", secret: true } }`, extension)
}

// loadedExtension finds an extension that loaded.
func (a *app) loadedExtension(w *workspace, id string) (host.ExtensionInfo, error) {
	var mine []host.Failure
	for _, f := range w.failures() {
		if f.Extension == id {
			mine = append(mine, f)
		}
	}
	if len(mine) > 0 {
		return host.ExtensionInfo{}, a.loadFailed(id, mine)
	}
	var ids []string
	for _, e := range w.host.Extensions() {
		switch {
		case e.State == host.StateShadowed:
		case e.ID != id:
			ids = append(ids, e.ID)
		case e.State == host.StateLoaded:
			return e, nil
		case e.State == "untrusted":
			return e, fail(exitDenied, "extension %s is not trusted, so what it declares is not known", id)
		default:
			return e, fail(exitFailed, "extension %s is %s, so what it declares is not known", id, e.State)
		}
	}
	return host.ExtensionInfo{}, fail(exitFailed, "there is no extension %q%s; see rho-ext list", id, suggest.Hint(suggest.Names(id, ids, 3)...))
}
