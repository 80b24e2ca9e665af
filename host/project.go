package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rho-ext/rho-ext/internal/dirs"
)

// rootMarkers show that a folder is a project's root.
var rootMarkers = []string{".rho", ".git", "go.mod", "package.json", "Cargo.toml", "pyproject.toml"}

// ErrNoRoot is the error of [FindRoot] where only the home directory or the
// file system's root would do.
var ErrNoRoot = errors.New("the home directory and / are project roots only when you say so: use --root")

// FindRoot gives the project that dir belongs to: its nearest ancestor with
// .rho, .git, go.mod, package.json, Cargo.toml or pyproject.toml, else dir
// itself. The home directory (where .rho is the user's own) and the file
// system's root are no projects.
func FindRoot(dir string) (string, error) {
	dir, err := canonical(dir)
	if err != nil {
		return "", err
	}
	home := homeDir()
	for d := dir; ; d = filepath.Dir(d) {
		if forbiddenRoot(d, home) {
			break
		}
		if RootMarker(d) != "" {
			return d, nil
		}
	}
	if forbiddenRoot(dir, home) {
		return "", fmt.Errorf("%s: %w", dir, ErrNoRoot)
	}
	return dir, nil
}

// RootMarker names what shows that dir is a project's root, such as .git, or is
// "".
func RootMarker(dir string) string {
	for _, m := range rootMarkers {
		if _, err := os.Lstat(filepath.Join(dir, m)); err == nil {
			return m
		}
	}
	return ""
}

func forbiddenRoot(dir, home string) bool {
	return dir == home || filepath.Dir(dir) == dir
}

// canonical gives an absolute path without symbolic links, of a folder.
func canonical(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", err
	}
	st, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	if !st.IsDir() {
		return "", fmt.Errorf("%s is not a folder", dir)
	}
	return real, nil
}

func homeDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(home); err == nil {
		return real
	}
	return home
}

// defaultUserDir is $RHO_HOME/extensions, or ~/.rho/extensions; "" where
// neither is known.
func defaultUserDir() string {
	if home := dirs.Home(); home != "" {
		return filepath.Join(home, "extensions")
	}
	return ""
}
