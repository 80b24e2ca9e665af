package main

import (
	"net/netip"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rho-ext/rho-ext/host/permission"
)

// careful says what a person should know before they give a grant, or "" where
// it speaks for itself.
func careful(g permission.Grant) string {
	switch g.Kind {
	case permission.KindNet:
		return carefulHost(g.Target)
	case permission.KindRead, permission.KindWrite:
		switch {
		case filepath.IsAbs(filepath.FromSlash(g.Target)):
			return "it is outside the project"
		case g.Kind == permission.KindWrite && g.Target == ".":
			return "it is the whole project"
		}
	case permission.KindRun:
		if g.Target == "*" {
			return "any program runs as you, outside the sandbox"
		}
		return "a program runs as you, outside the sandbox"
	case permission.KindEnv:
		if secretName.MatchString(g.Target) {
			return "it looks like a secret"
		}
	case permission.KindTool:
		if strings.ContainsAny(g.Target, "*?[") {
			return "it is more than one tool"
		}
	case permission.KindHook:
		return "it sees what other tools are given or answer"
	}
	return ""
}

var secretName = regexp.MustCompile(`(?i)token|secret|passw|credential|(^|_)(api_?)?key($|_)|auth`)

// carefulHost is for the target of a network grant.
func carefulHost(target string) string {
	rule, err := permission.ParseNetRule(target)
	if err != nil {
		return ""
	}
	if target == "*" || strings.HasPrefix(target, "*:") {
		return "it is every public host"
	}
	if rule.Wildcard() {
		return "it is more than one host"
	}
	host := strings.TrimPrefix(target, "[")
	if i := strings.LastIndexAny(host, "]:"); i >= 0 && (host[i] == ']' || strings.Count(host, ":") == 1) {
		host = host[:i]
	}
	host, _, _ = strings.Cut(host, "]")
	addr, err := netip.ParseAddr(host)
	switch {
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return "it is this machine"
	case err != nil:
		return ""
	case addr.IsLoopback() || addr.IsUnspecified():
		return "it is this machine"
	case addr.IsLinkLocalUnicast():
		return "it is where a cloud tells a machine its own secrets"
	case addr.IsPrivate():
		return "it is in your own network"
	}
	return ""
}
