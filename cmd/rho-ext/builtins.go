package main

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/rho-ext/rho-ext/builtin"
	"github.com/rho-ext/rho-ext/builtin/memory"
	"github.com/rho-ext/rho-ext/internal/config"
	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/internal/redact"
	"github.com/rho-ext/rho-ext/registry"
)

// registerBuiltins adds the built-in tools as the configuration describes them.
// real is the root without symbolic links, which names the project's folder.
func registerBuiltins(reg *registry.Registry, root, real string, c *config.Config, cas *x509.CertPool, redactor *redact.Redactor) error {
	o := builtin.Options{Root: root, Checkers: scriptCheckers(), Commands: builtin.CommandOptions{
		DeniedCommands: c.Shell.DeniedCommands, DeniedFlags: c.Shell.DeniedFlagCombos, AllowedCommands: c.Shell.AllowedCommands,
		Transport: transportOf(c, cas),
	}}
	if home := dirs.Home(); home != "" {
		o.Commands.StateDir = dirs.Project(home, real)
	}
	if err := builtin.Register(reg, o); err != nil {
		return err
	}
	if !c.Memory.Enabled {
		return nil
	}
	return memory.Register(reg, memory.Options{Root: root, Redact: redactor.Redact})
}

// transportOf carries requests of built-in tools, through the same proxy and
// trusting the same authorities as those of extensions.
func transportOf(c *config.Config, cas *x509.CertPool) http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = &tls.Config{RootCAs: cas, MinVersion: tls.VersionTLS12}
	t.Proxy = nil
	switch proxy := c.Network.Proxy; proxy {
	case "":
	case "environment":
		t.Proxy = http.ProxyFromEnvironment
	default:
		choose := (&httpproxy.Config{HTTPProxy: proxy, HTTPSProxy: proxy, NoProxy: strings.Join(c.Network.NoProxy, ",")}).ProxyFunc()
		t.Proxy = func(r *http.Request) (*url.URL, error) { return choose(r.URL) }
	}
	return t
}
