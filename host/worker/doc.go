// Package worker runs sandboxes in child processes: a [Factory] in the host, and
// [Main] in the child, which is the same program started once more.
//
// What kills or hangs a process kills or hangs the child: native recursion,
// allocation that no limit of the engine sees, loops in native code that no
// interrupt reaches, a parser or compiler that never comes back. The host stops
// and replaces it. A child holds runtimes and nothing else: no files, no
// network, no environment; see [Lockdown].
//
// # Frames
//
// The two talk over two pipes. A frame is two lengths, a small JSON header and
// raw bytes: scripts, arguments, results and bodies are never encoded anew. The
// host believes nothing that it reads: lengths are bounded, memory grows only
// with bytes that have arrived, calls are named by the host, and a frame that
// makes no sense ends the child.
//
// # Bundling
//
// A [Bundler] bundles in a child of another role: it may open files to read them
// where an extension's modules, packages and settings lie, and nowhere else.
//
// # Who is to blame
//
// A child's death takes all of its sandboxes along. Each goroutine of a sandbox
// carries the sandbox's number as a profiler label, and Go prints labels when it
// dies or is told to (SIGQUIT); so the host learns which sandbox was executing.
// That one's call is guilty if it was alone, and the extension's sandboxes get
// a child each from then on, where a second death leaves no doubt. All others
// end as lost, and whoever called them decides about another try.
package worker
