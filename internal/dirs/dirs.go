// Package dirs tells where rho-ext keeps what is the user's own.
package dirs

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
)

// HomeVariable names the folder of [Home] where it is set.
const HomeVariable = "RHO_HOME"

// Home is $RHO_HOME, or ~/.rho: configuration, extensions, grants. It is ""
// where neither is known.
func Home() string {
	if dir := os.Getenv(HomeVariable); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return ""
	}
	return filepath.Join(home, ".rho")
}

// Project is the folder for what is kept about one project: its session log
// and the state of its extensions. root is the project's, without symbolic
// links.
func Project(home, root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(home, "projects", hex.EncodeToString(sum[:8]))
}

// Cache is the folder for what can be made anew, or "" where the system names
// none.
func Cache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "rho-ext")
}

// Writable reports whether files can be made in dir, or in the nearest folder
// above that exists. It changes nothing that lasts.
func Writable(dir string) error {
	for {
		st, err := os.Stat(dir)
		if err == nil && !st.IsDir() {
			return &os.PathError{Op: "stat", Path: dir, Err: os.ErrExist}
		}
		if parent := filepath.Dir(dir); os.IsNotExist(err) && parent != dir {
			dir = parent
			continue
		} else if err != nil {
			return err
		}
		f, err := os.CreateTemp(dir, ".rho-ext-*")
		if err != nil {
			return err
		}
		_ = f.Close()
		return os.Remove(f.Name())
	}
}
