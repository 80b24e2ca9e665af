package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/frame"
)

// Scope is where an extension was found.
type Scope string

// The scopes, in the order of precedence: a later one wins.
const (
	ScopeUser     Scope = "user"     // the user's own folder
	ScopeProject  Scope = "project"  // the project's .rho/extensions
	ScopeExplicit Scope = "explicit" // a folder that was named
)

// Source is an extension on disk.
type Source struct {
	ID    string // file stem or folder name
	Scope Scope
	Entry string // the module that holds the manifest; absolute, without symbolic links
	Dir   string // what is the extension's own: its folder, or the folder its file is in
	// Folder is the folder with extensions in which it was found, without
	// symbolic links.
	Folder string
	// Untrusted says that it is the project's own, and the user has not said
	// that it may be evaluated.
	Untrusted bool
	// Limit is how far up node_modules may be looked for.
	Limit string
	// ShadowedBy is the path of the extension that won the name, or empty.
	ShadowedBy string
	// Disabled says that the options leave it out.
	Disabled bool

	single bool // it is one file
}

var entryExtensions = []string{".ts", ".js", ".mts", ".mjs", ".tsx"}

// unread says what cannot be looked at now, and so is not known to be gone.
type unread struct {
	scopes map[Scope]bool    // of whole folders
	one    map[unreadID]bool // of single extensions
}

type unreadID struct {
	scope Scope
	id    string
}

func (u unread) holds(s Source) bool { return u.scopes[s.Scope] || u.one[unreadID{s.Scope, s.ID}] }

// discover finds all extensions, in the order of their folders and then by
// name. A folder that does not exist is no failure, one that cannot be read is.
func discover(o Options) ([]Source, []Failure, unread) {
	var all []Source
	var failures []Failure
	not := unread{scopes: map[Scope]bool{}, one: map[unreadID]bool{}}
	add := func(dir string, scope Scope, must bool) {
		found, failed, ok := discoverDir(dir, scope, o.codeRoot(), must)
		for i := range found {
			found[i].Disabled = o.disables(found[i].ID)
			found[i].Untrusted = scope == ScopeProject && !o.Trusted
		}
		all = append(all, found...)
		if !ok {
			failures = append(failures, failed...)
			not.scopes[scope] = true
			return
		}
		for _, f := range failed {
			not.one[unreadID{scope, f.Extension}] = true
			if !o.disables(f.Extension) {
				failures = append(failures, f)
			}
		}
	}
	if o.UserDir != "" {
		add(o.UserDir, ScopeUser, false)
	}
	if o.Root != "" {
		add(filepath.Join(o.Root, ".rho", "extensions"), ScopeProject, false)
	}
	for i, dir := range o.Dirs {
		if !namedAgain(dir, o.Dirs[i+1:]) {
			add(dir, ScopeExplicit, true)
		}
	}
	for i := range failures {
		failures[i].File = showPath(o.codeRoot(), failures[i].File)
	}
	winner := map[string]string{}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Untrusted {
			continue // it must not take the place of one that may run
		}
		if w, ok := winner[all[i].ID]; ok {
			all[i].ShadowedBy = w
		} else {
			winner[all[i].ID] = all[i].Entry
		}
	}
	return all, failures, not
}

// namedAgain reports whether a folder comes once more, where it counts.
func namedAgain(dir string, later []string) bool {
	real, err := canonical(dir)
	return err == nil && slices.ContainsFunc(later, func(other string) bool {
		o, err := canonical(other)
		return err == nil && o == real
	})
}

