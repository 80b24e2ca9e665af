package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/internal/secret"
)

// secretInfo is one line of secret list.
type secretInfo struct {
	Extension string `json:"extension"`
	Name      string `json:"name"`
	Scope     string `json:"scope"`
	Folder    string `json:"folder"`
	Set       bool   `json:"set"`
	Store     string `json:"store,omitempty"` // where it is set
	// Declared says that an extension which is loaded from there declares it.
	Declared    bool   `json:"declared"`
	Description string `json:"description,omitempty"`
	Env         string `json:"env,omitempty"`
}

// secretListing is the document that secret list prints.
type secretListing struct {
	ProjectRoot string         `json:"projectRoot"`
	Secrets     []secretInfo   `json:"secrets"`
	Failures    []host.Failure `json:"failures"`
}

func (a *app) secretListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list [EXTENSION]",
		Short: "List the secrets that extensions declare, and where they are kept",
		Long: `List the secrets that the extensions of this project declare, whether they are
set and where they are kept, and those that are kept for extensions which are no
longer there. No value is shown.

Exit status: 0 when all is well, 1 when there is no such extension, 3 when an
extension that was asked about did not load.`,
		Example: "  rho-ext secret list\n  rho-ext secret list weather --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && args[0] == "" {
				return usage("secret list takes one EXTENSION or none, and was given %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			extension := ""
			if len(args) > 0 {
				extension = args[0]
			}
			return a.secretList(cmd.Context(), extension)
		},
	}
}

func (a *app) secretList(ctx context.Context, extension string) error {
	w, err := a.open(ctx, "", nil)
	if err != nil {
		return err
	}
	defer w.close()
	l, err := secretsListed(ctx, w, extension)
	if err != nil {
		return err
	}
	if extension != "" && len(l.Secrets) == 0 {
		if _, err := a.loadedExtension(w, extension); err != nil {
			return err
		}
	}
	if a.json {
		err = a.printJSON(l)
	} else {
		err = a.printSecrets(l)
	}
	if err == nil && len(l.Failures) > 0 {
		return &exitError{code: exitLoad}
	}
	return written(err)
}

// secretsListed puts what is declared and what is kept together. extension
// limits it to one.
func secretsListed(ctx context.Context, w *workspace, extension string) (*secretListing, error) {
	l := &secretListing{ProjectRoot: w.host.Root(), Secrets: []secretInfo{}, Failures: []host.Failure{}}
	kept := map[secret.Key]secret.Place{}
	var order []secret.Key
	if store := secretsOf(w.config, w.host.Root()); store != nil {
		list, err := store.List(ctx, secret.Key{Root: w.host.Root(), Extension: extension})
		if err != nil {
			return nil, fail(exitFailed, "%v", err)
		}
		for _, e := range list {
			kept[e.Key] = e.Place
			order = append(order, e.Key)
		}
	}
	info := func(k secret.Key) secretInfo {
		p, set := kept[k]
		return secretInfo{Extension: k.Extension, Name: k.Name, Scope: k.Scope, Folder: k.Dir, Set: set, Store: p.Store}
	}
	declared := map[secret.Key]bool{}
	for _, e := range w.host.Extensions() {
		key, ok := w.host.SettingsKey(e.ID)
		if !ok || e.State == host.StateShadowed || extension != "" && e.ID != extension {
			continue
		}
		for _, s := range e.Settings {
			if k := secretKey(key, s.Name); s.Secret {
				declared[k] = true
				i := info(k)
				i.Declared, i.Description, i.Env = true, s.Description, s.Env
				l.Secrets = append(l.Secrets, i)
			}
		}
	}
	for _, k := range order {
		if !declared[k] {
			l.Secrets = append(l.Secrets, info(k))
		}
	}
	for _, f := range w.failures() {
		if extension == "" || f.Extension == extension {
			l.Failures = append(l.Failures, f)
		}
	}
	return l, nil
}

func (a *app) printSecrets(l *secretListing) error {
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	if len(l.Secrets) > 0 {
		fmt.Fprintln(t, "EXTENSION\tSECRET\tSCOPE\tKEPT IN\tNOTE")
	} else {
		fmt.Fprintln(a.err, "no extension declares a secret, and none is kept")
	}
	for _, s := range l.Secrets {
		kept, note := s.Store, cleanLine(s.Description)
		switch {
		case !s.Declared:
			note = "of an extension in " + cleanLine(s.Folder) + " that is not loaded now, or no longer declares it"
		case !s.Set && s.Env != "":
			kept = "not set, else $" + s.Env
		case !s.Set:
			kept = "not set"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", cleanLine(s.Extension), s.Name, s.Scope, kept, note)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, f := range l.Failures {
		a.printFailure(f)
	}
	return nil
}
