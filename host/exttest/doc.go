// Package exttest runs the tests of extensions: *.test.ts files beside them, in
// the bundler, the sandbox and behind the door that serve agents.
//
// A test file has a sandbox of its own; the extension that it tests lives in
// another one, behind a [registry.Door], in a temporary project. Each test gets
// fresh runtimes of the extension and an empty project. Nothing of a test
// reaches the machine: requests are answered by mocks, variables and settings
// are what the test sets, and no program is started unless the user allows it.
//
// It is a package of its own because a host must not depend on tests: it sits on
// top of [host.Host], as a command line does.
package exttest
