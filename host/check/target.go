package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/internal/dirs"
)

// target is what the report is about. The zero value is everything.
type target struct {
	id     string // of one extension, by its name alone
	path   string // an extension's module or folder, without symbolic links
	folder string // a folder with extensions, likewise
}

func (t target) all() bool { return t == target{} }

func (t target) wants(s host.Source) bool {
	switch {
	case t.id != "":
		return s.ID == t.id
	case t.folder != "":
		return s.Folder == t.folder
	case t.path != "":
		return s.Entry == t.path || s.Dir == t.path || inside(s.Dir, t.path) && s.Dir != s.Folder
	}
	return true
}

// wantsFile reports whether something in a folder with extensions is asked for.
func (t target) wantsFile(folder, path string) bool {
	switch {
	case t.id != "":
		return false
	case t.folder != "":
		return t.folder == folder
	case t.path != "":
		return t.path == path
	}
	return true
}

// folder is one with extensions.
type folder struct {
	path  string // without symbolic links
	scope host.Scope
}

// foldersOf lists the folders that a host looks into.
func foldersOf(o host.Options, root string) (out []folder) {
	add := func(dir string, scope host.Scope) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			if real, err = filepath.Abs(real); err == nil {
				out = append(out, folder{real, scope})
			}
		}
	}
	switch {
	case o.UserDir == "-":
	case o.UserDir != "":
		add(o.UserDir, host.ScopeUser)
	default:
		if home := dirs.Home(); home != "" {
			add(filepath.Join(home, "extensions"), host.ScopeUser)
		}
	}
	if root != "" {
		add(filepath.Join(root, ".rho", "extensions"), host.ScopeProject)
	}
	for _, dir := range o.Dirs {
		add(dir, host.ScopeExplicit)
	}
	return out
}

// targetOf finds out what Options.Path names. A folder that the host would not
// look into is added to those that it does, where it lies in the project.
func targetOf(o *Options) (target, error) {
	p := o.Path
	if p == "" {
		return target{}, nil
	}
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		if filepath.IsAbs(p) || strings.ContainsAny(p, `/\`) {
			return target{}, &PathError{p + " does not exist"}
		}
		return target{id: p}, nil
	}
	if !filepath.IsAbs(p) && !strings.ContainsAny(p, `/\.`) && o.has(p) {
		return target{id: p}, nil // a folder of that name may lie here as well
	}
	if real, err = filepath.Abs(real); err != nil {
		return target{}, &PathError{err.Error()}
	}
	st, err := os.Stat(real)
	if err != nil {
		return target{}, &PathError{p + ": " + err.Error()}
	}
	for _, f := range foldersOf(o.Host, o.Host.Root) {
		switch {
		case f.path == real:
			return target{folder: real}, nil
		case inside(real, f.path):
			return target{path: real}, nil
		}
	}
	if o.Host.Root == "" || !inside(real, o.Host.Root) {
		return target{}, &PathError{p + " lies outside the project " + o.Host.Root + "; name its folder with --extensions, or its project with --root"}
	}
	if rho := filepath.Join(o.Host.Root, ".rho", "extensions"); st.IsDir() && inside(rho, real) {
		return target{folder: rho}, nil // the project, or its .rho
	}
	dir, id := filepath.Dir(real), filepath.Base(real)
	if st.IsDir() && !isExtension(real) {
		o.Host.Dirs = append(slices.Clone(o.Host.Dirs), real)
		return target{folder: real}, nil
	}
	if real == o.Host.Root {
		return target{}, &PathError{p + " is the project itself; name an extension, or a folder with some"}
	}
	// One alone: what lies beside it need not be extensions.
	o.Host.Dirs = append(slices.Clone(o.Host.Dirs), dir)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if stem := stemOf(e.Name()); stem != stemOf(id) {
			o.Host.Disabled = append(slices.Clone(o.Host.Disabled), stem)
		}
	}
	return target{path: real}, nil
}

// has reports whether there is an extension of an id in the folders.
func (o *Options) has(id string) bool {
	for _, f := range foldersOf(o.Host, o.Host.Root) {
		entries, _ := os.ReadDir(f.path)
		if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return stemOf(e.Name()) == id }) {
			return true
		}
	}
	return false
}

var endings = []string{".ts", ".js", ".mts", ".mjs", ".tsx"}

func stemOf(name string) string {
	if ext := filepath.Ext(name); slices.Contains(endings, ext) {
		return strings.TrimSuffix(name, ext)
	}
	return name
}

// isExtension reports whether a folder is one extension.
func isExtension(dir string) bool {
	for _, name := range []string{"mod.ts", "index.ts"} {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil && st.Mode().IsRegular() {
			return true
		}
	}
	return false
}

func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
