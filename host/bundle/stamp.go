package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Stamps tell whether a build would give something else than before, without
// building. The zero value is ready; it is safe for concurrent use.
type Stamps struct {
	mu   sync.Mutex
	sums map[string]known // of files in packages
}

// known is a file in a package as it was when it was read. There are many of
// them and hardly any ever changes, so those whose time and size are the same
// are not read again.
type known struct {
	info fs.FileInfo
	sum  [sha256.Size]byte
}

// maxListed bounds how many names of one extension's folder are looked at.
const maxListed = 10_000

// Graph is what a build read: the absolute paths of its inputs, sorted, and a
// hash over their names and content.
type Graph struct {
	Inputs  []string
	Content string
}

// Of is a text that is the same as long as a build with the options gives the
// same as the one that read g: over the content of that, the settings that
// decide about imports, and what else the imports could mean by now. For a build
// that failed it is over all names in the root too: what it missed may lie
// anywhere.
//
// It is empty where an input has changed since it was read, so that nobody knows
// which of the two was built.
func (s *Stamps) Of(o Options, g Graph, failed bool) string {
	st := &stamping{stamps: s, opts: o, hash: sha256.New(), dirs: map[string][]string{}, all: failed}
	fmt.Fprintf(st.hash, "%q %q %q %q\n", o.ID, o.Entry, o.Root, o.Limit)
	inputs := g.Inputs
	if len(inputs) == 0 {
		inputs = []string{o.Entry}
	}
	content := sha256.New()
	for _, path := range inputs {
		sum, err := s.sum(path)
		if err != nil && !failed {
			return ""
		}
		addInput(content, path, sum)
		st.climb(path)
	}
	sum := hex.EncodeToString(content.Sum(nil))
	if len(g.Inputs) > 0 && sum != g.Content {
		return ""
	}
	return sum + st.end()
}

func addInput(h hash.Hash, path string, sum [sha256.Size]byte) {
	h.Write([]byte(path))
	h.Write([]byte{0})
	h.Write(sum[:])
}

func (s *Stamps) begin(o Options) *stamping {
	st := &stamping{stamps: s, opts: o, hash: sha256.New(), dirs: map[string][]string{}}
	fmt.Fprintf(st.hash, "%q %q %q %q\n", o.ID, o.Entry, o.Root, o.Limit)
	return st
}

// end adds what the folders say, and gives the stamp.
func (st *stamping) end() string {
	dirs := foldersUp(st.opts)
	for _, dir := range dirs {
		st.visit(dir)
	}
	folders := make([]string, 0, len(st.dirs))
	for dir := range st.dirs {
		folders = append(folders, dir)
	}
	slices.Sort(folders)
	for _, dir := range folders {
		st.folder(dir)
	}
	if st.paths || st.all {
		st.tree()
	}
	return hex.EncodeToString(st.hash.Sum(nil))
}

// stamping is the making of one stamp.
type stamping struct {
	stamps *Stamps
	opts   Options
	hash   hash.Hash
	dirs   map[string][]string // folder → stems of the inputs and folders in it
	paths  bool                // a tsconfig.json maps names to places
	all    bool                // every name in the root counts
}

func (s *stamping) visit(dir string) {
	if _, ok := s.dirs[dir]; !ok {
		s.dirs[dir] = nil
	}
}

// climb notes the folders of a path, each with the name in it: what else could
// be meant by an import begins with that.
func (s *stamping) climb(path string) {
	dirs := foldersUp(s.opts)
	top := dirs[len(dirs)-1]
	for {
		dir := filepath.Dir(path)
		if _, ok := below(top, dir); !ok || dir == path {
			return
		}
		if stem := stemOf(filepath.Base(path)); !slices.Contains(s.dirs[dir], stem) {
			s.dirs[dir] = append(s.dirs[dir], stem)
		}
		path = dir
	}
}

func stemOf(name string) string {
	if i := strings.IndexByte(name, '.'); i > 0 {
		return name[:i]
	}
	return name
}

