// Package jail reads and changes files below some directories and nowhere else.
//
// A [Jail] stands on [os.Root], walks every path component by component and
// checks what it opened, so that neither "..", an absolute path, a symbolic
// link (dangling ones too) nor a change in the middle of it leads outside. Some
// names are protected besides: files that hold secrets are neither read nor
// changed by whoever can reach the project, unless they were granted by name.
// Some roots may be read and not changed.
//
// What it does not promise:
//
//   - A hard link is the file, whatever other names that has, also outside or
//     protected. It is read under the name that it has here. Writing never
//     reaches the other names: a file with several is replaced by one of its
//     own, also for an append.
//   - What is mounted below a root is in it. A root that is or holds /proc or
//     /dev shows what lies there; the links in /proc are followed by their text
//     and thereby lead out like any other.
//   - Whoever may move directories out of a root while it is in use can take
//     along a file that is being written there: what is open stays open where it
//     goes. That needs the right to write outside in the first place.
//   - Between the last look at a name and a rename or removal, somebody else can
//     put another thing in its place, which is then replaced, moved or removed;
//     never one outside, never a protected name.
//   - Mode and, where the system lets us, owner survive a write; access lists
//     and extended attributes do not.
//   - On Windows a rename between two directories goes by path from the root, as
//     the system offers nothing else through [os.Root]: a directory on the way
//     that is swapped for a link in that instant can divert it, to elsewhere in
//     the same root. Between two roots it is refused.
//   - On Plan 9, js and wasip1 [os.Root] itself is weaker, and a temporary file
//     that a killed process left behind stays.
//
// # Temporary files
//
// A write goes to a file ".rho-tmp-HASH-N" in the same directory, HASH being of
// the name that is written and N a digit. The names are protected. A process
// that is killed may leave one behind; the next write of the same name removes
// it.
package jail
