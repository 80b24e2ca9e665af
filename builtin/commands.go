package builtin

import (
	"net/http"

	"github.com/rho-ext/rho-ext/internal/denylist"
	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/registry"
)

// CommandOptions are what the tools that run programs and look things up need
// to know. The zero value works; nothing is looked for before a call needs it.
type CommandOptions struct {
	// StateDir is the project's private directory, outside of the project. Full
	// output of commands is kept in its folder output, and session_summary reads
	// its folder log. Empty: output that is too long is not kept.
	StateDir string
	// Shell is the shell of run_command and wait_for where a call names none:
	// sh, bash, zsh, pwsh, powershell or cmd. Empty means bash where there is
	// one, else sh; on Windows pwsh, else powershell, else cmd.
	Shell string
	// DeniedCommands and DeniedFlags are refused besides the built-in list, and
	// AllowedCommands are taken off that list.
	DeniedCommands  []string
	DeniedFlags     [][]string
	AllowedCommands []string
	// SessionLog is a session log to summarise in place of the one in StateDir:
	// a folder of this program's, or a file with a message per line.
	SessionLog string
	// CratesURL is the registry that crates_io_lookup asks; empty means
	// https://crates.io.
	CratesURL string
	// Transport carries its requests; nil is one like [http.DefaultTransport].
	Transport http.RoundTripper
	// RustDocs are further folders with pages of rustdoc.
	RustDocs []string
}

// commandTools are the tools that run programs and look things up.
func commandTools(j *jail.Jail, o CommandOptions) []registry.Tool {
	p := &programs{jail: j, o: o, denied: denylist.List{Commands: o.DeniedCommands, Flags: o.DeniedFlags, Allowed: o.AllowedCommands}}
	jobs := newJobs(p)
	return []registry.Tool{
		newRunCommand(p, jobs), newCommandJob(jobs),
		newGoBuild(p), newGoVet(p), newGoTest(p),
		newCargoCheck(p), newCargoClippy(p), newCargoTest(p), newCargoFix(p), newRustcExplain(p),
		newWaitFor(p), newRustdocLookup(p), newCratesLookup(o), newSessionSummary(o),
	}
}
