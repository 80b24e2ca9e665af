package bundle

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// virtualPrefix marks names that are no files, in source maps and messages.
const virtualPrefix = "rho:"

// outName is the script's file; nothing is written.
const outName = "ext.js"

// EntryCall is the global function that the script hands the module's
// namespace to.
const EntryCall = "__rho_load"

// resolveExtensions are tried where an import leaves them out.
var resolveExtensions = []string{".ts", ".tsx", ".mts", ".js", ".mjs", ".json"}

// buildOptions suits esbuild to goja: whatever the engine lacks is lowered one
// feature at a time, because a low target makes private fields, spread and
// async many times slower. reads gives the loader of the build that runs.
func buildOptions(o Options, reads func() *loader) api.BuildOptions {
	entry, _ := below(o.Root, o.Entry)
	entry = filepath.ToSlash(entry)
	sources := api.SourcesContentExclude
	if o.Details {
		sources = api.SourcesContentInclude
	}
	return api.BuildOptions{
		// A synthetic entry keeps `export` out of the output.
		Stdin: &api.StdinOptions{
			Contents:   "import * as ext from " + quote("./"+entry) + "; " + EntryCall + "(ext)",
			ResolveDir: o.Root,
			Sourcefile: virtualPrefix + "entry",
			Loader:     api.LoaderJS,
		},
		AbsWorkingDir: o.Root,
		Outfile:       filepath.Join(o.Root, outName),
		Write:         false,
		Bundle:        true,
		Format:        api.FormatESModule,
		Platform:      api.PlatformNeutral,
		Target:        api.ESNext,
		Supported: map[string]bool{
			"async-generator": false, "for-await": false, "decorators": false,
			"using": false, "import-meta": false, "dynamic-import": false,
			"hashbang": false, "regexp-match-indices": false,
			"regexp-set-notation": false, "top-level-await": true,
		},
		Banner:            map[string]string{"js": `(async()=>{"use strict";`},
		Footer:            map[string]string{"js": `})()`},
		Define:            map[string]string{"import.meta.url": quote("rho://" + url.PathEscape(o.ID) + "/" + (&url.URL{Path: entry}).EscapedPath())},
		MainFields:        []string{"module", "main"},
		Conditions:        []string{"rho", "module", "import"},
		ResolveExtensions: resolveExtensions,
		Sourcemap:         api.SourceMapExternal,
		SourcesContent:    sources,
		Metafile:          o.Details,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsNone,
		TreeShaking:       api.TreeShakingTrue,
		LogLevel:          api.LogLevelSilent,
		LogLimit:          20,
		Plugins:           []api.Plugin{virtualModules(o.Modules), nodeModules(), confined(reads)},
	}
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(s) + `"`
}
