package rustdoc

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// The bounds of what is read.
const (
	maxPage   = 32 << 20
	maxCrates = 2000
)

// Root is a folder of pages with an index of what they are about.
type Root struct {
	dir   *os.Root
	Items []Item
	// Crates are the crates that there are pages of.
	Crates []string
}

// Item is something that has a page.
type Item struct {
	Crate string
	Path  string // with the crate, as in std::vec::Vec
	Kind  string // struct, enum, trait, fn, macro, primitive, module, …
	file  string
}

// Open reads the index of a folder. It holds the folder open.
func Open(dir string) (*Root, error) {
	d, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	r := &Root{dir: d}
	if err := r.index(); err != nil {
		_ = d.Close()
		return nil, err
	}
	return r, nil
}

// Close closes the folder.
func (r *Root) Close() error { return r.dir.Close() }

// Stamp tells apart two states of a folder: when it was written to last.
func Stamp(dir string) time.Time {
	var last time.Time
	entries, err := os.ReadDir(dir)
	if err != nil {
		return last
	}
	for _, e := range entries[:min(len(entries), maxCrates)] {
		if st, err := os.Stat(dir + "/" + e.Name() + "/all.html"); err == nil && st.ModTime().After(last) {
			last = st.ModTime()
		}
	}
	return last
}

func (r *Root) index() error {
	top, err := r.dir.Open(".")
	if err != nil {
		return err
	}
	names, err := top.Readdirnames(-1)
	_ = top.Close()
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, crate := range names {
		doc, err := r.parse(crate + "/all.html")
		if err != nil {
			continue // no crate
		}
		if r.Crates = append(r.Crates, crate); len(r.Crates) > maxCrates {
			break
		}
		r.Items = append(r.Items, Item{Crate: crate, Path: crate, Kind: "module", file: crate + "/index.html"})
		modules := map[string]bool{}
		for n := range doc.Descendants() {
			if n.Type != html.ElementNode || n.Data != "a" {
				continue
			}
			if item, ok := itemOf(crate, attr(n, "href")); ok {
				r.Items = append(r.Items, item)
				if i := strings.LastIndex(item.Path, "::"); i > len(crate) {
					modules[item.Path[:i]] = true
				}
			}
		}
		for m := range modules {
			r.Items = append(r.Items, Item{Crate: crate, Path: m, Kind: "module", file: strings.ReplaceAll(m, "::", "/") + "/index.html"})
		}
	}
	if len(r.Crates) == 0 {
		return errors.New("there are no pages of rustdoc in it")
	}
	return nil
}

// itemOf reads the link to an item's page, such as vec/struct.Vec.html.
func itemOf(crate, href string) (Item, bool) {
	if strings.ContainsAny(href, "#:?") || !strings.HasSuffix(href, ".html") || strings.Contains(href, "..") {
		return Item{}, false
	}
	dir, base := path.Split(href)
	kind, rest, ok := strings.Cut(strings.TrimSuffix(base, ".html"), ".")
	if !ok || kind == "" || rest == "" {
		return Item{}, false
	}
	segments := append([]string{crate}, strings.FieldsFunc(dir, func(c rune) bool { return c == '/' })...)
	return Item{Crate: crate, Path: strings.Join(append(segments, rest), "::"), Kind: kind, file: crate + "/" + href}, true
}

func (r *Root) parse(file string) (*html.Node, error) {
	f, err := r.dir.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxPage {
		return nil, fs.ErrInvalid
	}
	return html.Parse(io.LimitReader(f, maxPage))
}

// Found is an item that a query may mean, and what of it.
type Found struct {
	Item
	Member string // a method, variant, field or associated item; empty is the item
	root   *Root
	score  int
}

// kinds are in the order in which one is meant rather than another.
var kinds = []string{"primitive", "struct", "enum", "trait", "union", "fn", "macro", "attr", "derive", "keyword", "module", "type", "constant", "static", "traitalias"}

// first are the crates whose items are meant rather than others of the name.
var first = []string{"std", "core", "alloc"}

// Find lists what a query may mean in some folders, the likeliest first: a name,
// a path, a macro with its !, a method behind its type.
func Find(roots []*Root, query string) []Found {
	segments, macro := split(query)
	if len(segments) == 0 {
		return nil
	}
	found := find(roots, segments, macro, "")
	if len(found) == 0 && len(segments) > 1 {
		last := len(segments) - 1
		found = find(roots, segments[:last], false, segments[last])
	}
	slices.SortStableFunc(found, func(a, b Found) int { return cmp.Compare(a.score, b.score) })
	return found
}

// split takes a query apart, without generic arguments and calls.
func split(query string) (segments []string, macro bool) {
	query = strings.TrimSpace(query)
	query, macro = strings.CutSuffix(strings.TrimSuffix(query, "()"), "!")
	var b strings.Builder
	depth := 0
	for _, c := range query {
		switch {
		case c == '<':
			depth++
		case c == '>' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(c)
		}
	}
	for s := range strings.SplitSeq(strings.ReplaceAll(b.String(), ".", "::"), "::") {
		if s = strings.TrimSpace(s); s != "" {
			segments = append(segments, s)
		}
	}
	return segments, macro
}

func find(roots []*Root, segments []string, macro bool, member string) (out []Found) {
	want := strings.Join(segments, "::")
	for _, r := range roots {
		for _, it := range r.Items {
			if it.Path != want && !strings.HasSuffix(it.Path, "::"+want) || macro && it.Kind != "macro" {
				continue
			}
			parts := strings.Split(it.Path, "::")
			score := 10 * len(parts)
			if i := slices.Index(kinds, it.Kind); i >= 0 {
				score += 4 * i
			} else {
				score += 4 * len(kinds)
			}
			if i := slices.Index(first, it.Crate); i >= 0 {
				score += 5 * i
			} else {
				score += 12
			}
			if n := len(parts); n > 2 && parts[n-2] == strings.ToLower(parts[n-1]) {
				score -= 40 // option::Option rather than others of the name
			}
			if it.Path == want {
				score -= 1000
			}
			out = append(out, Found{Item: it, Member: member, root: r, score: score})
		}
	}
	return out
}

// Names are the last parts of all paths, for suggestions.
func Names(roots []*Root) []string {
	seen := map[string]bool{}
	var out []string
	for _, r := range roots {
		for _, it := range r.Items {
			name := it.Path[strings.LastIndex(it.Path, "::")+1:]
			name = strings.TrimPrefix(name, ":")
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}
