package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/suggest"
	"github.com/rho-ext/rho-ext/registry"
)

// Bundled is an extension as a sandbox gets it, and what it consists of.
type Bundled struct {
	Extension string // id
	Path      string // of its entry, relative to the project where it lies inside
	Script    []byte
	// SourceMap is the script's, as other programs read it.
	SourceMap []byte
	Analysis  *bundle.Analysis
	// Took is how long bundling took, Parsed how long the engine then needed to
	// read the script.
	Took, Parsed time.Duration
}

// NoExtensionError says that nothing goes by a name.
type NoExtensionError struct {
	Name  string
	Close []string // names that are like it
	// Failures are of discovery: one of them may be of what was meant.
	Failures []Failure
}

// Error implements error.
func (e *NoExtensionError) Error() string {
	return fmt.Sprintf("there is no extension %q%s", e.Name, suggest.Hint(e.Close...))
}

// Bundle bundles one extension, by its id or its path, and evaluates nothing:
// so it need not be trusted. What is wrong with it is in the failures; the
// error is a [NoExtensionError], or says why no process could be started.
func Bundle(ctx context.Context, o Options, name string) (*Bundled, []Failure, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	if o.Root != "" {
		if o.Root, err = canonical(o.Root); err != nil {
			return nil, nil, fmt.Errorf("project root: %w", err)
		}
	}
	src, failures, err := find(o, name)
	if err != nil || len(failures) > 0 {
		return nil, failures, err
	}
	o.Workers.NoStandby = true
	h := &Host{opts: o}
	if h.factory, h.bundler, err = h.newWorkers(); err != nil {
		return nil, nil, err
	}
	defer func() {
		_ = h.factory.Close()
		if h.bundler != nil {
			_ = h.bundler.Close()
		}
	}()
	return h.bundleOne(ctx, src)
}

func (h *Host) bundleOne(ctx context.Context, src Source) (*Bundled, []Failure, error) {
	opts := h.bundling(src)
	opts.Details = true
	begin := time.Now()
	var b *bundle.Bundle
	var err error
	if h.bundler == nil {
		b, err = bundle.Build(opts)
	} else {
		b, err = h.bundler.Build(ctx, opts)
	}
	took := time.Since(begin)
	var fails *bundle.Failures
	if errors.As(err, &fails) {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		var out []Failure
		p := place{root: h.opts.Root, sources: fails}
		for _, f := range fails.List {
			out = append(out, p.failure(src.ID, f))
		}
		return nil, out, nil
	}
	if err != nil {
		return nil, nil, err
	}
	made := &Bundled{Extension: src.ID, Path: showPath(h.opts.Root, src.Entry), Script: b.Script, SourceMap: b.Map, Took: took}
	if made.Analysis, err = b.Analysis(); err != nil {
		return nil, nil, err
	}
	fail, err := h.parse(ctx, src, b, made)
	if err != nil {
		return nil, nil, err
	}
	if fail != nil {
		return nil, []Failure{place{root: h.opts.Root, sources: b}.failure(src.ID, *fail)}, nil
	}
	return made, nil, nil
}

// parse has the engine read the script, without running it.
func (h *Host) parse(ctx context.Context, src Source, b *bundle.Bundle, made *Bundled) (*wire.Failure, error) {
	sb, err := h.factory.NewSandbox(nobody{})
	if err != nil {
		return nil, err
	}
	defer sb.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, h.opts.LoadTimeout, wire.ErrDeadline)
	defer cancel()
	res, err := sb.Load(ctx, wire.LoadRequest{Extension: src.ID, Script: b.Script, SourceMap: b.SourceMap, ParseOnly: true})
	made.Parsed = res.Parsed
	return res.Failure, err
}

// nobody answers a sandbox that runs nothing.
type nobody struct{}

func (nobody) Do(_ context.Context, req wire.Request) (wire.Response, error) {
	return wire.Response{}, &wire.Error{Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Message: string(req.Op) + " is not possible here"}
}

func (nobody) Read(context.Context, wire.Stream, int) ([]byte, error) {
	return nil, errors.New("there is no such stream")
}

func (nobody) CloseStream(wire.Stream) {}

// find gives the extension of a name, or the one that a path leads to: its file
// or its folder, found by discovery or not.
func find(o Options, name string) (Source, []Failure, error) {
	o.Trusted = true // nothing of it is evaluated
	sources, failures, _ := discover(o)
	path := ""
	if real, err := filepath.EvalSymlinks(name); err == nil && looksLikePath(name) {
		if path, err = filepath.Abs(real); err != nil {
			return Source{}, nil, err
		}
	}
	var ids []string
	for i := len(sources) - 1; i >= 0; i-- { // the last of a name is the one that wins
		s := sources[i]
		if s.ID == name && s.ShadowedBy == "" || path != "" && (s.Entry == path || s.Dir == path && !s.single) {
			return s, nil, nil
		}
		ids = append(ids, s.ID)
	}
	if path != "" {
		src, f := sourceAt(o, path)
		if f != nil {
			f.File = showPath(o.Root, f.File)
			return Source{}, []Failure{*f}, nil
		}
		return src, nil, nil
	}
	var mine []Failure
	for _, f := range failures {
		if f.Extension == name {
			mine = append(mine, f)
		}
	}
	if len(mine) > 0 {
		return Source{}, mine, nil
	}
	return Source{}, nil, &NoExtensionError{Name: name, Close: suggest.Names(name, ids, 1), Failures: failures}
}

// looksLikePath keeps a file that happens to be called as an extension from
// being taken for it.
func looksLikePath(name string) bool {
	return strings.ContainsAny(name, `/\`) || filepath.Ext(name) != ""
}

// sourceAt is an extension in no folder that is searched.
func sourceAt(o Options, path string) (Source, *Failure) {
	id := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	bad := func(message, hint string) (Source, *Failure) {
		return Source{}, &Failure{Extension: id, Stage: wire.StageDiscover, File: path, Message: message, Hint: hint}
	}
	st, err := os.Stat(path)
	if err != nil {
		return bad("cannot read the extension: "+reason(err), "")
	}
	src := Source{ID: id, Scope: ScopeExplicit, Entry: path, Dir: filepath.Dir(path), single: true}
	switch {
	case st.IsDir():
		id = filepath.Base(path)
		entry, f := directoryEntry(path)
		if f != nil {
			f.Extension, f.Stage = id, wire.StageDiscover
			if f.File == "" {
				f.File = path
			}
			return Source{}, f
		}
		if entry == "" {
			return bad("the folder is no extension", `it needs a mod.ts, an index.ts, or a package.json with "main"; to bundle one of several in it, name its file`)
		}
		src.ID, src.Dir, src.Entry, src.single = id, path, entry, false
	case !st.Mode().IsRegular():
		return bad("it is no regular file", "name the file or the folder of an extension")
	case !slices.Contains(entryExtensions, filepath.Ext(path)):
		return bad(fmt.Sprintf("a file with the ending %q is no extension", filepath.Ext(path)), "expected "+strings.Join(entryExtensions, ", "))
	}
	src.Folder, src.Limit = filepath.Dir(path), src.Dir
	if rel, err := filepath.Rel(o.Root, src.Dir); o.Root != "" && err == nil && filepath.IsLocal(rel) {
		src.Limit = o.Root
	}
	return src, nil
}
