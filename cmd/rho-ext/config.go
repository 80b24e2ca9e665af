package main

import (
	"crypto/x509"
	"fmt"
	"log/slog"
	"slices"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/internal/config"
	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/internal/frame"
	"github.com/rho-ext/rho-ext/internal/suggest"
	"github.com/rho-ext/rho-ext/registry"
)

// checkFlags looks at the flags that the configuration has a key for, so that a
// mistake is told in the flag's own words.
func (a *app) checkFlags() error {
	if a.isolation != "" {
		if _, err := host.ParseIsolation(a.isolation); err != nil {
			return usage("--isolation: %v", err)
		}
	}
	if a.timeout < 0 {
		return usage("--timeout must not be negative, got %s", a.timeout)
	}
	if _, ok := levels[a.logLevel]; !ok && a.logLevel != "" {
		return usage("--log-level: unknown level %q; expected debug, info, warn, error or off", a.logLevel)
	}
	if slices.Contains(a.extensions, "") {
		return usage("--extensions is empty; expected a folder, such as --extensions examples/extensions")
	}
	_, err := a.allow.grants("/")
	return err
}

// loadConfig reads the configuration, with the flags over it.
func (a *app) loadConfig(root string) (*config.Config, []config.Warning, error) {
	o := config.Options{Home: dirs.Home(), File: a.config, Root: root, Suggest: suggest.First, Frame: frame.Draw, Overrides: secretsOverride()}
	flag := func(key, value, name string) {
		o.Overrides = append(o.Overrides, config.Override{Key: key, Value: value, Source: config.FromFlag, Name: name})
	}
	if a.isolation != "" {
		flag("sandbox.isolation", a.isolation, "--isolation")
	}
	if a.timeout > 0 {
		flag("sandbox.call_timeout", a.timeout.String(), "--timeout")
	}
	if a.logLevel != "" {
		flag("log.level", a.logLevel, "--log-level")
	}
	for _, dir := range a.extensions {
		flag("extensions.dirs", dir, "--extensions")
	}
	return config.Load(o)
}

// isolationOf is the mode that the configuration asks for. Where it says
// nothing, a verb that runs one tool and ends takes the shortest path.
func (a *app) isolationOf(c *config.Config) (host.Isolation, error) {
	if a.short && c.Origin("sandbox.isolation").Source == config.FromDefault {
		return host.InProcess, nil
	}
	return host.ParseIsolation(c.Sandbox.Isolation)
}

// levels are the names of log levels. off is above all of them.
var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError, "off": slog.LevelError + 1000,
}

// logger writes log lines, without what red takes for secrets.
func (a *app) logger(level string, red registry.Redactor) *slog.Logger {
	if level == "off" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(&lineHandler{app: a, level: levels[level], red: red})
}

// networkOf is how requests of extensions leave, as the user has configured it.
func networkOf(c *config.Config) (*permission.Proxy, *x509.CertPool, error) {
	proxy, err := permission.ParseProxy(c.Network.Proxy, c.Network.NoProxy...)
	if err != nil {
		return nil, nil, fmt.Errorf("network.proxy: %w", err)
	}
	cas, err := permission.LoadCAs(c.Network.CAFiles)
	if err != nil {
		return nil, nil, fmt.Errorf("network.ca_files: %w", err)
	}
	return proxy, cas, nil
}