// discoverDir looks into one folder. It reports false when it could not.
func discoverDir(dir string, scope Scope, root string, must bool) ([]Source, []Failure, bool) {
	real, err := canonical(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && !must {
			return nil, nil, true
		}
		return nil, []Failure{{Extension: filepath.Base(dir), Stage: wire.StageDiscover, File: dir,
			Message: "cannot read the extension folder: " + reason(err), Hint: "check the path and its permissions"}}, false
	}
	entries, err := os.ReadDir(real)
	if err != nil {
		return nil, []Failure{{Extension: filepath.Base(dir), Stage: wire.StageDiscover, File: dir,
			Message: "cannot read the extension folder: " + reason(err), Hint: "check its permissions"}}, false
	}
	limit := real
	if rel, err := filepath.Rel(root, real); root != "" && err == nil && filepath.IsLocal(rel) {
		limit = root
	}
	var out []Source
	var failures []Failure
	for _, e := range entries { // ReadDir sorts: a.ts comes after a/, and wins
		id, ok := extensionID(e.Name())
		if !ok {
			continue
		}
		src := Source{ID: id, Scope: scope, Folder: real, Limit: limit}
		path := filepath.Join(real, e.Name())
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			failures = append(failures, Failure{Extension: id, Stage: wire.StageDiscover, File: path,
				Message: "cannot read the extension: " + reason(err), Hint: "is it a symbolic link to something that is gone?"})
			continue
		}
		// A cloned project must not reach outside itself through a link.
		if rel, err := filepath.Rel(root, target); scope == ScopeProject && (err != nil || !filepath.IsLocal(rel)) {
			failures = append(failures, Failure{Extension: id, Stage: wire.StageDiscover, File: path,
				Message: "the extension is a symbolic link that leaves the project", Hint: "put the link into ~/.rho/extensions, or name the folder with --extensions"})
			continue
		}
		st, err := os.Stat(target)
		switch {
		case err != nil:
			failures = append(failures, Failure{Extension: id, Stage: wire.StageDiscover, File: path, Message: "cannot read the extension: " + reason(err)})
			continue
		case st.IsDir():
			entry, fail := directoryEntry(target)
			if fail == nil && entry == "" && slices.Contains(entryExtensions, filepath.Ext(e.Name())) {
				fail = &Failure{Message: "the extension is a folder, but its name is that of a file", Hint: "rename the folder, or put a mod.ts into it"}
			}
			if fail != nil {
				fail.Extension, fail.Stage = id, wire.StageDiscover
				if fail.File == "" {
					fail.File = path
				}
				failures = append(failures, *fail)
				continue
			}
			if entry == "" {
				continue // a folder of helpers
			}
			src.Dir, src.Entry = target, entry
		case slices.Contains(entryExtensions, filepath.Ext(e.Name())):
			src.Dir, src.Entry, src.single = filepath.Dir(target), target, true
		default:
			continue
		}
		if why := badID(id); why != "" {
			failures = append(failures, Failure{Extension: id, Stage: wire.StageDiscover, File: path,
				Message: fmt.Sprintf("%q cannot be the name of an extension: it %s", id, why), Hint: "rename it, such as to my-tool.ts"})
			continue
		}
		if !st.IsDir() && limit == real && src.Dir != real {
			src.Limit = src.Dir
		}
		out = append(out, src)
	}
	return out, failures, true
}

// extensionID gives the id that a directory entry's name stands for, and
// whether it can be an extension at all.
func extensionID(name string) (string, bool) {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "node_modules" {
		return "", false
	}
	ext := filepath.Ext(name)
	if !slices.Contains(entryExtensions, ext) {
		return name, true // a folder, perhaps
	}
	stem := strings.TrimSuffix(name, ext)
	if strings.HasSuffix(stem, ".d") || strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") {
		return "", false
	}
	return stem, true
}

// badID says why a name cannot be an extension's id, which stands in rules,
// where - is the program itself, in commands that people copy, and in messages.
func badID(id string) string {
	switch {
	case strings.HasPrefix(id, "-"):
		return `begins with "-"`
	case !utf8.ValidString(id) || strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "holds characters that cannot be seen"
	}
	return ""
}

// maxPackageFile bounds a package.json.
const maxPackageFile = 1 << 20

