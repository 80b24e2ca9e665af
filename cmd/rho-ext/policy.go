package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rho-ext/rho-ext/internal/config"
	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/internal/redact"
	"github.com/rho-ext/rho-ext/registry"
)

// policyOf makes the policy that the configuration describes, with the answers
// that were given for always.
func policyOf(c *config.Config, granted []registry.Approval) (*registry.Policy, error) {
	o := registry.PolicyOptions{Granted: granted, Defaults: map[registry.Risk]registry.Action{}}
	for risk, action := range map[registry.Risk]config.Action{
		registry.Read: c.Approval.Read, registry.Write: c.Approval.Write,
		registry.Network: c.Approval.Network, registry.Destructive: c.Approval.Destructive,
	} {
		a, err := registry.ParseAction(string(action))
		if err != nil {
			return nil, fmt.Errorf("approval.%s: %w", risk, err)
		}
		o.Defaults[risk] = a
	}
	for _, r := range c.Approval.Rules {
		rule := registry.Rule{Tool: r.Tool, Owner: r.Owner, Arg: r.Arg, Match: r.Match, Source: r.Origin.String()}
		var err error
		if rule.Action, err = registry.ParseAction(string(r.Action)); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Key, err)
		}
		if rule.Effects, err = registry.ParseEffects(r.Effects); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Key, err)
		}
		o.Rules = append(o.Rules, rule)
	}
	return registry.NewPolicy(o)
}

// redactorOf makes the one redactor that the door, the session log and the
// logger share, so that a secret that is added to it leaves through none of
// them. Where the configuration turns redaction off, it knows secrets by value
// alone.
func redactorOf(c *config.Config) (*redact.Redactor, error) {
	return redact.New(redact.Options{Patterns: c.Redaction.CustomPatterns, Disabled: !c.Redaction.Enabled})
}

// kept is the file with the answers that were given for always, one per line.
// It is the user's own, apart for each project.
type kept struct{ path string }

func keptFor(root string) kept {
	home := dirs.Home()
	if home == "" {
		return kept{}
	}
	return kept{filepath.Join(dirs.Project(home, root), "approvals.jsonl")}
}

// read gives the answers. A line that is broken approves nothing.
func (k kept) read() []registry.Approval {
	if k.check() != nil {
		return nil
	}
	f, err := os.Open(k.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var out []registry.Approval
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20) // far more than any answer; the rest is none
	for lines.Scan() {
		var a registry.Approval
		if json.Unmarshal(lines.Bytes(), &a) == nil && a.Tool != "" {
			out = append(out, a)
		}
	}
	return out
}

// check says why the file, if there is one, cannot be used. Others than regular
// ones are not opened: that of a pipe might never return.
func (k kept) check() error {
	st, err := os.Stat(k.path)
	if err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", k.path)
	}
	return nil
}

// add keeps one answer more. A whole line is written at once, so that two
// programs do not mix theirs.
func (k kept) add(a registry.Approval) error {
	if k.path == "" {
		return fmt.Errorf("there is no place for it: set %s", dirs.HomeVariable)
	}
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return err
	}
	line, err := json.Marshal(a)
	if err == nil {
		err = k.check()
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(k.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
