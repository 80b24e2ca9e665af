package builtin

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rho-ext/rho-ext/internal/ignore"
)

// maxIgnoreFile is how large an ignore file may be.
const maxIgnoreFile = 1 << 20

// excludes are the rules of git that lie outside of what a tool may read: the
// user's own, the repository's, and those of the folders above the project in
// the same repository. They are read once.
type excludes struct {
	root string // absolute, links resolved
	once sync.Once
	base *rules
}

// start gives the rules that hold at the project's root.
func (e *excludes) start() *rules {
	e.once.Do(func() {
		top := e.repository()
		if top == "" {
			e.base = (&rules{}).add("", parseFile(globalExcludes()), nil)
			return
		}
		rel, _ := filepath.Rel(top, e.root)
		prefix := ""
		if rel != "." {
			prefix = filepath.ToSlash(rel) + "/"
		}
		e.base = (&rules{prefix: prefix}).add("", parseFile(globalExcludes()), nil)
		e.base = e.base.add("", parseFile(filepath.Join(top, ".git", "info", "exclude")), nil)
		dir := top
		for _, name := range strings.Split(strings.TrimSuffix(prefix, "/"), "/") {
			if name == "" {
				break
			}
			at, _ := filepath.Rel(top, dir)
			if at = filepath.ToSlash(at) + "/"; at == "./" {
				at = ""
			}
			e.base = e.base.add(at, parseFile(filepath.Join(dir, ".gitignore")), parseFile(filepath.Join(dir, ".ignore")))
			dir = filepath.Join(dir, name)
		}
	})
	return e.base
}

// repository is the top of the git repository that the root is in, or empty.
func (e *excludes) repository() string {
	for dir := e.root; ; {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// globalExcludes is the place of the user's own ignore file.
func globalExcludes() string {
	home, _ := os.UserHomeDir()
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	for _, file := range []string{filepath.Join(home, ".gitconfig"), filepath.Join(config, "git", "config")} {
		if p := excludesFile(readSome(file)); p != "" {
			if rest, ok := strings.CutPrefix(p, "~/"); ok {
				p = filepath.Join(home, rest)
			}
			return p
		}
	}
	return filepath.Join(config, "git", "ignore")
}

// excludesFile finds core.excludesFile in a configuration of git.
func excludesFile(config string) string {
	core, found := false, ""
	for line := range strings.Lines(config) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			core = strings.EqualFold(line, "[core]")
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if core && ok && strings.EqualFold(strings.TrimSpace(key), "excludesfile") {
			found = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return found
}

func parseFile(name string) *ignore.Rules { return ignore.Parse(readSome(name)) }

// readSome reads a small regular file; without one it is empty.
func readSome(name string) string {
	if !filepath.IsAbs(name) {
		return ""
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return ""
	}
	return string(data)
}

// rules are all ignore files that hold in a directory, the innermost first. They
// are shared and never changed.
type rules struct {
	up     *rules
	at     string // where the files lie, from the top of the repository, with a slash at the end
	prefix string // of the root, from that top
	git    *ignore.Rules
	own    *ignore.Rules // .ignore, which comes first
}

// add gives the rules of a directory below.
func (r *rules) add(at string, git, own *ignore.Rules) *rules {
	if git == nil && own == nil {
		return r
	}
	return &rules{up: r, at: at, prefix: r.prefix, git: git, own: own}
}

// ignored reports whether a path, relative to the root, is left out.
func (r *rules) ignored(path, base string, dir bool) bool {
	if r.up == nil && r.git == nil && r.own == nil {
		return false
	}
	if r.prefix != "" {
		path = r.prefix + path
	}
	for _, own := range [2]bool{true, false} {
		for at := r; at != nil; at = at.up {
			set := at.git
			if own {
				set = at.own
			}
			if set == nil {
				continue
			}
			if v := set.Match(path[len(at.at):], base, dir); v != ignore.None {
				return v == ignore.Ignore
			}
		}
	}
	return false
}
