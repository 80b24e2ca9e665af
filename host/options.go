package host

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/worker"
	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/registry"
)

// Isolation is where extensions run.
type Isolation uint8

// The isolation modes.
const (
	// Process runs extensions in worker processes that hold nothing of the
	// system: no code of theirs can take the host down or reach past it. It is
	// the default, and needs [WorkerMain] at the top of main.
	Process Isolation = iota
	// InProcess runs extensions in the host's own process: the shortest path,
	// with deadlines and a stack limit, but code that exhausts memory takes
	// the host with it.
	InProcess
)

// String is the mode's name on the command line.
func (i Isolation) String() string {
	if i == InProcess {
		return "in-process"
	}
	return "process"
}

// ParseIsolation reads a mode's name.
func ParseIsolation(s string) (Isolation, error) {
	switch s {
	case "process":
		return Process, nil
	case "in-process":
		return InProcess, nil
	default:
		return 0, fmt.Errorf("unknown isolation %q: expected process or in-process", s)
	}
}

// ErrNoWorkerMain is the error of [New] for [Process] in a program whose main
// does not call [WorkerMain].
var ErrNoWorkerMain = worker.ErrNoMain

// Options configure a [Host]. Every zero field is a default.
type Options struct {
	Isolation Isolation
	// Workers configure the worker processes of [Process].
	Workers WorkerOptions
	// Root is the project's root, an absolute path; see [FindRoot]. Empty
	// means no project: only Dirs and UserDir are looked at, and tools read
	// no files.
	Root string
	// CodeRoot is the project that holds the code, where that is not Root: names
	// in messages begin there, and packages are looked for up to it.
	CodeRoot string
	// UserDir holds the user's own extensions. Empty means
	// $RHO_HOME/extensions, or ~/.rho/extensions; "-" means none.
	UserDir string
	// Dirs are further folders with extensions; a later one wins.
	Dirs []string
	// Enabled, where not empty, are the ids of the only extensions that are
	// looked into. Disabled are those that are not, even if enabled.
	Enabled, Disabled []string
	// Registry is where tools are registered. Nil means a new one.
	Registry *registry.Registry
	// Tool, where set, loads only what that tool needs: nothing where the
	// registry has it, else extensions whose code holds the name, and the
	// others only when none of those has the tool; also those whose hooks may
	// have to hear of it. What is not needed is not looked into, so its failures
	// are not known.
	Tool string
	// Trusted says that the extensions in the project's own .rho/extensions may
	// be evaluated. Else they are listed as untrusted, and shadow nothing.
	Trusted bool
	// IsTrusted, where set, is asked in place of Trusted each time that the host
	// looks at the folders, so that trust which is taken away ends.
	IsTrusted func() bool
	// Home is the user's folder, which no extension may touch. Empty means
	// $RHO_HOME, or ~/.rho.
	Home string
	// Allow is granted to every extension, as far as its ceiling reaches.
	Allow []permission.Grant
	// Grants keeps what the user has granted to single extensions. Nil keeps
	// nothing, and nothing was granted.
	Grants permission.Store
	// AskPermission asks a person about what is not granted. Nil asks nobody:
	// it is denied.
	AskPermission permission.Asker
	// GrantCommand begins the command that denials name. Empty means rho-ext,
	// with --extensions for what lies in Dirs.
	GrantCommand string
	// Proxy is where requests of extensions go through, and CAs the certificate
	// authorities that are trusted: what the user has configured, never a
	// project. Nil is no proxy, and the system's authorities.
	Proxy *permission.Proxy
	CAs   *x509.CertPool
	// Transport, where set, answers the requests of extensions in place of the
	// network, once they were granted.
	Transport http.RoundTripper
	// Environ, where set, looks variables up in place of the environment.
	Environ func(name string) (value string, ok bool)
	// Whole are kinds of permissions of which everything that a manifest asks for
	// counts as granted; of files only what lies in the project. It is for tests,
	// where nothing real is behind them.
	Whole []permission.Kind
	// Engine, where set, runs and bundles the extensions: one for many hosts
	// that live shortly. Isolation and Workers mean nothing then.
	Engine *Engine
	// Model names the model that the agent uses, for rho.getModel; see
	// [Host.SetModel].
	Model string
	// Logger receives what extensions log and what the host has to say. Nil
	// discards it.
	Logger *slog.Logger
	// LoadTimeout bounds how long bundling and evaluating one extension take
	// together; zero means 5 s.
	LoadTimeout time.Duration
	// DrainTimeout is how long calls of a replaced version may go on; zero
	// means 10 s.
	DrainTimeout time.Duration
	// Settings gives what is configured for the settings of an extension, by
	// their names. It is asked whenever a call wants to know. Values for secrets
	// are left aside.
	Settings func(SettingsKey) map[string]json.RawMessage
	// Secrets looks up the secret of a setting. One that there is none of is
	// not ok; an error is a problem of the call that asked, so it must not show
	// a value.
	Secrets func(ctx context.Context, k SettingsKey, name string) (value string, ok bool, err error)
	// OnSecret hears of the values of secrets before an extension gets them,
	// again and again, so that they can be redacted.
	OnSecret func(values ...string)
	// Inspect, where set, hears of each extension that was looked into, one after
	// the other: what it is, what is wrong with it, and what its code is seen to
	// do.
	Inspect func(*Inspection)
}

// codeRoot is where the code's project is.
func (o Options) codeRoot() string {
	if o.CodeRoot != "" {
		return o.CodeRoot
	}
	return o.Root
}

func (o Options) disables(id string) bool {
	return slices.Contains(o.Disabled, id) || len(o.Enabled) > 0 && !slices.Contains(o.Enabled, id)
}

func (o Options) withDefaults() (Options, error) {
	if o.Registry == nil {
		o.Registry = registry.New()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.LoadTimeout == 0 {
		o.LoadTimeout = 5 * time.Second
	}
	if o.DrainTimeout == 0 {
		o.DrainTimeout = 10 * time.Second
	}
	if o.Home == "" {
		o.Home = dirs.Home()
	}
	if o.UserDir == "" {
		o.UserDir = defaultUserDir()
	} else if o.UserDir == "-" {
		o.UserDir = ""
	}
	return o, nil
}
