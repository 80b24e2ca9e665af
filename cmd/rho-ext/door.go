package main

import (
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/rho-ext/rho-ext/internal/config"
	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/internal/sessionlog"
	"github.com/rho-ext/rho-ext/registry"
)

// newDoor makes the door that the configuration describes. root has no symbolic
// links, for two names of a project are one project. gate answers where
// the policy asks; --yes answers yes for it. session may be nil.
func (a *app) newDoor(reg *registry.Registry, root string, c *config.Config, gate registry.Gate, redactor registry.Redactor, logger *slog.Logger, session *sessionlog.Log) (*registry.Door, error) {
	keep := keptFor(root)
	policy, err := policyOf(c, keep.read())
	if err != nil {
		return nil, usage("%v", err)
	}
	if a.yes {
		gate = registry.AllowAll
	}
	o := &registry.DoorOptions{
		Timeout: c.Sandbox.CallTimeout, ForceTimeout: a.timeout, ProjectRoot: root, Logger: logger,
		Policy: policy, Gate: gate, KeepApproval: keep.add, Redactor: redactor,
	}
	if session != nil && !a.unlogged {
		o.Middleware = append(o.Middleware, registry.SessionLog(session, redactor, func(err error) {
			logger.Warn("the session log could not be written", "error", err)
		}))
	}
	return registry.NewDoor(reg, o), nil
}

// openSession opens the project's session log. A place that cannot be written
// is a warning: no call may fail over its record.
func (a *app) openSession(root string, c *config.Config) *sessionlog.Log {
	home := dirs.Home()
	if !c.Log.Session || home == "" {
		return nil
	}
	log, err := sessionlog.Open(sessionlog.Options{Dir: sessionDir(home, root), MaxBytes: c.Log.MaxBytes})
	if err != nil {
		fmt.Fprintln(a.err, a.paint(yellow, "warning:"), clean("there is no session log: "+err.Error()))
		return nil
	}
	return log
}

// sessionDir is where the session log of a project is.
func sessionDir(home, root string) string { return filepath.Join(dirs.Project(home, root), "log") }
