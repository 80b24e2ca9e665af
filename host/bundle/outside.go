package bundle

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/rho-ext/rho-ext/host/wire"
)

// outside finds the file behind an import that could not be resolved because it
// lies where nothing may be read from, so that the message says that and not
// that it is missing. Whether the bundler itself gets that far depends on what
// its process may open; to look at a name it need not open anything.
func (l *loader) outside(spec, importer string) *api.Message {
	dir := filepath.Dir(pathOf(l.opts.Root, importer))
	if importer == "" || strings.HasPrefix(importer, virtualPrefix) {
		dir = l.opts.Root
	}
	var real string
	switch path := filepath.FromSlash(spec); {
	case filepath.IsAbs(path):
		real = existing(path)
	case strings.HasPrefix(spec, "."):
		real = existing(filepath.Join(dir, path))
	default:
		for real = existing(filepath.Join(dir, "node_modules", path)); real == "" && dir != filepath.Dir(dir); {
			dir = filepath.Dir(dir)
			real = existing(filepath.Join(dir, "node_modules", path))
		}
	}
	if real == "" || within(append([]string{l.opts.Root}, l.roots...), real) {
		return nil
	}
	return l.leaves(l.name(real))
}

// existing is the real path of the module that an import of a path means, or
// "".
func existing(path string) string {
	names := []string{path}
	for _, ext := range resolveExtensions {
		names = append(names, path+ext)
	}
	for _, ext := range resolveExtensions {
		names = append(names, filepath.Join(path, "index"+ext))
	}
	for _, name := range names {
		if st, err := os.Stat(name); err == nil && !st.IsDir() {
			return evaluated(name)
		}
	}
	if _, err := os.Stat(filepath.Join(path, "package.json")); err == nil {
		return evaluated(path)
	}
	return ""
}

func evaluated(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return real
}

// unreadable reports whether a message only says that something could not be
// opened on the way to a module, which another message is about.
func unreadable(m api.Message, all []api.Message) bool {
	return isUnreadable(m) && slices.ContainsFunc(all, func(o api.Message) bool { return !isUnreadable(o) })
}

func isUnreadable(m api.Message) bool {
	return m.Location == nil && (strings.HasPrefix(m.Text, "Cannot read file ") || strings.HasPrefix(m.Text, "Cannot read directory "))
}

// leaves is the message of an import that leaves the extension.
func (l *loader) leaves(name string) *api.Message {
	return problem(wire.StageResolve,
		"move the file into the extension's own folder, or make it a package in node_modules",
		"%s is outside the extension: imports may not leave %s", name, l.opts.Root)
}
