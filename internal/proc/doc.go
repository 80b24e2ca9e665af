// Package proc runs one program and always comes back.
//
// os/exec starts programs well, and leaves open what decides whether a tool can
// be trusted: a child that ignores SIGTERM outlives its deadline, a background
// process that holds stdout holds Wait, a gigabyte of output is a gigabyte of
// memory, a program that opens /dev/tty reads the terminal of the agent, and
// every key in the environment goes along. [Run] closes these, in one place,
// for the tools and for the process starter that extensions ask.
//
// # What a program gets
//
// Its argv as it was given, never through a shell; a directory; the null device
// or the input of [Command.Stdin]; two pipes; the named part of an environment
// ([Environment]). No other descriptor and no terminal: on Unix it leads a
// session of its own, so that opening /dev/tty fails at once; on Windows it has
// no console window.
//
// # How a run ends
//
// When the program ends, what it left behind has a moment to finish writing; then
// its process group is asked to stop (SIGTERM) and soon killed. At the deadline,
// or when the context ends, the whole tree is asked to stop, given
// [Command.Grace], and killed until nothing of it is left, whether its leader
// still lives or not. Either way Run returns within a bound that no process can
// stretch: who still holds a pipe then finds it closed.
//
// # What escapes
//
// Linux. The group is addressed by its pidfd where the kernel can (6.9), so that
// a reused number is never hit. A run that is cut short also ends what has left
// the group: processes of the same session, descendants, and those that carry
// the run's mark in their environment, which a double fork and setsid do not
// shed. A run that ended by itself leaves a proper daemon alone (a session or
// group of its own, and our pipes closed: git gc, sccache, gradle), unless
// [Command.KillDaemons] is set; a daemon that still holds our pipes is ended.
// There escapes what has left the session, lost its parent and wiped or
// overwritten its environment before anybody looked, what another service starts
// on request (systemd-run, at, docker), and what runs as another user (sudo). A
// subreaper would catch some of those, but it makes the whole host process adopt
// and reap the orphans of everybody's children, which a library must not do;
// cgroups need a delegation that users seldom have. When the host is killed, the
// kernel kills the leader.
//
// macOS, BSD. Everything in the process group is ended. What has called setsid
// or setpgid escapes, and so does everything when the host is killed.
//
// Windows. A job object holds the whole tree, from before its first instruction,
// and is ended with the host. Windows cannot ask a program without a window to
// stop, so there is no grace. Only what another service starts (WMI, the task
// scheduler) escapes.
package proc
