// Package sessionlog keeps what happened in a session as lines of JSON, in a
// directory that several processes may write to at once.
//
// The files are 000001.jsonl, 000002.jsonl and so on; lines go to the last one,
// each in one append. A file that is full is never touched again, so that
// neither a reader nor another writer loses or splits a line while the log goes
// on to the next. The oldest files are removed.
//
// A line that Append has returned for outlives the process. It is in the hands
// of the operating system, though: files are synced to the disk when they are
// full and by Close, not at every line, so a crash of the whole machine can
// take the last seconds, and leave a torn line. Writers go on behind a torn
// line and readers skip it.
package sessionlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The defaults of [Options].
const (
	DefaultMaxBytes = 16 << 20
	DefaultKeep     = 8
	DefaultMaxLine  = 1 << 20
)

// Options configure a [Log]. A zero number means the default.
type Options struct {
	Dir      string // created where it does not exist, for its owner alone
	MaxBytes int64  // after which a file is full
	Keep     int    // files, the current one included; at least 2
	MaxLine  int    // bytes; a longer record is replaced by a stub
}

// Entry is one line.
type Entry struct {
	Time time.Time `json:"time"`
	Kind string    `json:"kind"`
	// Data is what was appended, or nil where it was too large.
	Data json.RawMessage `json:"data,omitempty"`
	// Omitted is the size of a record that was too large, in bytes.
	Omitted int `json:"omitted,omitempty"`
}

// Log is a log that is open for appending. It is safe for concurrent use, and
// beside other logs in the same directory, of this process or another.
type Log struct {
	opts Options

	mu     sync.Mutex
	number int
	file   *os.File // nil when closed
	info   os.FileInfo
	torn   bool // the file does not end in a newline
}

// ErrClosed is what Append returns after Close.
var ErrClosed = errors.New("the session log is closed")

// Open opens the log in a directory. An error means that nothing can be
// written there.
func Open(o Options) (*Log, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Keep <= 0 {
		o.Keep = DefaultKeep
	}
	o.Keep = max(o.Keep, 2)
	if o.MaxLine <= 0 {
		o.MaxLine = DefaultMaxLine
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("session log: %w", err)
	}
	l := &Log{opts: o}
	if err := l.openLast(); err != nil {
		return nil, fmt.Errorf("session log: %w", err)
	}
	return l, nil
}

// Append adds a line with v as its data. It returns when the operating system
// has it. A context that has ended does not keep it from doing so: what was
// cancelled is recorded as well.
func (l *Log) Append(_ context.Context, kind string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("session log: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return ErrClosed
	}
	line, err := l.line(Entry{Time: time.Now().UTC(), Kind: kind, Data: data})
	if err != nil {
		return fmt.Errorf("session log: %w", err)
	}
	if err := l.write(line); err != nil {
		return fmt.Errorf("session log: %w", err)
	}
	return nil
}

// Close syncs and closes the log. Closing again does nothing.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := errors.Join(l.file.Sync(), l.file.Close())
	l.file = nil
	return err
}

func (l *Log) line(e Entry) ([]byte, error) {
	line, err := json.Marshal(e)
	if err == nil && len(line) >= l.opts.MaxLine {
		e.Omitted, e.Data = len(e.Data), nil
		line, err = json.Marshal(e)
	}
	return append(line, '\n'), err
}

// write appends a line to the current file.
func (l *Log) write(line []byte) error {
	for {
		if err := l.advance(int64(len(line))); err != nil {
			return err
		}
		out := line
		if l.torn {
			out = append([]byte{'\n'}, line...)
		}
		n, err := l.file.Write(out) // at the end, in one piece
		if err != nil {
			l.torn = l.torn || n > 0
			return err
		}
		l.torn = false
		// Others may have filled and removed the file in the meantime, or a
		// person the whole directory.
		there, err := os.Lstat(l.file.Name())
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil
		case err == nil && os.SameFile(there, l.info):
			return nil
		}
		if err := l.reopen(); err != nil {
			return err
		}
	}
}

// advance goes to the file that takes a line of n bytes, which is the current
// one as long as it has room.
func (l *Log) advance(n int64) error {
	for {
		info, err := l.file.Stat()
		if err != nil {
			return err
		}
		if size := info.Size(); size == 0 || size+n <= l.opts.MaxBytes {
			return nil
		}
		_ = l.file.Sync()
		old := l.file
		err = l.open(l.number + 1)
		if errors.Is(err, fs.ErrNotExist) { // a person has removed the directory
			if err = os.MkdirAll(l.opts.Dir, 0o700); err == nil {
				err = l.open(l.number + 1)
			}
		}
		if err != nil {
			return err
		}
		_ = old.Close()
		l.prune()
	}
}

// reopen goes to the last file.
func (l *Log) reopen() error {
	old := l.file
	if err := os.MkdirAll(l.opts.Dir, 0o700); err != nil {
		return err
	}
	if err := l.openLast(); err != nil {
		return err
	}
	return old.Close()
}

func (l *Log) openLast() error {
	numbers, err := files(l.opts.Dir)
	if err != nil {
		return err
	}
	last := 1
	if len(numbers) > 0 {
		last = numbers[len(numbers)-1]
	}
	return l.open(last)
}

// open makes a file the current one.
func (l *Log) open(number int) error {
	path := filepath.Join(l.opts.Dir, name(number))
	// Reading is for the last byte; writes go to the end whatever was read.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	torn, err := endsTorn(f)
	if err != nil {
		_ = f.Close()
		return err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return err
	}
	l.number, l.file, l.info, l.torn = number, f, info, torn
	return nil
}

func endsTorn(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() { // a pipe that nobody reads would block a call
		err = fmt.Errorf("%s is not a regular file", f.Name())
	}
	if err != nil || info.Size() == 0 {
		return false, err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], info.Size()-1); err != nil {
		return false, err
	}
	return last[0] != '\n', nil
}

// prune removes the files that are too many. What cannot be removed stays.
func (l *Log) prune() {
	numbers, err := files(l.opts.Dir)
	if err != nil {
		return
	}
	for _, n := range numbers {
		if n <= l.number-l.opts.Keep {
			_ = os.Remove(filepath.Join(l.opts.Dir, name(n)))
		}
	}
}

func name(number int) string { return fmt.Sprintf("%06d.jsonl", number) }

// files lists the numbers of a log's files, in order.
func files(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, e := range entries {
		digits, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if n, err := strconv.Atoi(digits); ok && err == nil && n > 0 && e.Name() == name(n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}
