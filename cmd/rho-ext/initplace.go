package main

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/rho-ext/rho-ext/internal/scaffold"
)

// place is where a new extension goes: a folder dir below base, which links may
// not leave.
type place struct {
	base    string // absolute, without symbolic links
	dir     string // with forward slashes
	project bool   // it is the project's own .rho/extensions
}

// newPlace finds where a new extension goes.
func (a *app) newPlace() (place, error) {
	if err := a.checkFlags(); err != nil {
		return place{}, err
	}
	if len(a.extensions) == 0 {
		root, err := a.canonicalRoot()
		return place{base: root, dir: path.Join(".rho", "extensions"), project: true}, err
	}
	if len(a.extensions) > 1 {
		return place{}, usage("init writes into one folder, and --extensions was given %d times", len(a.extensions))
	}
	abs, err := filepath.Abs(a.extensions[0])
	if err != nil {
		return place{}, fail(exitFailed, "--extensions: %v", err)
	}
	// What is missing of it is made with the extension.
	base := abs
	for _, err := os.Lstat(base); errors.Is(err, fs.ErrNotExist); _, err = os.Lstat(base) {
		base = filepath.Dir(base)
	}
	dir, err := filepath.Rel(base, abs)
	if err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	if err != nil {
		return place{}, fail(exitFailed, "--extensions: %v", err)
	}
	return place{base: base, dir: filepath.ToSlash(dir)}, nil
}

func (p place) write(name string, files []scaffold.File) error {
	root, err := os.OpenRoot(p.base)
	if err != nil {
		return fail(exitFailed, "%v", err)
	}
	defer root.Close()
	err = scaffold.Write(root, p.dir, name, files)
	var exists *scaffold.ExistsError
	if errors.As(err, &exists) {
		return fail(exitFailed, "%s exists already, and nothing was written; choose another name, or remove it", filepath.Join(shownPath(p.base), filepath.FromSlash(exists.Path)))
	}
	if err != nil {
		return fail(exitFailed, "the extension could not be written to %s, and nothing is left of it: %v", filepath.Join(p.base, filepath.FromSlash(p.dir)), err)
	}
	return nil
}

// trustState is what becomes of trust in a place.
type trustState uint8

const (
	trustedAlready trustState = iota
	trustNow                  // it has no extensions, so those to come are the user's
	trustLater                // the user has to say so
)

// mayTrust tells whether what is written to a place is loaded. It is asked before
// anything is.
func (a *app) mayTrust(p place) trustState {
	if !p.project {
		return trustedAlready // as everything that is named
	}
	trusted, asked := a.trusted(p.base)
	switch {
	case trusted:
		return trustedAlready
	case asked: // and the answer was no
		return trustLater
	}
	root, err := os.OpenRoot(p.base)
	if err != nil {
		return trustLater
	}
	defer root.Close()
	f, err := root.Open(p.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return trustNow
	}
	if err != nil {
		return trustLater
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return trustLater
	}
	for _, e := range entries {
		if n := e.Name(); n != ".gitkeep" && n != ".gitignore" && n != ".DS_Store" {
			return trustLater
		}
	}
	return trustNow
}
