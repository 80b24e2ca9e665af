package builtin

import (
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/internal/ignore"
	"github.com/rho-ext/rho-ext/internal/jail"
)

// parentRules adds the ignore files of the root and of the directories between
// it and where a walk starts.
func parentRules(j *jail.Jail, r *rules, path string) *rules {
	if path == "" || strings.HasPrefix(path, "/") || strings.Contains(path, ":") {
		return r
	}
	at := ""
	for _, name := range strings.Split(path, "/") {
		read := func(file string) *ignore.Rules {
			data, _, err := j.ReadFile(at+file, maxIgnoreFile)
			if err != nil {
				return nil
			}
			return ignore.Parse(string(data))
		}
		r = r.add(r.prefix+at, read(".gitignore"), read(".ignore"))
		at += name + "/"
	}
	return r
}

// compareEntries sorts as the paths of what is in a directory sort: "a.b" comes
// before "a/b".
func compareEntries(a, b entry) int {
	x, y := a.name, b.name
	n := min(len(x), len(y))
	if c := strings.Compare(x[:n], y[:n]); c != 0 || len(x) == len(y) {
		return c
	}
	end := func(e entry, s string) int {
		switch {
		case len(s) > n:
			return int(s[n])
		case e.dir:
			return '/'
		default:
			return -1
		}
	}
	if c := end(a, x) - end(b, y); c != 0 {
		return c
	}
	return len(x) - len(y)
}

// ownRules adds the directory's own ignore files.
func (b *branch) ownRules(entries []fs.DirEntry) *rules {
	read := func(name string) *ignore.Rules {
		if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name }) {
			return nil
		}
		f, err := b.dir.OpenFile(name)
		if err != nil {
			return nil
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
		if err != nil {
			return nil
		}
		return ignore.Parse(string(data))
	}
	at := b.rules.prefix
	if b.path != "" {
		at += b.path + "/"
	}
	return b.rules.add(at, read(".gitignore"), read(".ignore"))
}