// folder adds what a folder says about imports: its settings, its packages, and
// the names that could be meant in place of those that were found.
func (s *stamping) folder(dir string) {
	fmt.Fprintf(s.hash, "%q\n", dir)
	s.setting(filepath.Join(dir, "package.json"))
	s.config(filepath.Join(dir, "tsconfig.json"), 0)
	s.config(filepath.Join(dir, "jsconfig.json"), 0)
	packages := filepath.Join(dir, "node_modules")
	s.names(packages, func(name string) bool {
		if strings.HasPrefix(name, "@") {
			s.names(filepath.Join(packages, name), func(inner string) bool {
				s.manifest(filepath.Join(packages, name, inner))
				return true
			})
		}
		s.manifest(filepath.Join(packages, name))
		return true
	})
	if _, inside := below(s.opts.Root, dir); inside || strings.Contains(dir, "node_modules") {
		stems := s.dirs[dir]
		s.names(dir, func(name string) bool { return slices.Contains(stems, stemOf(name)) || name == "index.ts" })
	}
}

// names adds the names in a folder, with where those that are links lead.
func (s *stamping) names(dir string, want func(string) bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if want != nil && !want(e.Name()) {
			continue
		}
		s.entry(dir, e)
	}
}

func (s *stamping) entry(dir string, e fs.DirEntry) {
	target := ""
	if e.Type()&fs.ModeSymlink != 0 {
		target, _ = filepath.EvalSymlinks(filepath.Join(dir, e.Name()))
	}
	fmt.Fprintf(s.hash, "%q %v %q\n", e.Name(), e.Type(), target)
}

// manifest adds when a package's own settings were changed, for a build that
// failed: they may be why.
func (s *stamping) manifest(dir string) {
	if !s.all {
		return
	}
	if info, err := os.Stat(filepath.Join(dir, "package.json")); err == nil {
		fmt.Fprintf(s.hash, "%d %d\n", info.Size(), info.ModTime().UnixNano())
	}
}

func (s *stamping) setting(path string) (text []byte) {
	text, err := readRegular(path)
	if err == nil {
		fmt.Fprintf(s.hash, "%q %x\n", path, sha256.Sum256(text))
	}
	return text
}

// config adds a tsconfig.json and those that it extends.
func (s *stamping) config(path string, depth int) {
	text := s.setting(path)
	s.paths = s.paths || strings.Contains(string(text), `"paths"`) || strings.Contains(string(text), `"baseUrl"`)
	if len(text) > 0 && depth < 8 {
		for _, base := range extended(path) {
			s.config(base, depth+1)
		}
	}
}

// tree adds all names in the root.
func (s *stamping) tree() {
	n := 0
	_ = filepath.WalkDir(s.opts.Root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case e.IsDir() && e.Name() == "node_modules":
			return filepath.SkipDir
		}
		if n++; n > maxListed {
			return filepath.SkipAll
		}
		fmt.Fprintf(s.hash, "%q ", path)
		s.entry(filepath.Dir(path), e)
		return nil
	})
}

// trustAfter is how old a file must be, when it is read, to be taken for the
// same later by its time: what is written within one tick of the clock after
// that has the same time.
const trustAfter = 2 * time.Second

// sum is that of a file's content.
func (s *Stamps) sum(path string) ([sha256.Size]byte, error) {
	inPackage := strings.Contains(path, string(filepath.Separator)+"node_modules"+string(filepath.Separator))
	var info fs.FileInfo
	if inPackage {
		var err error
		if info, err = os.Stat(path); err != nil {
			return [sha256.Size]byte{}, err
		}
		s.mu.Lock()
		k, ok := s.sums[path]
		s.mu.Unlock()
		if ok && os.SameFile(k.info, info) && k.info.Size() == info.Size() && k.info.ModTime().Equal(info.ModTime()) {
			return k.sum, nil
		}
	}
	text, err := readRegular(path)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	sum := sha256.Sum256(text)
	if inPackage && time.Since(info.ModTime()) > trustAfter {
		s.mu.Lock()
		if s.sums == nil || len(s.sums) > maxListed {
			s.sums = map[string]known{}
		}
		s.sums[path] = known{info, sum}
		s.mu.Unlock()
	}
	return sum, nil
}
