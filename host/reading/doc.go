// Package reading looks at a bundle without running it, with the engine's own
// parser: which effects its code mentions, where its tools are defined, how an
// old-style function uses its argument, and constants that would hang the
// compiler.
//
// What it says is a hint for people and policy. The guarantee is at run time,
// where a call may use only what it was granted.
package reading
