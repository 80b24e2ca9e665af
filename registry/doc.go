// Package registry is the contract between tools and the agents that call
// them: what a [Tool] is, the [Registry] that holds tools from every source
// side by side, and the [Door] through which every call goes.
//
// A tool's own failure is a result that the model can read and react to; only
// the host's failure is a Go error. Every call that enters the door comes out
// as exactly one [Outcome], also when the tool panics, blocks or is cancelled.
//
// The package knows nothing of JavaScript, of any transport or of any
// particular tool.
package registry
