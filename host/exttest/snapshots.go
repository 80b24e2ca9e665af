package exttest

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"unicode"

	"github.com/rho-ext/rho-ext/host/wire"
)

// snapshots are those of one test file, in the format of vitest:
// __snapshots__/NAME.snap beside it.
type snapshots struct {
	path   string
	folder string
	have   map[string]string

	mu     sync.Mutex
	count  Snapshots
	used   map[string]bool
	wrote  map[string]string
	inline []wire.TestSnapshot
}

const snapshotHeader = "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n"

// maxSnapshots bounds a file of snapshots.
const maxSnapshots = 32 << 20

func readSnapshots(folder, test string) (*snapshots, error) {
	s := &snapshots{
		folder: folder, path: filepath.Join(filepath.Dir(test), "__snapshots__", filepath.Base(test)+".snap"),
		have: map[string]string{}, used: map[string]bool{}, wrote: map[string]string{},
	}
	data, err := readInside(folder, s.path, maxSnapshots)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		s.have, err = parseSnapshots(string(data))
	}
	if err != nil {
		err = fmt.Errorf("the snapshots cannot be read: %w", err)
	}
	return s, err
}

// parseSnapshots reads lines of the form exports[`key`] = `text`;.
func parseSnapshots(text string) (map[string]string, error) {
	out := map[string]string{}
	for rest := text; ; {
		at := strings.Index(rest, "exports[`")
		if at < 0 {
			return out, nil
		}
		key, after, ok := template(rest[at+len("exports["):])
		if !ok {
			return nil, fmt.Errorf("line %d: a name does not end", 1+strings.Count(text[:len(text)-len(rest)+at], "\n"))
		}
		after, ok = strings.CutPrefix(after, "] = ")
		if !ok {
			return nil, fmt.Errorf("%q: expected ] = and a text in backquotes", key)
		}
		value, after, ok := template(after)
		if !ok {
			return nil, fmt.Errorf("%q: the text does not end", key)
		}
		out[key], rest = wholeLines(value), after
	}
}

// template reads a template literal without substitutions.
func template(s string) (text, rest string, ok bool) {
	if !strings.HasPrefix(s, "`") {
		return "", s, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '`':
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s):
			i++
			if s[i] == '\r' || s[i] == '\n' {
				continue
			}
			b.WriteByte(s[i])
		case s[i] == '\r':
			if i+1 == len(s) || s[i+1] != '\n' {
				b.WriteByte('\n')
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", s, false
}

var escapeTemplate = strings.NewReplacer("\\", "\\\\", "`", "\\`", "${", "\\${")

func quoted(text string) string { return "`" + escapeTemplate.Replace(text) + "`" }

// keep notes what a test did with snapshots.
func (f *fileRun) keep(list []wire.TestSnapshot) {
	s := f.shots
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range list {
		if n.Key != "" {
			s.used[n.Key] = true
		}
		switch n.Status {
		case "matched":
			s.count.Matched++
			continue
		case "added":
			s.count.Added++
		case "updated":
			s.count.Updated++
		default:
			s.count.Failed++
			continue
		}
		if n.Key != "" {
			s.wrote[n.Key] = n.Text
		} else {
			s.inline = append(s.inline, n)
		}
	}
}

// write puts snapshots into their file. whole says that every test of the file
// ran and passed, so that what none of them used is not needed.
func (s *snapshots) write(update, whole bool) error {
	changed := len(s.wrote) > 0
	all := map[string]string{}
	for k, v := range s.have {
		if whole && !s.used[k] {
			if update {
				s.count.Removed++
				changed = true
				continue
			}
			s.count.Obsolete++
		}
		all[k] = v
	}
	for k, v := range s.wrote {
		all[k] = v
	}
	switch {
	case !changed:
		return nil
	case len(all) == 0:
		return removeInside(s.folder, s.path)
	}
	keys := make([]string, 0, len(all))
	for k := range all {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return naturally(keys[i], keys[j]) })
	var b strings.Builder
	b.WriteString(snapshotHeader)
	for _, k := range keys {
		text := all[k]
		if text = wholeLines(text); strings.Contains(text, "\n") {
			text = "\n" + text + "\n"
		}
		fmt.Fprintf(&b, "\nexports[%s] = %s;\n", quoted(k), quoted(text))
	}
	if err := replaceInside(s.folder, s.path, []byte(b.String())); err != nil {
		return fmt.Errorf("the snapshots could not be written: %w", err)
	}
	return nil
}

// wholeLines takes the empty line before and after a text of several away, which
// stand there in a file.
func wholeLines(text string) string {
	if inner, ok := strings.CutPrefix(text, "\n"); ok && len(inner) > 0 && strings.HasSuffix(inner, "\n") {
		return inner[:len(inner)-1]
	}
	return text
}

// naturally orders names so that 2 comes before 10.
func naturally(a, b string) bool {
	for a != "" && b != "" {
		na, ra := number(a)
		nb, rb := number(b)
		if na >= 0 && nb >= 0 {
			if na != nb {
				return na < nb
			}
			a, b = ra, rb
			continue
		}
		if a[0] != b[0] {
			return a[0] < b[0]
		}
		a, b = a[1:], b[1:]
	}
	return len(a) < len(b)
}

func number(s string) (int, string) {
	n, i := 0, 0
	for i < len(s) && i < 9 && unicode.IsDigit(rune(s[i])) {
		n = n*10 + int(s[i]-'0')
		i++
	}
	if i == 0 {
		return -1, s
	}
	return n, s[i:]
}
