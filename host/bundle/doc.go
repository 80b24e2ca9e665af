// Package bundle turns the source files of one extension into one classic
// script with a source map, by esbuild.
//
// No import leaves the extension's import root and the node_modules folders
// that belong to it: every file is checked by its real path before it is read.
// The script is an async function expression, so that top-level await and every
// module form work on an engine without modules.
package bundle
