package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/host"
)

// discovery tells of what lies in the folders and is no extension, or one that
// is never loaded.
func (r *run) discovery(report *Report) []Finding {
	var out []Finding
	for _, f := range r.failures {
		if f.Stage != "discover" || slices.ContainsFunc(r.units, func(u *unit) bool { return slices.Contains(u.Failures, f) }) {
			continue
		}
		path := r.absolute(f.File)
		if r.target.id == f.Extension || r.target.wantsFile(filepath.Dir(path), path) || r.target.path != "" && inside(path, r.target.path) {
			out = append(out, ofFailure(f, path))
			report.Extensions = append(report.Extensions, Checked{ID: f.Extension, Title: f.Extension, File: f.File})
		}
	}
	out = append(out, r.shadowed(report)...)
	for _, dir := range r.folders {
		entries, err := os.ReadDir(dir.path)
		if err != nil {
			continue // told by the host, where it matters
		}
		for _, e := range entries {
			path := filepath.Join(dir.path, e.Name())
			if message, hint := r.odd(path, e); message != "" && r.target.wantsFile(dir.path, path) {
				out = append(out, Finding{Rule: "not-an-extension", Severity: severityOf("not-an-extension"), Extension: e.Name(),
					File: r.show(path), Path: path, Message: message, Hint: hint})
			}
		}
	}
	return out
}

// shadowed tells of extensions whose place another has.
func (r *run) shadowed(report *Report) (out []Finding) {
	for _, e := range r.listed {
		if e.State != host.StateShadowed {
			continue
		}
		path := r.absolute(e.Path)
		if r.target.id != e.ID && !r.target.wantsFile(filepath.Dir(path), path) && !(r.target.path != "" && inside(path, r.target.path)) {
			continue
		}
		report.Extensions = append(report.Extensions, Checked{ID: e.ID, Title: e.ID, Scope: string(e.Scope), File: e.Path})
		f := Finding{Rule: "shadowed", Severity: Info, Extension: e.ID, File: e.Path, Path: path,
			Message: "it is not loaded: " + e.ShadowedBy + " has the same id and comes later", Hint: "rename one of the two, unless that is what you want"}
		if filepath.Dir(path) == filepath.Dir(r.absolute(e.ShadowedBy)) || filepath.Dir(filepath.Dir(path)) == filepath.Dir(r.absolute(e.ShadowedBy)) {
			f.Severity = Warning // in one folder nobody wants it
		}
		out = append(out, f)
	}
	return out
}

// almost are the endings of files that people take for extensions.
var almost = []string{".cjs", ".cts", ".jsx"}

// odd says why something in a folder with extensions is none, where its author
// may think that it is.
func (r *run) odd(path string, e os.DirEntry) (message, hint string) {
	name := e.Name()
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "node_modules" {
		return "", ""
	}
	if e.IsDir() {
		if r.loads(path) || isExtension(path) {
			return "", ""
		}
		entries, _ := os.ReadDir(path)
		has := func(file string) bool {
			return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == file })
		}
		for _, file := range []string{"main.ts", "index.js", "index.mjs", "mod.js", name + ".ts", "index.tsx", "extension.ts"} {
			if has(file) && !has("package.json") {
				return "the folder is no extension: its module is not called mod.ts or index.ts",
					"rename " + file + " to mod.ts, or name it as main in a package.json"
			}
		}
		if has("package.json") && !r.known(path) {
			return "the folder is no extension: its package.json names no module", `add "main": "mod.ts", or such`
		}
		return "", ""
	}
	ext := filepath.Ext(name)
	lower := strings.ToLower(ext)
	switch {
	case slices.Contains(almost, lower):
		if r.loads(path) {
			return "", ""
		}
		return "the file is no extension: its name ends in " + ext, "extensions end in " + strings.Join(endings, ", ")
	case lower != ext && slices.Contains(endings, lower):
		return "the file is no extension: its ending is in capitals", "rename it to " + strings.TrimSuffix(name, ext) + lower
	}
	return "", ""
}

// loads reports whether a file, or one below a folder, is part of an extension.
func (r *run) loads(path string) bool {
	for _, u := range r.units {
		for _, i := range u.Inputs {
			if p := r.absolute(i.File); p == path || inside(p, path) {
				return true
			}
		}
	}
	return false
}

// known reports whether the host took a folder for an extension.
func (r *run) known(path string) bool {
	return slices.ContainsFunc(r.listed, func(e host.ExtensionInfo) bool { return inside(r.absolute(e.Path), path) }) ||
		slices.ContainsFunc(r.failures, func(f host.Failure) bool { return inside(r.absolute(f.File), path) })
}

// absolute finds a file by the name that people see.
func (r *run) absolute(file string) string {
	if p := filepath.FromSlash(file); filepath.IsAbs(p) || r.root == "" {
		return p
	}
	return filepath.Join(r.root, filepath.FromSlash(file))
}

func (r *run) show(path string) string {
	if r.root != "" && inside(path, r.root) {
		rel, _ := filepath.Rel(r.root, path)
		return filepath.ToSlash(rel)
	}
	return path
}
