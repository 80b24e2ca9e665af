package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// The bounds of what is kept of commands' output on disk.
const (
	spillMax   = 2 << 30 // bytes of one command
	spillFiles = 32      // the oldest go
)

// spill keeps all output of a command in a private file, once it is more than
// what is shown. It never fails a command.
type spill struct {
	dir   string // empty: nothing is kept
	limit int    // bytes before there is a file

	mu      sync.Mutex
	held    []byte
	file    *os.File
	path    string
	written int64
	failed  bool
	cut     bool
}

func newSpill(state string, limit int) *spill {
	s := &spill{limit: limit}
	if state != "" {
		s.dir = filepath.Join(state, "output")
	}
	return s
}

// Write implements io.Writer.
func (s *spill) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" || s.failed || s.cut {
		return len(b), nil
	}
	if s.file == nil {
		if len(s.held)+len(b) <= s.limit {
			s.held = append(s.held, b...)
			return len(b), nil
		}
		if s.failed = s.open() != nil; s.failed {
			return len(b), nil
		}
	}
	part := b[:min(int64(len(b)), spillMax-s.written)]
	n, err := s.file.Write(part)
	s.written += int64(n)
	s.failed = err != nil // the disk is full: the command need not know
	s.cut = len(part) < len(b)
	return len(b), nil
}

func (s *spill) open() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	prune(s.dir)
	f, err := os.CreateTemp(s.dir, time.Now().UTC().Format("20060102T150405")+"-*.txt")
	if err != nil {
		return err
	}
	s.file, s.path = f, f.Name()
	n, err := f.Write(s.held)
	s.written, s.held = int64(n), nil
	return err
}

// prune removes the oldest files but some.
func prune(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".txt") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	for len(names) >= spillFiles {
		_ = os.Remove(filepath.Join(dir, names[0]))
		names = names[1:]
	}
}

// close ends the file and says where it is, or "".
func (s *spill) close() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = nil
	if s.file == nil {
		return ""
	}
	if s.file.Close() != nil || s.failed {
		_ = os.Remove(s.path)
		return ""
	}
	return s.path
}

// where says in a note on left out output where all of it is.
func (s *spill) where(path string) string {
	switch {
	case path == "":
		return ""
	case s.cut:
		return fmt.Sprintf("; the first %d bytes are in %s", s.written, path)
	}
	return "; all of it is in " + path
}
