package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/rho-ext/rho-ext/host/wire"
)

// Options say what to bundle. Entry, Root and Limit are absolute paths without
// symbolic links.
type Options struct {
	ID    string // the extension's id, for import.meta.url
	Entry string // the module whose default export is the manifest
	Root  string // imports of files must stay below it
	// Limit is the highest folder whose node_modules may serve imports:
	// node_modules is looked for in Root and upward to Limit. Where Limit does
	// not hold Root, only Root's own counts.
	Limit string
	// Modules are virtual modules: what an import names, and its source.
	Modules map[string]string
	// Timeout bounds the work, which a few bytes of source can make endless;
	// zero means no bound. What runs too long is left behind.
	Timeout time.Duration
	// Again says that the same is built again and again: whoever builds keeps
	// what was parsed, see [Builder].
	Again bool
	// Details says that a person wants to know what the bundle consists of: it
	// then has Meta and Map.
	Details bool
}

// Bundle is the result of [Build].
type Bundle struct {
	Script    []byte
	SourceMap []byte
	// Hash changes when Script, SourceMap or Inputs do.
	Hash string
	// Graph is what went in.
	Graph
	// Meta is what [Bundle.Analysis] reads, and Map the source map as other
	// programs read them, with the sources in it. See [Options.Details].
	Meta, Map []byte

	root    string
	sources map[string]string // name in the source map → text, for the extension's own files
	aliases map[string]string // stand-in name in the source map → real name
}

// Path is the absolute path of a file that the source map or a failure names,
// or "" for a virtual module.
func (b *Bundle) Path(name string) string {
	if real, ok := b.aliases[name]; ok {
		name = real
	}
	return pathOf(b.root, name)
}

func pathOf(root, name string) string {
	if name == "" || strings.HasPrefix(name, virtualPrefix) {
		return ""
	}
	if p := filepath.FromSlash(name); filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(root, filepath.FromSlash(name))
}

// Source is the text of a file that went into the bundle. Packages are read
// again; nothing else is, whatever the name is.
func (b *Bundle) Source(name string) (text string, ok bool) {
	if real, ok := b.aliases[name]; ok {
		name = real
	}
	if text, ok := b.sources[name]; ok {
		return text, true
	}
	path := pathOf(b.root, name)
	if !slices.Contains(b.Inputs, path) || evaluated(path) != path {
		return "", false
	}
	data, err := readRegular(path)
	return string(data), err == nil
}

// Own are the names of the files that went in and belong to no package, sorted.
func (b *Bundle) Own() []string {
	names := slices.Collect(maps.Keys(b.sources))
	for alias, real := range b.aliases {
		if _, ok := b.sources[real]; ok {
			names = append(names, alias)
		}
	}
	slices.Sort(names)
	return names
}

// Build bundles one extension. An error is always a [*Failures].
func Build(o Options) (*Bundle, error) {
	if f := oddSettings(o); f != nil {
		return nil, &Failures{List: []wire.Failure{*f}, root: o.Root}
	}
	l := newLoader(o)
	done := make(chan api.BuildResult, 1)
	go func() { done <- api.Build(buildOptions(o, func() *loader { return l })) }()
	select {
	case result := <-done:
		return finish(o, l, result)
	case <-after(o.Timeout):
		f := Late(o)
		f.Unfinished, f.Graph = true, l.graph()
		return nil, f
	}
}

func newLoader(o Options) *loader {
	return &loader{opts: o, roots: packageRoots(o), sources: map[string]string{}}
}

