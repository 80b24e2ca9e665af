// Package check is the linter for extensions: it says what is wrong with them,
// or will be once somebody uses them, without running a tool.
//
// [Run] loads the extensions as a host does, in worker processes and without a
// single grant, so that code which nobody trusts yet can be looked at. What the
// code does is read from it (see [wire.Survey]), and what the sandbox has or
// lacks is tried out there: no list of missing things can grow stale. [Rules]
// are all of them, each with an example that breaks it and one that does not.
//
// A rule that is wrong now and then is worse than none. Where something cannot
// be known, nothing is said.
package check
