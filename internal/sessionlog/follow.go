package sessionlog

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

// Follower tells what is appended to a log, by whatever process. It looks when
// it is told to. The log need not exist yet.
type Follower struct {
	dir string
	at  map[int]mark
}

// mark is how far a file was read.
type mark struct {
	offset int64
	info   os.FileInfo
}

// NewFollower makes one that has read nothing yet.
func NewFollower(dir string) *Follower { return &Follower{dir: dir, at: map[int]mark{}} }

// Skip passes over all that is there now.
func (f *Follower) Skip() {
	numbers, _ := files(f.dir)
	for _, n := range numbers {
		if st, err := os.Stat(filepath.Join(f.dir, name(n))); err == nil {
			f.at[n] = mark{st.Size(), st}
		}
	}
}

// Look calls fn for each entry that it has not told yet, the oldest first, and
// counts lines that cannot be read. A line that is still being written waits
// for the next look. Files that are gone are forgotten, and what takes the place
// of one, or one that was cut short, is read from its beginning.
func (f *Follower) Look(fn func(Entry)) (broken int) {
	numbers, err := files(f.dir)
	if err != nil {
		numbers = nil
	}
	here := make(map[int]mark, len(numbers))
	for _, n := range numbers {
		m := f.at[n]
		broken += f.read(n, &m, fn)
		here[n] = m
	}
	f.at = here
	return broken
}

// read passes on the whole lines that a file has more than before.
func (f *Follower) read(n int, m *mark, fn func(Entry)) (broken int) {
	path := filepath.Join(f.dir, name(n))
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return 0
	}
	file, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	st, err := file.Stat()
	if err != nil {
		return 0
	}
	if m.info != nil && (st.Size() < m.offset || !os.SameFile(st, m.info)) {
		m.offset = 0
	}
	m.info = st
	for m.offset < st.Size() {
		data, err := io.ReadAll(io.NewSectionReader(file, m.offset, min(st.Size()-m.offset, maxRead)))
		if err != nil {
			return broken
		}
		end := bytes.LastIndexByte(data, '\n') + 1
		if end == 0 && len(data) == maxRead {
			end = len(data) // no line is that long
		}
		if end == 0 {
			return broken // it is being written
		}
		m.offset += int64(end)
		for line := range bytes.SplitSeq(data[:end], []byte("\n")) {
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			var e Entry
			if json.Unmarshal(line, &e) != nil || e.Kind == "" {
				broken++
				continue
			}
			fn(e)
		}
	}
	return broken
}
