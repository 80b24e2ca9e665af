// Package wire is the seam between the host and a sandbox, as plain data: what
// the host asks of a [Sandbox], and what a sandbox asks of its [Broker].
//
// Everything here can be written to a pipe and read back. An in-process
// sandbox passes the values by a Go call, a worker process in frames; neither
// side can tell which. Only the host decides: a sandbox holds no authority, and
// every file, packet, process, log line and nested call goes through the
// broker.
package wire
