package check

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/redact"
)

// secretName are names of settings that hold secrets.
var secretName = regexp.MustCompile(`(?i)(api[_-]?key|access[_-]?key|private[_-]?key|password|passwd|passphrase|secret|credential|auth[_-]?token|access[_-]?token|api[_-]?token|bearer)s?$|(?i)^(token|.*[a-z]Token)$`)

// settingRules look at what users may set.
func settingRules(u *unit) {
	m := u.Manifest
	if m == nil || u.Survey == nil {
		return
	}
	for _, name := range u.Survey.Unused {
		u.say("setting-unused", u.key("settings"), "take it out, or use it as ctx.config."+name, "the setting %s is never used", name)
	}
	for _, name := range sorted(m.Settings) {
		s := m.Settings[name]
		switch {
		case s.Secret || s.Type != "string":
		case secretName.MatchString(name):
			hint := "add secret: true: it is kept in the system's keychain, and taken out of logs and answers"
			if text := stringOf(s.Default); text != "" {
				u.say("setting-secret", u.key("settings"), hint, "the setting %s looks like a secret, and has a default in clear text", name)
			} else {
				u.say("setting-secret", u.key("settings"), hint, "the setting %s looks like a secret, and is kept in clear text", name)
			}
		}
	}
}

func stringOf(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

// secretRules look for secrets in the source itself.
func secretRules(u *unit) {
	red, err := redact.New(redact.Options{})
	if err != nil {
		return
	}
	for _, name := range u.Own() {
		n := 0
		for line := range strings.Lines(u.Text(name)) {
			n++
			if len(line) > 4096 || !strings.ContainsAny(line, "'\"`") {
				continue
			}
			for _, lit := range literal.FindAllStringIndex(line, -1) {
				text := line[lit[0]+1 : lit[1]-1]
				if len(text) < 16 || strings.ContainsAny(text, " ${") || red.Redact(text) == text {
					continue
				}
				u.say("secret-in-code", at{pos: wire.Position{File: name, Line: n, Column: 1 + len([]rune(line[:lit[0]]))}},
					"declare a setting with secret: true, and take a new secret: this one is known to whoever has the file", "the text looks like a secret")
			}
		}
	}
	for i := range u.findings { // a frame would show it to whoever reads the log
		if u.findings[i].Rule == "secret-in-code" {
			u.findings[i].Frame = ""
		}
	}
}

var literal = regexp.MustCompile(`"[^"\\]*"|'[^'\\]*'|` + "`[^`\\\\]*`")
