package bundle

import "strings"

// nodeBuiltins are the modules that only Node provides; a package of the same
// name in node_modules is used where there is one.
var nodeBuiltins = map[string]string{
	"assert": "", "async_hooks": "", "buffer": "use Uint8Array, TextEncoder and TextDecoder",
	"child_process": "extensions start no processes of their own", "cluster": "", "console": "console is a global",
	"constants": "", "crypto": "", "dgram": "use fetch()", "diagnostics_channel": "", "dns": "use fetch()",
	"domain": "", "events": "use EventTarget", "fs": "use rho.readFile(path)", "http": "use fetch()",
	"http2": "use fetch()", "https": "use fetch()", "inspector": "", "module": "", "net": "use fetch()",
	"os": "", "path": "", "perf_hooks": "performance is a global", "process": "", "punycode": "", "querystring": "use URLSearchParams",
	"readline": "", "repl": "", "stream": "", "string_decoder": "use TextDecoder", "sys": "", "test": "",
	"timers": "setTimeout and setInterval are globals", "tls": "use fetch()", "tty": "", "url": "URL and URLSearchParams are globals",
	"util": "", "v8": "", "vm": "", "wasi": "", "worker_threads": "calls of one extension already interleave at await",
	"zlib": "",
}

// nodeHint says what to use instead of a Node module.
func nodeHint(name string) string {
	base, _, _ := strings.Cut(name, "/")
	if h := nodeBuiltins[base]; h != "" {
		return h
	}
	return "use the web-standard globals, or a package from npm that needs no Node modules"
}
