// Package sandbox runs one version of one extension in one goja runtime, on one
// goroutine that owns both the runtime and its event loop.
//
// Calls interleave where their code awaits. The engine's async context tracker
// tells which call each piece of code belongs to, so that a deadline stops the
// guilty call and no other, and a call that has ended can ask for nothing.
//
// A runtime that was interrupted, overflowed or panicked is never used again:
// the engine loses queued continuations then. Calls that were beside it end as
// lost, and the host decides what becomes of them.
package sandbox
