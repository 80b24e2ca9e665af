package jsapi

import _ "embed" // for the files below

//go:embed modules/rho-ext.js
var rhoExtModule string

//go:embed modules/rho-ext-test.js
var testModule string

// Types is the text of rho-ext.d.ts: the module "rho-ext" and every global, as
// they exist now. It needs no library but ES2023.
//
//go:embed types/rho-ext.d.ts
var Types string

// Modules gives the source of each virtual module, by its name.
func Modules() map[string]string {
	return map[string]string{"rho-ext": rhoExtModule, "rho-ext/test": testModule, "vitest": testModule}
}
