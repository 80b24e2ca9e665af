package secret

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// FileError says what is wrong with the file of a store.
type FileError struct {
	Path    string
	Problem string // never with anything that the file holds
	Err     error  // or nil
}

// Error implements error.
func (e *FileError) Error() string {
	msg := e.Path + ": " + e.Problem
	if e.Err != nil {
		var pe *fs.PathError
		err := e.Err
		if errors.As(err, &pe) {
			err = pe.Err
		}
		msg += ": " + err.Error()
	}
	return msg
}

// Unwrap gives the cause.
func (e *FileError) Unwrap() error { return e.Err }

// look reads the file for those who do not change it. On Windows a file that is
// being read cannot be replaced, so readers take their turn there.
func (s *Store) look(ctx context.Context) (*content, error) {
	if runtime.GOOS == "windows" && s.path != "" {
		if _, err := os.Lstat(s.path); err == nil {
			unlock, err := s.lock(ctx)
			if err != nil {
				return nil, err
			}
			defer unlock()
		}
	}
	return s.read()
}

// read gives what the file holds. One that is not there holds nothing; one that
// is not as [Store.write] leaves it is an error, so that it is never written
// over.
func (s *Store) read() (*content, error) {
	if s.path == "" {
		return nil, &FileError{Path: FileName, Problem: "there is no folder for it"}
	}
	data, err := readPrivate(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return &content{Version: version}, nil
	}
	if err != nil {
		return nil, err
	}
	c, problem := parse(data)
	if problem != "" {
		return nil, &FileError{Path: s.path, Problem: problem + "; correct it, or remove it and set the secrets again"}
	}
	return c, nil
}

// readPrivate reads a file that is its owner's alone.
func readPrivate(path string) ([]byte, error) {
	const attempts = 10 // others may replace it meanwhile
	for range attempts {
		before, err := os.Lstat(path)
		if err != nil {
			return nil, &FileError{Path: path, Problem: "cannot read it", Err: err}
		}
		if problem := private(before); problem != "" {
			return nil, &FileError{Path: path, Problem: problem}
		}
		f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, &FileError{Path: path, Problem: "cannot read it", Err: err}
		}
		data, same, err := readOpen(f, before)
		_ = f.Close()
		if err != nil {
			return nil, &FileError{Path: path, Problem: "cannot read it", Err: err}
		}
		if same {
			return data, nil
		}
	}
	return nil, &FileError{Path: path, Problem: "it changes too often to be read"}
}

// readOpen reads f, unless it is not the file that was looked at.
func readOpen(f *os.File, before fs.FileInfo) (data []byte, same bool, err error) {
	st, err := f.Stat()
	if err != nil || !os.SameFile(before, st) || private(st) != "" {
		return nil, false, err
	}
	data, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("it has more than %d bytes", maxFile)
	}
	return data, true, err
}

// private says why a file cannot hold secrets, or "".
func private(st fs.FileInfo) string {
	switch {
	case st.Mode()&fs.ModeSymlink != 0:
		return "it is a symbolic link; put the file itself there"
	case !st.Mode().IsRegular():
		return "it is no regular file"
	case st.Size() > maxFile:
		return fmt.Sprintf("it has %d bytes, which is more than %d", st.Size(), maxFile)
	}
	return foreign(st)
}

// write replaces the file. It is called under the lock. The temporary file has
// one name, so that what a process that was killed left of it is found.
func (s *Store) write(c *content) (err error) {
	if c.Secrets == nil {
		c.Secrets = []entry{} // not null
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(c); err != nil {
		return &FileError{Path: s.path, Problem: "cannot write it"}
	}
	if text.Len() > maxFile {
		return &FileError{Path: s.path, Problem: fmt.Sprintf("it would have %d bytes, which is more than %d", text.Len(), maxFile)}
	}
	temp := s.path + ".tmp"
	defer func() {
		if err != nil {
			_ = os.Remove(temp)
			err = &FileError{Path: s.path, Problem: "cannot write it", Err: err}
		}
	}()
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|openFlags, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text.Bytes())
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, s.path); err != nil {
		return err
	}
	syncDir(filepath.Dir(s.path))
	return nil
}

// syncDir makes a rename outlive a crash of the machine, where the system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
