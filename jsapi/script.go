package jsapi

import (
	"embed"
	"slices"
	"sync"

	"github.com/dop251/goja"
)

//go:embed js/*.js js/testing/*.js
var sources embed.FS

// native is a Go function that one script gets as host.NAME. It checks its
// arguments by hand; scripts are its only callers.
type native func(g *Globals, c goja.FunctionCall) goja.Value

// script is one embedded file. It evaluates to a function of (host, use) that
// returns its exports; host holds its natives, use(name) gives another
// script's exports.
type script struct {
	file    string
	globals []string // the exports that are globals
	natives map[string]native
	program func() *goja.Program // compiled once per process
}

var (
	scriptOf    = map[string]*script{} // by global
	scriptNamed = map[string]*script{} // by file name without .js
)

// define registers a script; it runs while the package is initialised.
func define(name string, natives map[string]native, globals ...string) *script {
	s := &script{file: name + ".js", globals: globals, natives: natives}
	s.program = sync.OnceValue(func() *goja.Program {
		src, err := sources.ReadFile("js/" + s.file)
		if err != nil {
			panic(err)
		}
		// The rho: prefix tells the sandbox which stack frames are not the author's.
		return goja.MustCompile("rho:"+s.file, string(src), true)
	})
	scriptNamed[name] = s
	for _, global := range globals {
		scriptOf[global] = s
	}
	return s
}

// Names lists the globals that [Install] offers, sorted.
func Names() []string {
	names := make([]string, 0, len(scriptOf))
	for name := range scriptOf {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
