// Package version tells what this program is made of.
package version

import (
	"runtime"
	"runtime/debug"
)

// Version is the version of rho-ext, as engines.rhoExt is matched against.
const Version = "0.1.0"

// Info names the program and the engines inside.
type Info struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	Goja    string `json:"goja"`
	Esbuild string `json:"esbuild"`
}

// Read gives the versions that this binary was built with. A module that the
// build does not know is "unknown", as in a test binary.
func Read() Info {
	info := Info{Version: Version, Go: runtime.Version(), Goja: "unknown", Esbuild: "unknown"}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	for _, m := range build.Deps {
		switch m.Path {
		case "github.com/dop251/goja":
			info.Goja = m.Version
		case "github.com/evanw/esbuild":
			info.Esbuild = m.Version
		}
	}
	return info
}
