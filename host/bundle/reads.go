package bundle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Reads are the places that [Build] has to read, all by their real paths: what
// a process that builds needs to be allowed. Nothing that lies elsewhere can
// become part of a bundle.
type Reads struct {
	Trees []string // folders, with all that is in them
	Names []string // folders in which only names are looked at, at any depth
	Files []string // single files
}

// settingsFiles are what the bundler looks for in the folders above a module.
var settingsFiles = []string{"package.json", "tsconfig.json", "jsconfig.json", ".pnp.data.json", ".pnp.cjs", ".pnp.js"}

// maxSettings bounds how many settings a chain of "extends" brings in.
const maxSettings = 32

// ReadsOf lists what a build reads, as the folders are now. Settings above the
// limit are not among them: they are not the extension's.
func ReadsOf(o Options) Reads {
	dirs := foldersUp(o)
	top := dirs[len(dirs)-1]
	r := Reads{Trees: []string{o.Root}}
	for _, dir := range packageRoots(o) {
		if !within(r.Trees, dir) {
			r.Trees = append(r.Trees, dir)
		}
	}
	if top != o.Root {
		r.Names = []string{top}
	}
	var settings []string
	for _, tree := range r.Trees {
		for dir := tree; dir != top; {
			dir = filepath.Dir(dir)
			for _, name := range settingsFiles {
				settings = append(settings, filepath.Join(dir, name))
			}
		}
	}
	for _, dir := range dirs {
		settings = append(settings, filepath.Join(dir, "tsconfig.json"), filepath.Join(dir, "jsconfig.json"))
	}
	seen := map[string]bool{}
	for bases := 0; len(settings) > 0; settings = settings[1:] {
		path := settings[0]
		if seen[path] {
			continue
		}
		seen[path] = true
		real, err := filepath.EvalSymlinks(path)
		if _, ok := below(top, real); err != nil || !ok {
			continue
		}
		if !within(r.Trees, real) && !slices.Contains(r.Files, real) {
			r.Files = append(r.Files, real)
		}
		if base := filepath.Base(path); bases < maxSettings && base != "package.json" && !strings.HasPrefix(base, ".pnp.") {
			more := extended(real)
			settings, bases = append(settings, more...), bases+len(more)
		}
	}
	slices.Sort(r.Trees)
	slices.Sort(r.Files)
	return r
}

func within(trees []string, path string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool {
		_, ok := below(tree, path)
		return ok
	})
}

// extends finds the member in JSON with comments. A comment that looks like one
// names a file too many, which does no harm.
var extends = regexp.MustCompile(`"extends"\s*:\s*("[^"\n]*"|\[[^\]]*\])`)
var text = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)

// extended are the files that a tsconfig.json names as its base. Those in
// packages need no mention.
func extended(path string) (out []string) {
	data, err := readRegular(path)
	if err != nil {
		return nil
	}
	for _, m := range extends.FindAllSubmatch(data, 4) {
		for _, lit := range text.FindAll(m[1], 8) {
			var name string
			if json.Unmarshal(lit, &name) != nil || !strings.HasPrefix(name, ".") {
				continue
			}
			base := filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
			if filepath.Ext(base) != ".json" {
				base += ".json"
			}
			out = append(out, base)
		}
	}
	return out
}

// readRegular reads a file that is one, and no larger than a module may be.
func readRegular(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err == nil && (!st.Mode().IsRegular() || st.Size() > maxFile) {
		err = os.ErrInvalid
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
