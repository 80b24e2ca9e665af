package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/internal/config"
	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/internal/redact"
	"github.com/rho-ext/rho-ext/internal/secret"
	"github.com/rho-ext/rho-ext/internal/suggest"
)

// settingsFrom makes the host read settings of extensions from the configuration,
// and their secrets from the store. Whoever shares the redactor keeps them back
// from then on.
func settingsFrom(o host.Options, c *config.Config, red *redact.Redactor) host.Options {
	o.Settings = func(k host.SettingsKey) map[string]json.RawMessage {
		return c.SettingsOf(k.Extension, k.Scope == host.ScopeProject)
	}
	o.OnSecret = func(values ...string) { red.Add(values...) }
	if store := secretsOf(c, o.Root); store != nil {
		o.Secrets = func(ctx context.Context, k host.SettingsKey, name string) (string, bool, error) {
			v, _, err := store.Get(ctx, secretKey(k, name))
			if errors.Is(err, secret.ErrNotFound) {
				return "", false, nil
			}
			return v.Reveal(), err == nil, err
		}
	}
	return o
}

// secretsOf is the store of a project's secrets, or nil where there is no place
// for it. root has no symbolic links.
func secretsOf(c *config.Config, root string) *secret.Store {
	home := dirs.Home()
	if home == "" || root == "" {
		return nil
	}
	return secret.New(secret.Options{Dir: dirs.Project(home, root), FileOnly: c.Secrets.Store == "file"})
}

func secretKey(k host.SettingsKey, name string) secret.Key {
	return secret.Key{Scope: string(k.Scope), Root: k.Root, Dir: k.Dir, Extension: k.Extension, Name: name}
}

// settingWarnings tells which values for settings have no effect. Only with the
// extensions at hand can that be known.
func settingWarnings(c *config.Config, extensions []host.ExtensionInfo) []config.Warning {
	var out []config.Warning
	for _, s := range c.Settings {
		for _, e := range extensions {
			if e.ID != s.Extension || e.State == host.StateShadowed {
				continue
			}
			if why := settingIgnored(s, e); why != "" {
				out = append(out, config.Warning{File: s.Origin.File, Line: s.Origin.Line, Column: s.Column, Key: s.Key(), Why: why})
			}
		}
	}
	return out
}

// settingIgnored says why a value has no effect, or "".
func settingIgnored(s config.ExtensionSetting, e host.ExtensionInfo) string {
	if s.Origin.Source == config.FromProject && e.Scope != host.ScopeProject {
		return fmt.Sprintf("a project's file may set its own extensions alone, and %s is at %s", e.ID, e.Path)
	}
	if e.State != host.StateLoaded {
		return "" // what it declares is not known
	}
	var names []string
	for _, d := range e.Settings {
		if d.Name == s.Name && d.Secret {
			return fmt.Sprintf("it is a secret, and those are not read from here; take it out, and use rho-ext secret set %s %s", e.ID, d.Name)
		}
		if d.Name == s.Name {
			return ""
		}
		names = append(names, d.Name)
	}
	return fmt.Sprintf("%s declares no such setting%s", e.ID, suggest.Hint(suggest.Names(s.Name, names, 1)...))
}

// warn tells of lines of the configuration that have no effect.
func (a *app) warn(warnings []config.Warning) {
	for _, w := range warnings {
		fmt.Fprintln(a.err, a.paint(yellow, "warning:"), clean(w.String()))
	}
}

// secretsVariable is the variable that beats secrets.store.
const secretsVariable = "RHO_SECRETS"

func secretsOverride() []config.Override {
	if store := os.Getenv(secretsVariable); store != "" {
		return []config.Override{{Key: "secrets.store", Value: store, Source: config.FromEnvironment, Name: secretsVariable}}
	}
	return nil
}
