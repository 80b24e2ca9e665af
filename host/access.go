package host

import (
	"errors"
	"path/filepath"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
)

// keyOf is the key under which grants for an extension are kept.
func (h *Host) keyOf(s Source) permission.Key {
	return permission.Key{Scope: string(s.Scope), Root: h.opts.Root, Dir: s.Folder, Extension: s.ID}
}

// accessFor is what an extension with this manifest may touch. The error is a
// [*permission.ManifestError].
func (h *Host) accessFor(s Source, m *wire.Manifest) (*permission.Access, error) {
	ceiling, err := permission.CeilingOf(m, h.opts.Root)
	if err != nil {
		return nil, err
	}
	key := h.keyOf(s)
	key.Hash = ceiling.Hash()
	command := h.opts.GrantCommand
	if command == "" && s.Scope == ScopeExplicit {
		command = "rho-ext --extensions " + permission.ShellQuote(showPath(h.opts.Root, s.Folder))
	}
	return permission.NewAccess(permission.AccessOptions{
		Key: key, Ceiling: ceiling, Flags: h.opts.Allow, Kept: h.opts.Grants, Session: h.session, Command: command, Whole: h.opts.Whole,
	}), nil
}

// filesFor is the file system of one extension.
func (h *Host) filesFor() *files {
	f := &files{root: h.opts.Root, code: func() []string { return *h.code.Load() }}
	if h.opts.Home != "" {
		f.own = stations(absolutePath(h.opts.Home))
	}
	if h.opts.Root != "" {
		for _, name := range []string{".rho", ".git"} {
			f.linked = append(f.linked, stations(filepath.Join(h.opts.Root, name))[1:]...)
		}
	}
	return f
}

func absolutePath(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		return abs
	}
	return p
}

// permissionHint shows the right form of what is wrong in a manifest.
func permissionHint(err error) string {
	var m *permission.ManifestError
	if !errors.As(err, &m) {
		return ""
	}
	form := map[string]string{
		"net": `net: ["api.github.com", "*.example.org:8443"]`, "read": `read: ["."]`, "write": `write: ["./out"]`,
		"run": `run: ["git"]`, "env": `env: ["GITHUB_TOKEN"]`, "tools": `tools: ["read_file"]`, "hooks": `hooks: ["tool_call"]`,
	}[m.Kind]
	return "write permissions: { " + form + " }"
}

// Access is what a loaded extension may touch, or nil where there is none of
// this id.
func (h *Host) Access(id string) *permission.Access {
	if g := h.current(id); g != nil {
		return g.broker.access.Load()
	}
	return nil
}