// directoryEntry finds the module of an extension that is a folder: mod.ts,
// index.ts, or what package.json says. None of them gives "".
func directoryEntry(dir string) (entry string, failure *Failure) {
	for _, name := range []string{"mod.ts", "index.ts"} {
		path := filepath.Join(dir, name)
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			return entryInside(dir, path)
		}
	}
	pkgPath := filepath.Join(dir, "package.json")
	st, err := os.Stat(pkgPath)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil && (!st.Mode().IsRegular() || st.Size() > maxPackageFile) {
		return "", &Failure{File: pkgPath, Message: "package.json is no regular file, or too large", Hint: "replace it"}
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(pkgPath)
	}
	if err != nil {
		return "", &Failure{File: pkgPath, Message: "cannot read package.json: " + reason(err), Hint: "check its permissions"}
	}
	var pkg struct {
		Main    string          `json:"main"`
		Exports json.RawMessage `json:"exports"`
	}
	if err := json.Unmarshal(data, &pkg); err != nil {
		return "", packageFailure(pkgPath, data, err)
	}
	main := exportsEntry(pkg.Exports)
	if main == "" {
		main = pkg.Main
	}
	if main == "" {
		return "", nil
	}
	const hint = `"main" in package.json must name a module inside the folder`
	if !filepath.IsLocal(filepath.FromSlash(main)) {
		return "", &Failure{File: pkgPath, Message: fmt.Sprintf("package.json names %q, which is outside the folder", main), Hint: hint}
	}
	path := filepath.Join(dir, filepath.FromSlash(main))
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return "", &Failure{File: pkgPath, Message: fmt.Sprintf("package.json names %q, which is no file", main), Hint: hint}
	}
	return entryInside(dir, path)
}

// packageFailure says where a package.json is wrong.
func packageFailure(path string, data []byte, err error) *Failure {
	f := &Failure{File: path, Message: "package.json is no JSON: " + err.Error()}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(0)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset - 1 // the byte that was one too many
		f.Hint = "correct the file"
	case errors.As(err, &kind):
		offset = kind.Offset - 1
		f.Message = fmt.Sprintf("package.json: %q must be a string, got a %s", kind.Field, kind.Value)
		if kind.Field == "" {
			f.Message = "package.json must be an object, got " + kind.Value
		}
		f.Hint = `"main" must name a module inside the folder`
	}
	before := string(data[:max(0, min(offset, int64(len(data))))])
	f.Line = 1 + strings.Count(before, "\n")
	f.Column = 1 + len(utf16.Encode([]rune(before[1+strings.LastIndex(before, "\n"):])))
	f.Frame = frame.Draw(string(data), f.Line, f.Column)
	return f
}

func entryInside(dir, path string) (entry string, failure *Failure) {
	const hint = "put the module itself into the folder"
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", &Failure{File: path, Message: "cannot read the module: " + reason(err), Hint: hint}
	}
	if rel, err := filepath.Rel(dir, real); err != nil || !filepath.IsLocal(rel) {
		return "", &Failure{File: path, Message: fmt.Sprintf("%s is a symbolic link that leaves the folder", filepath.Base(path)), Hint: hint}
	}
	return real, nil
}

// exportsEntry reads the module that "exports" gives for the package itself.
func exportsEntry(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return ""
	}
	for _, key := range []string{".", "rho", "module", "import", "default"} {
		if v, ok := m[key]; ok {
			if s := exportsEntry(v); s != "" {
				return s
			}
		}
	}
	return ""
}

// reason is the short cause of a file error: the path is told beside it.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return strings.TrimPrefix(err.Error(), "EvalSymlinks: ")
}

// Folders are the folders of the options in which extensions are looked for, as
// far as they exist, without symbolic links.
func Folders(o Options) []string {
	o, err := o.withDefaults()
	if err != nil {
		return nil
	}
	var out []string
	add := func(dir string) {
		if real, err := canonical(dir); dir != "" && err == nil && !slices.Contains(out, real) {
			out = append(out, real)
		}
	}
	add(o.UserDir)
	if o.Root != "" {
		add(filepath.Join(o.Root, ".rho", "extensions"))
	}
	for _, dir := range o.Dirs {
		add(dir)
	}
	return out
}
