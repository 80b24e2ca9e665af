package exttest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/host"
)

// File is one test file.
type File struct {
	Path string // absolute
	// Name is the path relative to the project's root where it lies inside, with
	// forward slashes.
	Name string
	// Extension is the id of the one that it tests. Empty means all of Folder:
	// the file's name is that of none.
	Extension string
	// Folder is the folder with extensions that it was found in.
	Folder string

	root, limit string // as of bundle.Options
	enabled     []string
}

// testName is how the files are called.
var testName = regexp.MustCompile(`\.(test|spec)\.(ts|mts|tsx|js|mjs)$`)

// IsTest reports whether a file of this name is a test file.
func IsTest(name string) bool { return testName.MatchString(filepath.Base(name)) }

// Find lists the test files of the extensions, in a stable order, and what is
// wrong with the folders. A file in the folder of an extension tests that
// extension, and so does NAME.test.ts beside NAME.ts; any other tests all
// extensions of its folder.
func Find(o Options) ([]File, []host.Failure, error) {
	sources, failures, err := host.Sources(host.Options{
		Root: o.Root, UserDir: o.UserDir, Dirs: o.Dirs, Enabled: o.Enabled, Disabled: o.Disabled, Trusted: true,
	})
	if err != nil {
		return nil, nil, err
	}
	root := o.Root
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	byFolder := map[string][]host.Source{}
	for _, s := range sources {
		byFolder[s.Folder] = append(byFolder[s.Folder], s)
	}
	var out []File
	for _, folder := range host.Folders(host.Options{Root: o.Root, UserDir: o.UserDir, Dirs: o.Dirs}) {
		out = append(out, filesOf(folder, root, byFolder[folder])...)
	}
	return out, failures, nil
}

// maxDepth bounds how deep test files are looked for.
const maxDepth = 12

// filesOf finds the test files of one folder with extensions.
func filesOf(folder, root string, sources []host.Source) []File {
	limit := folder
	if inside(folder, root) {
		limit = root
	}
	var enabled []string
	for _, s := range sources {
		if !s.Disabled {
			enabled = append(enabled, s.ID)
		}
	}
	var out []File
	var walk func(dir string, owner *host.Source, depth int)
	walk = func(dir string, owner *host.Source, depth int) {
		entries, err := os.ReadDir(dir)
		if err != nil || depth > maxDepth {
			return
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules":
			case e.IsDir():
				within := owner
				if within == nil {
					within = ownerOf(path, sources)
				}
				walk(path, within, depth+1)
			case e.Type() == fs.FileMode(0) && IsTest(path):
				f := File{Path: path, Name: shown(root, path), Folder: folder, root: folder, limit: limit, enabled: enabled}
				s := owner
				if s == nil && dir == folder {
					s = besideOf(e.Name(), sources)
				}
				if s != nil {
					if s.Disabled {
						continue
					}
					f.Extension, f.enabled, f.limit = s.ID, []string{s.ID}, s.Limit
					if inside(path, s.Dir) {
						f.root = s.Dir
					}
				}
				out = append(out, f)
			}
		}
	}
	walk(folder, nil, 0)
	return out
}

// ownerOf is the extension that a folder is.
func ownerOf(dir string, sources []host.Source) *host.Source {
	for i := range sources {
		if sources[i].Dir == dir && sources[i].Folder != dir {
			return &sources[i]
		}
	}
	return nil
}

// besideOf is the extension that a test file lies beside: of weather.errors.test.ts
// weather.errors, else weather.
func besideOf(name string, sources []host.Source) *host.Source {
	for stem := testName.ReplaceAllString(name, ""); stem != ""; {
		for i := range sources {
			if sources[i].ID == stem {
				return &sources[i]
			}
		}
		cut := strings.LastIndexByte(stem, '.')
		if cut < 0 {
			break
		}
		stem = stem[:cut]
	}
	return nil
}

func inside(path, base string) bool {
	if base == "" {
		return false
	}
	rel, err := filepath.Rel(base, path)
	return err == nil && filepath.IsLocal(rel)
}

func shown(root, path string) string {
	if inside(path, root) {
		rel, _ := filepath.Rel(root, path)
		return filepath.ToSlash(rel)
	}
	return path
}

// Matching keeps the files that one of the patterns matches: a part of the
// file's name, or the id of an extension. No pattern keeps all.
func Matching(files []File, patterns []string) []File {
	if len(patterns) == 0 {
		return files
	}
	var out []File
	for _, f := range files {
		if slices.ContainsFunc(patterns, func(p string) bool {
			p = strings.TrimPrefix(filepath.ToSlash(p), "./")
			return p != "" && (f.Extension == p || strings.Contains(f.Name, p))
		}) {
			out = append(out, f)
		}
	}
	return out
}
