package bundle

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/jail"
)

// maxFile bounds one source file; generated code beyond it belongs in data.
const maxFile = 4 << 20

// virtualModules serves modules that the host provides.
func virtualModules(modules map[string]string) api.Plugin {
	return api.Plugin{Name: "virtual", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^[^./\\]`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			if _, ok := modules[a.Path]; !ok {
				return api.OnResolveResult{}, nil
			}
			return api.OnResolveResult{Path: a.Path, Namespace: "rho", SideEffects: api.SideEffectsFalse}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "rho"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			text := modules[a.Path]
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
		})
	}}
}

// nodeModules refuses what only Node or a network loader could give.
func nodeModules() api.Plugin {
	return api.Plugin{Name: "absent", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^[a-zA-Z][a-zA-Z0-9+.-]+:`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			scheme, name, _ := strings.Cut(a.Path, ":")
			m := api.Message{Text: fmt.Sprintf("cannot import %q: modules are not loaded from %s: addresses", a.Path, scheme)}
			hint := "save the module beside the extension, or install its package and import it by name"
			if scheme == "node" {
				m.Text = fmt.Sprintf("cannot import %q: the sandbox has no Node modules", a.Path)
				hint = nodeHint(name)
			}
			m.Detail = detail{stage: wire.StageResolve, hint: hint}
			return api.OnResolveResult{Errors: []api.Message{m}}, nil
		})
	}}
}

// confined reads every file itself, so that nothing outside the roots ever
// becomes part of a bundle, whatever the resolver found.
func confined(reads func() *loader) api.Plugin {
	return api.Plugin{Name: "confined", Setup: func(b api.PluginBuild) {
		b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "file"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			l := reads()
			text, msg := l.read(a.Path)
			if msg != nil {
				return api.OnLoadResult{Errors: []api.Message{*msg}}, nil
			}
			kind, msg := loaderFor(a)
			if msg != nil {
				return api.OnLoadResult{Errors: []api.Message{*msg}}, nil
			}
			if kind != api.LoaderText && kind != api.LoaderEmpty {
				if msg := prescan(text, l.name(a.Path)); msg != nil {
					return api.OnLoadResult{Errors: []api.Message{*msg}}, nil
				}
			}
			s := string(text)
			return api.OnLoadResult{Contents: &s, Loader: kind, ResolveDir: filepath.Dir(a.Path)}, nil
		})
	}}
}

// detail travels through esbuild on a message of ours.
type detail struct {
	stage wire.Stage
	hint  string
}

func problem(stage wire.Stage, hint, format string, args ...any) *api.Message {
	return &api.Message{Text: fmt.Sprintf(format, args...), Detail: detail{stage: stage, hint: hint}}
}

func (l *loader) name(path string) string {
	rel, err := filepath.Rel(l.opts.Root, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// read returns a file that lies in the roots by its real path.
func (l *loader) read(path string) ([]byte, *api.Message) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, problem(wire.StageResolve, "", "cannot read %s: %v", l.name(path), cause(err))
	}
	rel, ok := l.inside(real)
	if ok && jail.Protected(rel) {
		return nil, problem(wire.StageResolve,
			"declare what the extension needs of it as a setting with secret: true, or read it with ctx.fs where the user has granted that",
			"%s has a name that files with secrets have, and is not imported", l.name(path))
	}
	if !ok {
		return nil, l.leaves(l.name(path))
	}
	text, msg := l.readHere(path, real)
	if msg != nil {
		l.miss(real)
	}
	return text, msg
}

func (l *loader) readHere(path, real string) ([]byte, *api.Message) {
	st, err := os.Stat(real)
	if err != nil {
		return nil, problem(wire.StageResolve, "", "cannot read %s: %v", l.name(path), cause(err))
	}
	switch {
	case !st.Mode().IsRegular():
		return nil, problem(wire.StageResolve, "", "cannot read %s: it is not a regular file", l.name(path))
	case st.Size() > maxFile:
		return nil, problem(wire.StageBundle, "keep data in a file that the tool reads when it runs",
			"%s is too large: %d bytes, at most %d", l.name(path), st.Size(), maxFile)
	}
	f, err := os.Open(real)
	if err != nil {
		return nil, problem(wire.StageResolve, "check its permissions", "cannot read %s: %v", l.name(path), cause(err))
	}
	defer f.Close()
	// The file may grow between Stat and here.
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, problem(wire.StageResolve, "", "cannot read %s: %v", l.name(path), cause(err))
	}
	if len(text) > maxFile {
		return nil, problem(wire.StageBundle, "", "%s is too large: more than %d bytes", l.name(path), maxFile)
	}
	l.remember(real, text)
	return text, nil
}

// inside gives a real path relative to the root that holds it.
func (l *loader) inside(real string) (rel string, ok bool) {
	for _, r := range append([]string{l.opts.Root}, l.roots...) {
		if rel, ok := below(r, real); ok {
			return rel, true
		}
	}
	return "", false
}

func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

var loaders = map[string]api.Loader{
	".ts": api.LoaderTS, ".mts": api.LoaderTS, ".cts": api.LoaderTS, ".tsx": api.LoaderTSX,
	".js": api.LoaderJS, ".mjs": api.LoaderJS, ".cjs": api.LoaderJS, ".jsx": api.LoaderJSX,
	".json": api.LoaderJSON, ".txt": api.LoaderText, ".md": api.LoaderText, ".css": api.LoaderEmpty,
}

func loaderFor(a api.OnLoadArgs) (api.Loader, *api.Message) {
	switch t := a.With["type"]; t {
	case "":
	case "json":
		return api.LoaderJSON, nil
	case "text":
		return api.LoaderText, nil
	default:
		return 0, problem(wire.StageBundle, `use with { type: "json" } or with { type: "text" }`,
			"the import attribute type %q is not supported", t)
	}
	ext := strings.ToLower(filepath.Ext(a.Path))
	if kind, ok := loaders[ext]; ok {
		return kind, nil
	}
	return 0, problem(wire.StageBundle, `to import it as text, add with { type: "text" }`,
		"cannot import %s: files of type %q are not modules", filepath.Base(a.Path), ext)
}
