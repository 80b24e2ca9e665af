package sessionlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// maxRead is the longest line that a reader looks at.
const maxRead = 64 << 20

// maxWaits is how often, and waitFor how long, a reader waits for the rest of a
// line that does not end.
const (
	maxWaits = 3
	waitFor  = 2 * time.Millisecond
)

// Read calls fn for each entry of the log in a directory, the oldest first, and
// stops at its first error. Lines that cannot be read, such as one that was
// torn by a crash, are skipped and counted. Writers may be at work. A directory
// that does not exist holds no entries.
func Read(dir string, fn func(Entry) error) (broken int, err error) {
	numbers, err := files(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("session log: %w", err)
	}
	for _, n := range numbers {
		b, err := readFile(filepath.Join(dir, name(n)), fn)
		broken += b
		if errors.Is(err, fs.ErrNotExist) { // removed by a writer
			continue
		}
		if err != nil {
			return broken, err
		}
	}
	return broken, nil
}

func readFile(path string, fn func(Entry) error) (broken int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("session log: %w", err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	for {
		line, err := readLine(in)
		for range maxWaits {
			if err != io.EOF || len(line) == 0 || json.Valid(line) {
				break
			}
			// Somebody may be writing it, and the system shows a part already.
			time.Sleep(waitFor)
			var more []byte
			more, err = readLine(in)
			line = append(line, more...)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var e Entry
			if json.Unmarshal(line, &e) != nil || e.Kind == "" {
				broken++
			} else if err := fn(e); err != nil {
				return broken, err
			}
		}
		switch {
		case err == io.EOF:
			return broken, nil
		case err != nil:
			return broken, fmt.Errorf("session log: %w", err)
		}
	}
}

// readLine reads a line of any length, and keeps the beginning of one that is
// too long, which is no JSON then.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line) < maxRead {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}
