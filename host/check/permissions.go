package check

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/suggest"
	"github.com/rho-ext/rho-ext/registry"
)

func itoa(n int) string { return strconv.Itoa(n) }

// permissionRules compare what the extension asks for with what it uses.
func permissionRules(u *unit) {
	m := u.Manifest
	if m == nil || u.Survey == nil {
		return
	}
	knownTools(u)
	if m.Permissions == nil {
		if needs := kindsOf(u); len(needs) > 0 {
			u.say("permissions-none", at{}, "add permissions: { "+needs[0]+": [ … ] }, so that users see what it wants before it runs",
				"the manifest does not say what the extension may use, and the code uses %s", joined(needs))
		}
		return
	}
	p := m.Permissions
	wide(u, p)
	// Where code cannot be read, it may use anything.
	if !u.Survey.Code.Whole && len(u.Survey.Code.Computed) == 0 && !u.Survey.Cut {
		unused(u, p)
	}
	missing(u, p)
}

// kindsOf names the permissions that the code would need.
func kindsOf(u *unit) (out []string) {
	for _, k := range kinds {
		if u.Survey.Code.Effects.Has(k.effect) {
			out = append(out, k.name)
		}
	}
	return out
}

var kinds = []struct {
	name   string
	effect registry.Effects
}{{"net", registry.EffectNet}, {"write", registry.EffectWrite}, {"run", registry.EffectRun}}

func listOf(p *wire.Permissions, name string) []string {
	switch name {
	case "net":
		return p.Net
	case "write":
		return p.Write
	}
	return p.Run
}

func unused(u *unit, p *wire.Permissions) {
	say := func(name, format string, args ...any) {
		u.say("permission-unused", u.key("permissions"), "take it out: what is not asked for cannot be misused", "permissions."+name+": "+format, args...)
	}
	for _, k := range kinds {
		if len(listOf(p, k.name)) > 0 && !u.Survey.Code.Effects.Has(k.effect) {
			say(k.name, "the code never %s", map[string]string{"net": "fetches", "write": "writes a file", "run": "runs a program"}[k.name])
		}
	}
	if len(p.Read) > 0 && !slices.Equal(p.Read, []string{"."}) && !u.Survey.Code.Effects.Has(registry.EffectRead) {
		say("read", "the code never reads a file")
	}
	if len(p.Tools) > 0 && !u.Survey.Code.CallsTools {
		say("tools", "the code never calls a tool")
	}
	for _, name := range p.Env {
		used := u.targets(wire.TargetEnv, name)
		for _, s := range u.Manifest.Settings {
			used = used || s.Env == name
		}
		if !used {
			say("env", "the code never reads %s", name)
		}
	}
	for _, event := range p.Hooks {
		if !slices.ContainsFunc(u.Manifest.Hooks, func(h wire.Hook) bool { return eventOf[h.Name] == event }) {
			say("hooks", "there is no hook for %s", event)
		}
	}
}

// targets reports whether the code names something outside.
func (u *unit) targets(kind, name string) bool {
	return slices.ContainsFunc(u.Survey.Targets, func(t wire.Target) bool { return t.Kind == kind && t.Name == name })
}

// missing tells of what the code uses and the manifest does not ask for.
func missing(u *unit, p *wire.Permissions) {
	const hint = "nobody can grant it before the manifest asks for it: add %s: [%s] to permissions"
	for _, k := range kinds {
		if !u.Survey.Code.Effects.Has(k.effect) || len(listOf(p, k.name)) > 0 || u.Survey.Code.Whole {
			continue
		}
		for _, m := range u.Survey.Code.Seen {
			if m.Effect == k.effect && u.Owns(m.At) {
				u.say("permission-missing", at{pos: m.At}, fmt.Sprintf(hint, k.name, map[string]string{"net": `"api.example.com"`, "write": `"./out"`, "run": `"git"`}[k.name]),
					"%s will always be refused: the manifest's permissions have no %s", m.Name, k.name)
			}
		}
	}
	if p.Read != nil && len(p.Read) == 0 && u.Survey.Code.Effects.Has(registry.EffectRead) && !u.Survey.Code.Whole {
		for _, m := range u.Survey.Code.Seen {
			if m.Effect == registry.EffectRead && u.Owns(m.At) {
				u.say("permission-missing", at{pos: m.At}, "leave read out, which means the project, or name what is read", "%s will always be refused: permissions.read is empty", m.Name)
			}
		}
	}
	rules := []permission.NetRule{}
	for _, text := range p.Net {
		if rule, err := permission.ParseNetRule(text); err == nil {
			rules = append(rules, rule)
		}
	}
	for _, t := range u.Survey.Targets {
		if !u.Owns(t.At) {
			continue
		}
		switch t.Kind {
		case wire.TargetURL:
			host, port, ok := hostOf(t.Name)
			if ok && len(rules) > 0 && !slices.ContainsFunc(rules, func(r permission.NetRule) bool { return r.Covers(host, port) }) {
				u.say("permission-missing", at{pos: t.At}, fmt.Sprintf(hint, "net", strconv.Quote(host)), "the manifest's permissions.net does not have %s", host)
			}
		case wire.TargetProgram:
			if len(p.Run) > 0 && !runs(p.Run, t.Name) {
				u.say("permission-missing", at{pos: t.At}, fmt.Sprintf(hint, "run", strconv.Quote(programOf(t.Name))), "the manifest's permissions.run does not have %s", programOf(t.Name))
			}
		case wire.TargetEnv:
			if t.Name != "NODE_ENV" && !slices.Contains(p.Env, t.Name) {
				u.say("permission-missing", at{pos: t.At}, fmt.Sprintf(hint, "env", strconv.Quote(t.Name)), "%s is never set: the manifest's permissions.env does not have it", t.Name)
			}
		case wire.TargetTool:
			if !slices.ContainsFunc(p.Tools, func(pattern string) bool { ok, _ := path.Match(pattern, t.Name); return ok }) {
				u.say("permission-missing", at{pos: t.At}, fmt.Sprintf(hint, "tools", strconv.Quote(t.Name)), "the manifest's permissions.tools does not have %s", t.Name)
			}
		}
	}
}

