package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/internal/dirs"
)

func (a *app) trustStore() *permission.Trust { return permission.NewTrust(dirs.Home()) }

// kept is where grants are kept, or nil where there is no place.
func (a *app) kept() *permission.FileStore {
	home := dirs.Home()
	if home == "" {
		return nil
	}
	return permission.NewFileStore(home)
}

// storeOf is no store where there is none.
func storeOf(s *permission.FileStore) permission.Store {
	if s == nil {
		return nil
	}
	return s
}

// trusted reports whether the user trusts the project at root, and whether they
// have ever said. What cannot be read is a warning and no trust.
func (a *app) trusted(root string) (trusted, asked bool) {
	trusted, asked, err := a.trustStore().Trusted(root)
	if err != nil {
		a.warnOnce(err.Error())
	}
	return trusted, asked
}

// trustReport is what trust prints of one project, and trustList of all.
type (
	trustReport struct {
		Root    string `json:"root"`
		Trusted bool   `json:"trusted"`
	}
	trustList struct {
		Roots []string `json:"roots"`
	}
)

func (a *app) trustCommand() *cobra.Command {
	var remove, list bool
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Let this project's own extensions be loaded",
		Long: `Let the extensions in this project's own .rho/extensions be loaded: they are
code that runs, in the sandbox, whenever you use rho-ext here. Until you trust a
project they are listed and nothing of them is run. Your answer is kept in your
own folder; no project can give it.

Trust grants nothing: what an extension may touch is granted to it alone, see
rho-ext grant.`,
		Example: `  rho-ext trust
  rho-ext trust --root ../other
  rho-ext trust --remove
  rho-ext trust --list`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("trust takes no arguments, got %q: it is for a project as a whole\nsay which with --root DIR, or grant one extension something with rho-ext grant", args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if remove && list {
				return usage("--remove and --list cannot go together: take trust back first, then list what is left")
			}
			return a.trust(remove, list)
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "take it back")
	cmd.Flags().BoolVar(&list, "list", false, "list the projects that are trusted")
	return cmd
}

func (a *app) trust(remove, list bool) error {
	store := a.trustStore()
	if list {
		roots, err := store.Roots()
		if err != nil && len(roots) == 0 {
			return fail(exitFailed, "%v", err)
		}
		if err != nil {
			a.warnOnce(err.Error())
		}
		if a.json {
			return written(a.printJSON(trustList{append([]string{}, roots...)}))
		}
		for _, r := range roots {
			if err := a.printText(r); err != nil {
				return written(err)
			}
		}
		return nil
	}
	root, err := a.canonicalRoot()
	if gone := a.goneRoot(); remove && gone != "" {
		root, err = gone, nil
	}
	if err != nil {
		return err
	}
	if err := store.Set(root, !remove); err != nil {
		return fail(exitFailed, "the answer could not be kept: %v", err)
	}
	if a.json {
		return written(a.printJSON(trustReport{Root: root, Trusted: !remove}))
	}
	if remove {
		fmt.Fprintf(a.err, "%s is not trusted any more\n", clean(root))
		return nil
	}
	fmt.Fprintf(a.err, "%s is trusted; its extensions are loaded from now on (rho-ext list shows them)\n", clean(root))
	return nil
}

// goneRoot is what --root names where there is nothing any more, if it was
// trusted: whoever makes a folder of that name one day should not be.
func (a *app) goneRoot() string {
	root, err := filepath.Abs(a.root)
	if err != nil || a.root == "" {
		return ""
	}
	if _, err := os.Lstat(root); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if trusted, _, _ := a.trustStore().Trusted(root); !trusted {
		return ""
	}
	return root
}

// canonicalRoot is the project's root without symbolic links: two names of a
// project are one project.
func (a *app) canonicalRoot() (string, error) {
	root, err := a.findRoot()
	if err != nil {
		return "", err
	}
	if root == "" {
		return "", usage("there is no project here; use --root DIR")
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", usage("--root: %v", err)
	}
	return real, nil
}

// untrusted lists the extensions that wait for trust.
func untrusted(h *host.Host) (ids []string) {
	for _, e := range h.Extensions() {
		if e.State == host.StateUntrusted {
			ids = append(ids, cleanLine(e.ID))
		}
	}
	return ids
}

// tellUntrusted says on stderr that something waits for trust.
func (a *app) tellUntrusted(ids []string) {
	if len(ids) > 0 {
		fmt.Fprintf(a.err, "%s %s of this project: %s; rho-ext trust lets them be loaded\n", a.paint(yellow, "not trusted:"),
			counted(len(ids), "extension", "extensions"), shortList(ids, 10))
	}
}

// askTrust asks the person at the terminal, where there is one and they have
// not said before, whether the project may be trusted.
func (a *app) askTrust(ctx context.Context, h *host.Host) (bool, error) {
	p := a.person()
	ids := untrusted(h)
	if p == nil || len(ids) == 0 {
		return false, nil
	}
	if _, asked := a.trusted(h.Root()); asked {
		return false, nil
	}
	text := fmt.Sprintf("%s has %s in .rho/extensions: %s.\nThis is code that runs, in the sandbox, whenever you use rho-ext here.",
		shown(h.Root()), counted(len(ids), "extension of its own", "extensions of its own"), shown(shortList(ids, 10)))
	yes, err := p.yes(ctx, text, "trust this project?")
	if err != nil {
		return false, fail(exitInterrupted, "interrupted")
	}
	if !yes {
		return false, nil
	}
	if err := a.trustStore().Set(h.Root(), true); err != nil {
		return false, fail(exitFailed, "the answer could not be kept: %v", err)
	}
	return true, nil
}
