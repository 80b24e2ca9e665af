package sessionlog

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Follow calls fn for each entry that is appended from now on, by whatever
// process, until ctx ends. It looks for them this often. The log need not exist
// yet.
func Follow(ctx context.Context, dir string, every time.Duration, fn func(Entry)) {
	f := follower{dir: dir, fn: fn, at: map[int]int64{}}
	numbers, _ := files(dir)
	for _, n := range numbers {
		if st, err := os.Stat(filepath.Join(dir, name(n))); err == nil {
			f.at[n] = st.Size()
		}
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			f.look()
			return
		case <-tick.C:
			f.look()
		}
	}
}

// follower knows how far each file was read.
type follower struct {
	dir string
	fn  func(Entry)
	at  map[int]int64
}

func (f *follower) look() {
	numbers, _ := files(f.dir)
	for _, n := range numbers {
		f.read(n)
	}
}

// read passes on the whole lines that a file has more than before.
func (f *follower) read(n int) {
	path := filepath.Join(f.dir, name(n))
	st, err := os.Stat(path)
	if err != nil || st.Size() <= f.at[n] || !st.Mode().IsRegular() {
		return
	}
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	data, err := io.ReadAll(io.NewSectionReader(file, f.at[n], min(st.Size()-f.at[n], maxRead)))
	if err != nil {
		return
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	if end == 0 && len(data) == maxRead {
		end = len(data) // no line is that long
	}
	f.at[n] += int64(end)
	for line := range bytes.SplitSeq(data[:end], []byte("\n")) {
		var e Entry
		if json.Unmarshal(line, &e) == nil && e.Kind != "" {
			f.fn(e)
		}
	}
}
