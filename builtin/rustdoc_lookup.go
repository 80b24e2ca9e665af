package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/internal/proc"
	"github.com/rho-ext/rho-ext/internal/rustdoc"
	"github.com/rho-ext/rho-ext/internal/suggest"
	"github.com/rho-ext/rho-ext/registry"
)

//go:embed rustdoc_lookup.md
var rustdocDescription string

type rustdocArgs struct {
	Query   string `json:"query" description:"A name, path, method, macro, module or primitive" min:"1" max:"300"`
	Section string `json:"section,omitempty" description:"The part to show" enum:"all,methods,traits,examples,signature" default:"all"`
}

// rustdocLookup is the tool rustdoc_lookup. It only reads: the one program that
// it starts, rustc, tells where its pages are.
type rustdocLookup struct {
	registry.Tool
	p *programs

	mu      sync.Mutex
	sysroot string
	asked   bool
	open    map[string]*rustdocFolder
}

type rustdocFolder struct {
	root  *rustdoc.Root
	stamp time.Time
}

func newRustdocLookup(p *programs) *rustdocLookup {
	t := &rustdocLookup{p: p, open: map[string]*rustdocFolder{}}
	t.Tool = registry.MustTool(registry.TypedOptions{
		Name: "rustdoc_lookup", Description: strings.TrimSpace(rustdocDescription), Risk: registry.Read,
		Info: registry.Info{Title: "Rust documentation", Kind: registry.KindRead, Examples: []registry.Example{
			{Args: json.RawMessage(`{"query":"Option::map"}`)},
			{Args: json.RawMessage(`{"query":"std::collections::HashMap","section":"methods"}`)},
		}},
	}, t.call)
	return t
}

// Unwrap implements registry.Unwrapper.
func (t *rustdocLookup) Unwrap() registry.Tool { return t.Tool }

// Close closes the folders.
func (t *rustdocLookup) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for dir, f := range t.open {
		errs = append(errs, f.root.Close())
		delete(t.open, dir)
	}
	return errors.Join(errs...)
}

func (t *rustdocLookup) call(ctx context.Context, a rustdocArgs) (string, error) {
	// One call at a time: pages are read fast, and folders must not be closed
	// under another call.
	t.mu.Lock()
	defer t.mu.Unlock()
	roots := t.roots(ctx)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if len(roots) == 0 {
		f := registry.NewFailure(registry.KindNotFound, "there are no Rust documentation pages on this machine: install them with `rustup component add rust-docs` "+
			"or the package rust-doc of your system, and write those of this project with `cargo doc`")
		f.Code = "docs_missing"
		return "", f
	}
	found := rustdoc.Find(roots, a.Query)
	if len(found) == 0 {
		name := a.Query[strings.LastIndexAny(a.Query, ":")+1:]
		f := registry.NewFailure(registry.KindNotFound, fmt.Sprintf("there is no page about %q%s", a.Query, suggest.Hint(suggest.Names(strings.TrimSuffix(name, "!"), rustdoc.Names(roots), 3)...)))
		f.Code = "no_such_item"
		return "", f
	}
	return t.show(ctx, found, a)
}

// show shows the likeliest item that has what was asked for.
func (t *rustdocLookup) show(ctx context.Context, found []rustdoc.Found, a rustdocArgs) (string, error) {
	var names []string
	for i, f := range found[:min(len(found), 8)] {
		page, err := f.Read()
		if err != nil {
			if i == len(found)-1 {
				return "", registry.Failuref(registry.KindOther, "the page about %s cannot be read: %w", f.Path, err)
			}
			continue
		}
		text, err := page.Markdown(a.Section)
		if errors.Is(err, rustdoc.ErrNoMember) {
			if names == nil {
				names = page.Members()
			}
			continue
		}
		if err != nil {
			return "", registry.Failuref(registry.KindOther, "the page about %s cannot be read: %w", f.Path, err)
		}
		if text == "" {
			text = map[string]string{rustdoc.Examples: "No code examples found."}[a.Section]
			if text == "" {
				text = "No matching section found."
			}
		}
		title := f.Kind + " " + f.Path
		if f.Member != "" {
			title = f.Path + "::" + f.Member
		}
		var others []string
		for _, o := range found {
			if o.Path != f.Path && !slices.Contains(others, o.Path) && len(others) < 5 {
				others = append(others, o.Path)
			}
		}
		also := ""
		if len(others) > 0 {
			also = "\n\n[others of that name: " + strings.Join(others, ", ") + "]"
		}
		text, _ = clip(text, budgetOf(registry.CallFrom(ctx))-headerRoom-len(title)-len(also), "; ask for one section")
		return "# " + title + "\n\n" + text + also, nil
	}
	last := found[0].Member
	f := registry.NewFailure(registry.KindNotFound, fmt.Sprintf("%s has no %q%s; the section methods lists what it has", found[0].Path, last, suggest.Hint(suggest.Names(last, names, 3)...)))
	f.Code = "no_such_item"
	return "", f
}

// roots are the folders with pages, those of the project last.
func (t *rustdocLookup) roots(ctx context.Context) (out []*rustdoc.Root) {
	for _, dir := range t.dirs(ctx) {
		stamp := rustdoc.Stamp(dir)
		if f := t.open[dir]; f != nil {
			if f.stamp.Equal(stamp) {
				out = append(out, f.root)
				continue
			}
			_ = f.root.Close()
			delete(t.open, dir)
		}
		if stamp.IsZero() {
			continue
		}
		if r, err := rustdoc.Open(dir); err == nil {
			t.open[dir] = &rustdocFolder{r, stamp}
			out = append(out, r)
		}
	}
	return out
}

// dirs are the folders where pages may be. Of those of the standard library the
// first that there is counts.
func (t *rustdocLookup) dirs(ctx context.Context) []string {
	dirs := slices.Clone(t.p.o.RustDocs)
	if !t.asked {
		res, _ := t.p.run(ctx, proc.Command{Path: "rustc", Args: []string{"--print", "sysroot"}, Dir: topDir(), Timeout: 10 * time.Second, Grace: commandGrace})
		if ctx.Err() != nil {
			return nil
		}
		t.asked = true
		if res != nil && res.ExitCode == 0 {
			t.sysroot = strings.TrimSpace(res.Stdout.String())
		}
	}
	std := []string{"/usr/share/doc/rust-doc/html", "/usr/share/doc/rust/html"}
	if t.sysroot != "" {
		std = append([]string{filepath.Join(t.sysroot, "share", "doc", "rust", "html")}, std...)
	}
	for _, dir := range std {
		if _, err := os.Stat(filepath.Join(dir, "std", "all.html")); err == nil {
			dirs = append(dirs, dir)
			break
		}
	}
	if info, rel, err := t.p.jail.Stat("target/doc"); err == nil && info.IsDir() && !filepath.IsAbs(rel) {
		dirs = append(dirs, filepath.Join(t.p.jail.Root(), filepath.FromSlash(rel)))
	}
	return dirs
}
