package exttest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// Files beside tests are read and written through an [os.Root] of the folder with
// extensions: what a cloned project holds must not lead out of it by a link.

// readInside reads a regular file of at most max bytes.
func readInside(folder, path string, max int64) ([]byte, error) {
	root, name, err := openRoot(folder, path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err == nil && (!st.Mode().IsRegular() || st.Size() > max) {
		err = fmt.Errorf("it is no regular file, or larger than %d MB", max>>20)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, max))
}

// replaceInside puts a whole new text in place of a file, or leaves it as it is.
func replaceInside(folder, path string, data []byte) error {
	root, name, err := openRoot(folder, path)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if st, err := root.Stat(name); err == nil {
		mode = st.Mode().Perm()
	}
	temporary := filepath.Join(filepath.Dir(name), ".rho-ext-"+strconv.Itoa(os.Getpid())+"-"+strconv.FormatUint(serial.Add(1), 10))
	f, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		_ = root.Remove(temporary)
	}
	return err
}

// removeInside removes a file, and its folder where nothing else is in it.
func removeInside(folder, path string) error {
	root, name, err := openRoot(folder, path)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Remove(name); err != nil {
		return err
	}
	_ = root.Remove(filepath.Dir(name))
	return nil
}

func openRoot(folder, path string) (*os.Root, string, error) {
	name, err := filepath.Rel(folder, path)
	if err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(folder)
	return root, name, err
}
