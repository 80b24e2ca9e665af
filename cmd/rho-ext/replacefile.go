package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// readSome reads a regular file that is not larger than most.
func readSome(path string, most int) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > int64(most) { // a pipe would wait for ever
		return nil, errors.New("no regular file, or too large")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(most)+1))
}

// replaceFile writes a file that readers see as it was or as it will be. A link in
// its place is replaced, not followed.
func replaceFile(path, text string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".rho-ext-*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
