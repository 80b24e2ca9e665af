package permission

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// maxJournal bounds a journal; nobody answers so many questions.
const maxJournal = 16 << 20

// journal is a file of lines to which several programs append. A whole line is
// written at once, so that two do not mix theirs, and what was once written
// stays: an entry takes an older one back. What cannot be read says yes to
// nothing.
type journal[T comparable] struct {
	path string

	mu    sync.Mutex
	seen  fs.FileInfo // of the file as it was read last
	lines []T
	err   error
}

// read gives the entries in the order in which they were written, anew where
// the file has changed. A line that is broken is an error, beside the others.
func (j *journal[T]) read() ([]T, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	st, err := os.Lstat(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		j.seen, j.lines, j.err = nil, nil, nil
		return nil, nil
	}
	if err == nil && j.seen != nil && unchanged(st, j.seen) {
		return j.lines, j.err
	}
	j.seen, j.lines, j.err = nil, nil, err
	if err == nil {
		j.lines, j.err = j.load()
		j.seen = st
	}
	return j.lines, j.err
}

// unchanged compares two looks at a file. Who may write it counts, too: a file
// that was refused over that is read once it was put right.
func unchanged(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}

func (j *journal[T]) load() ([]T, error) {
	f, err := j.open(os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxJournal+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.path, err)
	}
	if len(data) > maxJournal {
		return nil, fmt.Errorf("%s is larger than %d MiB; remove it to begin anew", j.path, maxJournal>>20)
	}
	var out []T
	var bad error
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			bad = fmt.Errorf("%s:%d cannot be read and has no effect: %w", j.path, n, err)
			continue
		}
		out = append(out, v)
	}
	return out, bad
}

// open opens the file if it is a regular one that nobody else may write. Of a
// pipe in its place, opening might never return.
func (j *journal[T]) open(flag int) (*os.File, error) {
	check := func(st fs.FileInfo) error {
		switch {
		case !st.Mode().IsRegular():
			return fmt.Errorf("%s is no regular file; remove it", j.path)
		case runtime.GOOS != "windows" && st.Mode().Perm()&0o022 != 0:
			return fmt.Errorf("%s can be written by others (mode %v), so nothing in it counts; check it, then chmod 600 it", j.path, st.Mode().Perm())
		}
		return nil
	}
	st, err := os.Lstat(j.path)
	if err == nil {
		if err := check(st); err != nil {
			return nil, err
		}
	} else if flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(j.path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	now, err := f.Stat()
	if err == nil && st != nil && !os.SameFile(st, now) {
		err = fmt.Errorf("%s changed while it was being opened", j.path)
	}
	if err == nil {
		err = check(now)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// append writes entries to the end.
func (j *journal[T]) append(entries ...T) error {
	if j.path == "" {
		return errors.New("there is no place to keep it: set RHO_HOME")
	}
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	f, err := j.open(os.O_RDWR | os.O_CREATE | os.O_APPEND)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	// A program that was stopped while it wrote left half a line.
	if st, err := f.Stat(); err == nil && st.Size() > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, st.Size()-1); err == nil && last[0] != '\n' {
			b.WriteByte('\n')
		}
	}
	for _, e := range entries {
		line, err := encode(e)
		if err != nil {
			f.Close()
			return err
		}
		var again T
		if err := json.Unmarshal(line, &again); err != nil || again != e {
			// Two names that are no text would be kept as the same one.
			f.Close()
			return errors.New("it holds a name that is no UTF-8 text and cannot be kept: rename the file or folder")
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	_, err = f.Write(b.Bytes())
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// encode makes the line of an entry. What JSON cannot hold is an error: the
// entry would come back as that of something else.
func encode[T comparable](e T) ([]byte, error) {
	line, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	var back T
	if err := json.Unmarshal(line, &back); err != nil {
		return nil, err
	}
	if back != e {
		return nil, fmt.Errorf("a name in it is not valid UTF-8, so it cannot be kept: %s", line)
	}
	return line, nil
}

// now is when an entry was made, for people who read the file.
func now() string { return time.Now().UTC().Format(time.RFC3339) }
