// Package house_test holds the one test of the repository as a whole: which
// package may know which.
package house_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/rho-ext/rho-ext"

const (
	goja    = "github.com/dop251/goja" // goja_nodejs as well
	esbuild = "github.com/evanw/esbuild"
	otel    = "go.opentelemetry.io"
	sqlite  = "modernc.org/sqlite"
)

// house lists the packages from the roof down; imports point down, or stay on
// the floor. A name that ends in /... stands for itself and everything below.
var house = [][]string{
	{"cmd/...", "examples/...", "bench/..."},
	{"server/mcp", "server/rpc"},
	{"host/exttest", "host/check"},
	{"host"},
	{"host/worker"},
	{"host/sandbox"},
	{"host/bundle"},
	{"jsapi"},
	{"host/reading"},
	{"host/permission"},
	{"host/wire"},
	{"builtin", "builtin/memory"},
	{"registry", "registry/otel", "registry/registrytest", "registry/render"},
	{"internal/..."},
}

// barred lists what must not be reached from a package, directly or not.
var barred = map[string][]string{
	"registry":   {goja, esbuild, otel},
	"builtin":    {goja, esbuild, sqlite},
	"server/mcp": {goja, esbuild},
	"server/rpc": {goja, esbuild},
}

// keepers are the only packages that may import a library themselves.
var keepers = map[string][]string{
	goja:    {"host/sandbox", "host/reading", "jsapi"},
	esbuild: {"host/bundle"},
}

func TestDependencies(t *testing.T) {
	touchSources(t)
	imports := list(t, "{{.Imports}}", "./...")

	t.Run("every package has its floor and imports point down", func(t *testing.T) {
		for pkg, deps := range imports {
			from := floor(pkg)
			if !assert.GreaterOrEqual(t, from, 0, "%s is not in the house: add it to the list", pkg) {
				continue
			}
			for _, dep := range deps {
				name, ours := strings.CutPrefix(dep, module+"/")
				if !ours {
					continue
				}
				assert.GreaterOrEqual(t, floor(name), from, "%s imports %s, which is above it", pkg, name)
				assert.False(t, strings.HasPrefix(pkg, "internal/"), "%s imports %s: internal packages import nothing of ours", pkg, name)
			}
		}
	})

	t.Run("the engines stay with their keepers", func(t *testing.T) {
		for library, may := range keepers {
			for pkg, deps := range imports {
				if !slices.Contains(may, pkg) {
					assert.False(t, reaches(deps, library), "%s imports %s, which only %v may", pkg, library, may)
				}
			}
		}
	})

	for pkg, libraries := range barred {
		if _, exists := imports[pkg]; !exists {
			continue
		}
		t.Run(pkg+" stays light", func(t *testing.T) {
			deps := list(t, "{{.Deps}}", "./"+pkg)[pkg]
			for _, library := range libraries {
				assert.False(t, reaches(deps, library), "%s pulls in %s", pkg, library)
			}
		})
	}
}

// touchSources looks at every source file, so that a cached result of this test
// does not outlive a change: what the go command reads, the cache knows not of.
func touchSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".go" {
			_, err = os.Stat(path)
		}
		return err
	})
	require.NoError(t, err)
}

// list asks the go command for a field of packages that is a list of import
// paths. Packages without anything but tests have none.
func list(t *testing.T, field string, pattern string) map[string][]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-f", "{{.ImportPath}} "+field, pattern)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	packages := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		path, deps, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name, ok := strings.CutPrefix(path, module+"/"); ok {
			packages[name] = strings.Fields(strings.Trim(deps, "[]"))
		}
	}
	return packages
}

// floor is the place of a package in the house, from 0 at the top, or -1.
func floor(pkg string) int {
	return slices.IndexFunc(house, func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			dir, tree := strings.CutSuffix(name, "/...")
			return pkg == dir || tree && strings.HasPrefix(pkg, dir+"/")
		})
	})
}

// reaches reports whether one of the import paths belongs to the library.
func reaches(paths []string, library string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(p, library) })
}
