package host

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLinks bounds the links on the way of one path.
const maxLinks = 40

// stations are the places that decide where a path leads: each link on its way,
// the outermost first, and its end. Of what does not exist the name counts.
func stations(path string) (out []string) {
	top := filepath.VolumeName(path) + string(filepath.Separator)
	at, rest := top, names(path)
	for links := 0; len(rest) > 0; {
		next := filepath.Join(at, rest[0])
		rest = rest[1:]
		target, err := os.Readlink(next)
		if err != nil || links == maxLinks {
			at = next
			continue
		}
		links++
		out = append(out, next)
		if filepath.IsAbs(target) {
			at = top
		}
		rest = append(names(target), rest...)
	}
	return append(out, at)
}

// names cuts a path into its components.
func names(path string) []string {
	path = path[len(filepath.VolumeName(path)):]
	return strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}

// innermost is the longest of the places that a path is or lies below, or
// nothing.
func innermost(path string, places []string) (found string) {
	for _, p := range places {
		if len(p) > len(found) && insideOf(path, p) {
			found = p
		}
	}
	return found
}

// existingDir is the nearest directory that there is, of a path and those above.
func existingDir(p string) string {
	for {
		if st, err := os.Stat(p); err == nil && st.IsDir() {
			return p
		}
		parent := filepath.Dir(p)
		if parent == p {
			return p
		}
		p = parent
	}
}

// insideOf reports whether an absolute path is base or below it.
func insideOf(p, base string) bool {
	rel, err := filepath.Rel(base, p)
	return err == nil && filepath.IsLocal(rel)
}

// upTo cuts a path after the first component of a name.
func upTo(path, name string) string {
	parts := strings.Split(path, string(filepath.Separator))
	if i := slices.Index(parts, name); i >= 0 {
		return strings.Join(parts[:i+1], string(filepath.Separator))
	}
	return ""
}

// realPlace is where a path leads, as far as it exists.
func realPlace(root, path string) string {
	p := filepath.FromSlash(path)
	if !filepath.IsAbs(p) {
		p = filepath.Join(root, p)
	}
	rest := ""
	for dir := filepath.Clean(p); ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return filepath.Clean(p)
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = parent
	}
}

// asGiven is a path as the code wrote it, made plain.
func asGiven(path string) string {
	given := filepath.ToSlash(filepath.Clean(filepath.FromSlash(path)))
	if given[0] == '~' && path[0] != '~' {
		return "./" + given // it is not the home directory
	}
	return given
}

// stays reports whether a place is, or holds, one that decides about extensions.
// To move it would put something else there.
func (f *files) stays(real string) bool {
	holds := func(p string) bool { return insideOf(p, real) }
	return slices.ContainsFunc(f.own, holds) || slices.ContainsFunc(f.code(), holds)
}

// noteCode notes where extensions are: their folders, and what links in those
// lead to.
func (h *Host) noteCode(sources []Source) {
	var out []string
	folders := append([]string{h.opts.UserDir}, h.opts.Dirs...)
	if h.opts.Root != "" {
		folders = append(folders, filepath.Join(h.opts.Root, ".rho", "extensions"))
	}
	for _, dir := range folders {
		if dir != "" {
			out = append(out, stations(absolutePath(dir))...)
		}
	}
	for _, s := range sources {
		switch {
		case insideOf(s.Entry, s.Folder):
		case s.single:
			out = append(out, s.Entry)
		default:
			out = append(out, s.Dir)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	h.code.Store(&out)
}
