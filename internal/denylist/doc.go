// Package denylist reads a shell command and tells what in it is on a list of
// commands that are refused.
//
// It is a seat belt, not a boundary: it keeps a model from what it should not
// do by habit, such as fetching from the network, becoming another user or
// wiping a disk. Who wants to get around it can: a program that the command
// writes first, an interpreter's own code (python -c, awk, perl -e, make), a
// remote shell and whatever a script file holds are not seen through. What must
// not happen has to be stopped by the approval of the command, or by the
// system.
//
// It is a package of its own because the tools that run commands share it, and
// because it is the only one that needs a parser of shell.
//
// A command is parsed, not searched, so that a word in an argument is no
// command. Seen through are paths, quotes, escapes, braces, variables that the
// command itself sets, substitutions, subshells, functions, pipes and here
// documents into a shell, sh -c, eval, trap, alias, and programs that run
// another one: env, sudo, xargs, find -exec, nohup, timeout and their like.
package denylist
