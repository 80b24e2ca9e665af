package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/permission"
)

func TestTrustAndGrantsPrintWhatTheirSchemasSay(t *testing.T) {
	to := newTarget(t)
	s := newSetting(t, map[string]string{ext + "asker.ts": to.asking("ask", to.ceiling()), ext + "old.ts": to.asking("ask_old", "")})
	for _, tt := range []struct {
		schema string
		args   []string
	}{
		{"trust", []string{"trust"}},
		{"trust", []string{"trust", "--list"}},
		{"permissions", []string{"permissions"}},
		{"grants", []string{"grant", "asker", "--allow-net=" + to.addr}},
		{"grants", []string{"grant", "old", "--allow-net=b.test", "--allow-env=A"}},
		{"permissions", []string{"permissions", "--allow-net=c.test"}},
		{"permissions", []string{"permissions", "asker"}},
		{"grants", []string{"revoke", "asker", "--all"}},
		{"grants", []string{"revoke", "asker", "--all"}},
		{"grants", []string{"revoke", "old", "--allow-env=A"}},
		{"trust", []string{"trust", "--remove"}},
		{"trust", []string{"trust", "--list"}},
		{"permissions", []string{"permissions"}},
		{"list", []string{"list"}},
		{"doctor", []string{"doctor"}},
	} {
		got := s.run(append(tt.args, "--json")...)
		require.Equal(t, exitOK, got.code, "%v: %s", tt.args, got.err)
		validate(t, tt.schema, got.out)
	}
}

func TestCarefulTellsWhatIsWide(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"net *": "it is every public host", "net *:8080": "it is every public host", "net *.a.test": "it is more than one host",
		"net a.test": "", "net a.test:8080": "", "net localhost": "it is this machine", "net localhost:1": "it is this machine", "net a.localhost": "it is this machine",
		"net 127.0.0.1:80": "it is this machine", "net [::1]": "it is this machine", "net [::1]:80": "it is this machine", "net 0.0.0.0": "it is this machine",
		"net 10.0.0.1": "it is in your own network", "net [fd00::1]:443": "it is in your own network", "net 8.8.8.8": "",
		"net 169.254.169.254": "it is where a cloud tells a machine its own secrets",
		"read /etc":           "it is outside the project", "write /tmp/x": "it is outside the project", "read .": "", "write .": "it is the whole project", "write out": "",
		"run git": "a program runs as you, outside the sandbox", "run *": "any program runs as you, outside the sandbox",
		"env GITHUB_TOKEN": "it looks like a secret", "env OPENAI_API_KEY": "it looks like a secret", "env DB_PASSWORD": "it looks like a secret", "env LANG": "", "env KEYBOARD": "",
		"tool read_file": "", "tool *": "it is more than one tool", "hook tool_call": "it sees what other tools are given or answer",
	} {
		for _, k := range permission.Kinds {
			if len(text) > len(k) && text[:len(k)] == string(k) {
				g, err := permission.ParseGrant(k, text[len(k)+1:], "/p")
				require.NoError(t, err)
				require.Equal(t, want, careful(g), text)
			}
		}
	}
}

func TestALongTextLosesItsMiddle(t *testing.T) {
	t.Parallel()
	require.Equal(t, "short", shorten("short", 10))
	require.Equal(t, "ééé … (4 characters left out) … ééé", shorten("éééééééééé", 6))
}