func hostOf(address string) (host string, port uint16, ok bool) {
	v, err := url.Parse(address)
	if err != nil || v.Hostname() == "" {
		return "", 0, false
	}
	port = map[string]uint16{"https": 443, "http": 80}[v.Scheme]
	if text := v.Port(); text != "" {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			return "", 0, false
		}
		port = uint16(n)
	}
	return v.Hostname(), port, port != 0
}

// programOf is the program of a command line; of one that is no plain text
// nothing is said.
func programOf(line string) string {
	if f := strings.Fields(line); len(f) > 0 {
		return f[0]
	}
	return line
}

// runs reports whether a command may be covered.
func runs(list []string, line string) bool {
	return strings.ContainsAny(line, "$`'\"&|;<>(){}=") || programOf(line) == "" || slices.ContainsFunc(list, func(text string) bool {
		p := programOf(text)
		return p == "*" || base(p) == base(programOf(line))
	})
}

func base(p string) string { return path.Base(strings.ReplaceAll(p, `\`, "/")) }

var shells = []string{"sh", "bash", "zsh", "dash", "fish", "ksh", "cmd", "cmd.exe", "powershell", "powershell.exe", "pwsh", "pwsh.exe"}

// wide tells of permissions that leave nothing to refuse.
func wide(u *unit, p *wire.Permissions) {
	say := func(format string, args ...any) {
		u.say("permission-wide", u.key("permissions"), "ask for what the code needs and no more: users see it when they are asked", format, args...)
	}
	for _, text := range p.Net {
		if rule, err := permission.ParseNetRule(text); err == nil && (rule.String() == "*" || strings.HasPrefix(rule.String(), "*:")) {
			say("permissions.net asks for every host: %s", text)
		}
	}
	for _, text := range p.Run {
		switch f := strings.Fields(text); {
		case len(f) == 1 && f[0] == "*":
			say("permissions.run asks for every program")
		case len(f) == 1 && slices.Contains(shells, strings.ToLower(base(f[0]))):
			say("permissions.run asks for %s, which runs any program", text)
		}
	}
	for _, text := range p.Write {
		if clean := path.Clean(strings.ReplaceAll(text, `\`, "/")); clean == "/" || clean == "~" {
			say("permissions.write asks for every file: %s", text)
		}
	}
	if slices.Contains(p.Tools, "*") {
		say("permissions.tools asks for every tool")
	}
}

// knownTools tells of tools that are named and that nobody has.
func knownTools(u *unit) {
	if slices.ContainsFunc(u.run.listed, func(e host.ExtensionInfo) bool { return e.State == host.StateDisabled }) {
		return // its tools are not known
	}
	names := map[string]bool{}
	for name := range u.run.builtins {
		names[name] = true
	}
	for _, o := range u.run.units {
		if o.Manifest == nil {
			return // what it would have is not known
		}
		for _, t := range o.Manifest.Tools {
			names[t.Name] = true
		}
	}
	all := make([]string, 0, len(names))
	for name := range names {
		all = append(all, name)
	}
	slices.Sort(all)
	const hint = "check the spelling; rho-ext list shows the tools that there are"
	if p := u.Manifest.Permissions; p != nil {
		for _, pattern := range p.Tools {
			if !slices.ContainsFunc(all, func(name string) bool { ok, err := path.Match(pattern, name); return ok || err != nil }) {
				u.say("unknown-tool", u.key("permissions"), hint, "permissions.tools names %s, and there is no such tool%s", pattern, suggest.Hint(suggest.Names(pattern, all, 1)...))
			}
		}
	}
	for _, t := range u.Survey.Targets {
		if t.Kind == wire.TargetTool && u.Owns(t.At) && !names[t.Name] {
			u.say("unknown-tool", at{pos: t.At}, hint, "there is no tool %s%s", t.Name, suggest.Hint(suggest.Names(t.Name, all, 1)...))
		}
	}
}

func joined(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
