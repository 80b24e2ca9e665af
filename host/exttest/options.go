package exttest

import (
	"crypto/x509"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
)

// Options say which tests run, and how. The zero value runs none: it needs Root
// or Dirs.
type Options struct {
	// Root is the project's root, an absolute path, or empty.
	Root string
	// UserDir, Dirs, Enabled and Disabled say where extensions are, as those of
	// [host.Options] do.
	UserDir           string
	Dirs              []string
	Enabled, Disabled []string
	// Isolation is where tests and extensions run.
	Isolation host.Isolation
	Workers   host.WorkerOptions

	// Name, where set, leaves out the tests whose full name it does not match:
	// the names of the suites and of the test, joined by a space.
	Name *regexp.Regexp
	// Seed, where not zero, puts the tests of each suite into an order that it
	// decides.
	Seed uint64
	// Update writes snapshots that differ, and takes out those that no test uses.
	Update bool
	// Frozen fails tests whose snapshots are missing, instead of writing them.
	Frozen bool
	// NoOnly fails files that hold tests marked with .only.
	NoOnly bool
	// Record lets requests to cassettes through to the network, as far as Allow
	// goes, and writes what comes of them.
	Record bool
	// Bail ends the run after so many failed tests; zero is never.
	Bail int
	// Parallel is how many files run side by side; zero is one for each processor.
	Parallel int
	// Timeout and HookTimeout are the deadlines of tests and hooks that name
	// none; zero is 5 s and 10 s.
	Timeout, HookTimeout time.Duration
	// LoadTimeout is as in [host.Options]; zero is 10 s.
	LoadTimeout time.Duration

	// Allow is what extensions may touch for real: programs that they start,
	// places outside of the temporary project, and hosts that are recorded.
	Allow []permission.Grant
	// Proxy and CAs are for recording, as in [host.Options].
	Proxy *permission.Proxy
	CAs   *x509.CertPool
}

// allowsVariable reports whether tests see a variable of the environment.
func (o Options) allowsVariable(name string) bool {
	return slices.Contains(o.Allow, permission.Grant{Kind: permission.KindEnv, Target: name})
}

func (o Options) withDefaults() Options {
	if o.Parallel <= 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	if o.HookTimeout <= 0 {
		o.HookTimeout = 10 * time.Second
	}
	if o.LoadTimeout <= 0 {
		o.LoadTimeout = 10 * time.Second
	}
	return o
}