// finish makes a bundle of what the bundler gave.
func finish(o Options, l *loader, result api.BuildResult) (*Bundle, error) {
	for _, m := range result.Warnings {
		if nothingExported(m) {
			result.Errors = append(result.Errors, m)
		}
	}
	if len(result.Errors) > 0 {
		list := l.failures(result.Errors)
		return nil, &Failures{List: list, Sources: l.shown(list), Graph: l.graph(), root: o.Root}
	}
	b := &Bundle{root: o.Root, sources: l.sources, Graph: l.graph()}
	for _, f := range result.OutputFiles {
		if strings.HasSuffix(f.Path, ".map") {
			b.SourceMap = f.Contents
		} else if strings.HasSuffix(f.Path, ".js") {
			b.Script = f.Contents
		}
	}
	if o.Details {
		b.Meta, b.Map = []byte(result.Metafile), b.SourceMap
	}
	var err error
	if b.SourceMap, b.aliases, err = adaptMap(b.SourceMap, b.Script); err != nil {
		return nil, Broken(o, "the source map cannot be read: "+err.Error(), "")
	}
	b.Hash = b.hash(l)
	return b, nil
}

func (b *Bundle) hash(l *loader) string {
	h := sha256.New()
	h.Write(b.Script)
	h.Write([]byte{0})
	h.Write(b.SourceMap)
	for _, p := range b.Inputs {
		h.Write([]byte(p))
		sum := l.sums[p]
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// loader reads every input, checks where it lies and remembers what it read.
// esbuild calls it from several goroutines.
type loader struct {
	opts     Options
	roots    []string
	packages *packageFiles // nil: nothing is kept

	mu      sync.Mutex
	sources map[string]string
	sums    map[string][sha256.Size]byte
}

func (l *loader) remember(path string, text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sums == nil {
		l.sums = map[string][sha256.Size]byte{}
	}
	l.sums[path] = sha256.Sum256(text)
	// Packages are read again when an error points into one; keeping them
	// would cost megabytes for nothing.
	if rel, ok := below(l.opts.Root, path); ok && !strings.Contains(rel, "node_modules"+string(filepath.Separator)) {
		l.sources[filepath.ToSlash(rel)] = string(text)
	}
}

// miss notes an input that could not be read.
func (l *loader) miss(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sums == nil {
		l.sums = map[string][sha256.Size]byte{}
	}
	l.sums[path] = [sha256.Size]byte{}
}

// graph is what was read so far.
func (l *loader) graph() Graph {
	l.mu.Lock()
	defer l.mu.Unlock()
	var g Graph
	for p := range l.sums {
		g.Inputs = append(g.Inputs, p)
	}
	sort.Strings(g.Inputs)
	content := sha256.New()
	for _, path := range g.Inputs {
		addInput(content, path, l.sums[path])
	}
	g.Content = hex.EncodeToString(content.Sum(nil))
	return g
}

// oddSettings refuses settings that the bundler would read by itself, and would
// wait for or choke on: a pipe, a link to a device.
func oddSettings(o Options) *wire.Failure {
	for _, dir := range foldersUp(o) {
		for _, name := range []string{"package.json", "tsconfig.json"} {
			path := filepath.Join(dir, name)
			st, err := os.Stat(path)
			if err == nil && !st.IsDir() && (!st.Mode().IsRegular() || st.Size() > maxFile) {
				return &wire.Failure{Stage: wire.StageResolve, Position: wire.Position{File: filepath.ToSlash(path)},
					Message: name + " is no regular file, or too large", Hint: "replace it"}
			}
		}
	}
	return nil
}

// packageRoots are the node_modules folders that may serve imports, by their
// real paths. One that is a link to somewhere above Limit does not count: it
// would open any folder of the machine.
func packageRoots(o Options) []string {
	var out []string
	dirs := foldersUp(o)
	for _, dir := range dirs {
		if real, err := filepath.EvalSymlinks(filepath.Join(dir, "node_modules")); err == nil {
			if rel, ok := below(dirs[len(dirs)-1], real); ok && rel != "." {
				out = append(out, real)
			}
		}
	}
	return out
}

// foldersUp are Root and the folders above it, up to Limit.
func foldersUp(o Options) []string {
	dirs := []string{o.Root}
	if _, ok := below(o.Limit, o.Root); !ok {
		return dirs
	}
	for dir := o.Root; dir != o.Limit; {
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	return dirs
}

// below gives path relative to dir when it lies in dir or is dir.
func below(dir, path string) (string, bool) {
	if dir == "" {
		return "", false
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return rel, true
}
