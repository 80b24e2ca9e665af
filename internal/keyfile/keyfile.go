// Package keyfile keeps JSON values under keys in one file that several
// processes share. A change is there as a whole or not at all, whatever happens
// meanwhile, and takes nothing away that another process wrote under another
// key; of two that write the same key the last one wins.
package keyfile

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
	"slices"
	"time"
	"unicode/utf8"
)

// Options describe a [File].
type Options struct {
	Path string // its folder need not exist
	Max  int    // how many bytes it may have; zero means 1 MiB
	// Wait is how long a change waits for other processes; zero means 10 s.
	Wait time.Duration
	// SetAside hears of a file that could not be read and was renamed; nil
	// means nobody does.
	SetAside func(path string, why error)
}

// File is such a file. It is safe for concurrent use, and so are several of one
// path.
type File struct {
	opts Options
	turn chan struct{} // of one change at a time; the others wait without asking the system
}

// New makes one. Nothing is touched before it is used.
func New(o Options) *File {
	if o.Max == 0 {
		o.Max = 1 << 20
	}
	if o.Wait == 0 {
		o.Wait = 10 * time.Second
	}
	return &File{opts: o, turn: make(chan struct{}, 1)}
}

// SizeError is the error of a change that would make the file too large.
type SizeError struct{ Size, Max int }

// Error implements error.
func (e *SizeError) Error() string {
	return fmt.Sprintf("all values together would have %d bytes, at most %d are possible", e.Size, e.Max)
}

// Get reads a value; nil means that there is none.
func (f *File) Get(ctx context.Context, key string) (json.RawMessage, error) {
	all, err := f.load(ctx)
	return all[key], err
}

// Keys lists the keys, sorted.
func (f *File) Keys(ctx context.Context) ([]string, error) {
	all, err := f.load(ctx)
	keys := make([]string, 0, len(all))
	for k := range all {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys, err
}

// Set keeps a value, which must be JSON.
func (f *File) Set(ctx context.Context, key string, value json.RawMessage) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, value); err != nil {
		return fmt.Errorf("the value is no JSON: %w", err)
	}
	if !utf8.ValidString(key) {
		return errors.New("the key is no valid text")
	}
	if compact.Len() > f.opts.Max { // before others wait for it
		return &SizeError{compact.Len(), f.opts.Max}
	}
	return f.change(ctx, func(all map[string]json.RawMessage) bool {
		if bytes.Equal(all[key], compact.Bytes()) {
			return false
		}
		all[key] = compact.Bytes()
		return true
	})
}

// Delete forgets a value and reports whether there was one.
func (f *File) Delete(ctx context.Context, key string) (found bool, err error) {
	err = f.change(ctx, func(all map[string]json.RawMessage) bool {
		_, found = all[key]
		delete(all, key)
		return found
	})
	return found, err
}

// load reads the file as it is now. It needs no lock: the file is replaced as a
// whole.
func (f *File) load(ctx context.Context) (map[string]json.RawMessage, error) {
	all, err := f.read()
	var broken *brokenError
	if errors.As(err, &broken) {
		// Under the lock, for it may be right again.
		err = f.change(ctx, func(now map[string]json.RawMessage) bool { all = now; return false })
	}
	return all, err
}

// change does one change under the lock. edit reports whether it made any.
func (f *File) change(ctx context.Context, edit func(map[string]json.RawMessage) bool) error {
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	all, err := f.read()
	var broken *brokenError
	if errors.As(err, &broken) {
		if err := f.setAside(broken); err != nil {
			return err
		}
		all, err = map[string]json.RawMessage{}, nil
	}
	if err != nil || !edit(all) {
		return err
	}
	return f.write(all)
}

// brokenError says that the file is not what this package writes.
type brokenError struct{ why error }

func (e *brokenError) Error() string { return e.why.Error() }

func (f *File) read() (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	data, err := f.bytes()
	if err != nil || len(data) == 0 {
		return all, err
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, &brokenError{err}
	}
	if all == nil {
		return nil, &brokenError{errors.New("it holds null, not an object")}
	}
	return all, nil
}

// bytes reads the file, if there is one: a regular one of at most the size that
// a person who edited it could mean.
func (f *File) bytes() ([]byte, error) {
	for tries := 0; ; tries++ {
		st, err := os.Lstat(f.opts.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, err
		case !st.Mode().IsRegular():
			return nil, fmt.Errorf("%s is no regular file", f.opts.Path)
		case st.Size() > int64(4*f.opts.Max):
			return nil, &brokenError{fmt.Errorf("it has %d bytes", st.Size())}
		}
		data, err := readRegular(f.opts.Path, st)
		if tries < 100 && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, errReplaced) || transient(err)) {
			time.Sleep(time.Duration(tries/10) * time.Millisecond)
			continue // another process has just replaced it
		}
		return data, err
	}
}

var errReplaced = errors.New("the file was replaced")

func readRegular(path string, seen fs.FileInfo) ([]byte, error) {
	r, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	st, err := r.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(st, seen) || !st.Mode().IsRegular() {
		return nil, errReplaced
	}
	return io.ReadAll(io.LimitReader(r, seen.Size()))
}

// setAside keeps what cannot be read, for a person to look at.
func (f *File) setAside(why error) error {
	to := f.opts.Path + ".broken-" + time.Now().UTC().Format("20060102T150405.000000000")
	if err := os.Rename(f.opts.Path, to); err != nil {
		return fmt.Errorf("it cannot be read (%w), nor set aside: %w", why, err)
	}
	if f.opts.SetAside != nil {
		f.opts.SetAside(to, why)
	}
	return nil
}

// write replaces the file, under the lock. The temporary file has one name, so
// that what a process that was killed left of it is found.
func (f *File) write(all map[string]json.RawMessage) (err error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(all); err != nil {
		return err
	}
	if text.Len() > f.opts.Max {
		return &SizeError{text.Len(), f.opts.Max}
	}
	temp := f.opts.Path + ".tmp"
	defer func() {
		if err != nil {
			_ = os.Remove(temp)
		}
	}()
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|openFlags, 0o600)
	if err != nil {
		return err
	}
	_, err = w.Write(text.Bytes())
	if err == nil {
		err = w.Sync()
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	if err := f.rename(temp); err != nil {
		return err
	}
	syncDir(filepath.Dir(f.opts.Path))
	return nil
}

// rename puts the new file in place. Where a reader holds the old one open, some
// systems refuse it for a moment.
func (f *File) rename(temp string) error {
	for tries := 0; ; tries++ {
		err := os.Rename(temp, f.opts.Path)
		if err == nil || tries == 100 || !transient(err) {
			return err
		}
		time.Sleep(time.Duration(1+tries/10) * time.Millisecond)
	}
}

// syncDir makes a rename outlive a crash of the machine, where the system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
