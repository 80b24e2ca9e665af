// Package jsapi is what JavaScript sees inside a sandbox: web-standard globals,
// the rho global, the virtual modules rho-ext and rho-ext/test, and the type
// declarations.
//
// [Install] makes a fresh runtime ready. Globals are made on first use, so that
// a runtime costs little until an extension needs them; what a tool finds on its
// ctx is made by [Globals.Member] for one call. Nothing here holds authority:
// whatever leaves the runtime goes through [Env], which the sandbox implements
// on top of its broker.
//
// [Globals.StartTests] makes a runtime one for a test file. The scripts of its
// library, in js/testing, are run when a test uses them.
package jsapi
