package permission

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

func ceilingOf(t *testing.T, p *wire.Permissions, effects registry.Effects) *Ceiling {
	t.Helper()
	c, err := CeilingOf(&wire.Manifest{Permissions: p, Effects: effects}, "/p")
	require.NoError(t, err)
	return c
}

func TestReadingTheProjectIsMeantWhereReadIsNotSaid(t *testing.T) {
	t.Parallel()
	notSaid := ceilingOf(t, &wire.Permissions{}, 0)
	require.Equal(t, []Grant{{KindRead, "."}}, notSaid.Grants())
	none := ceilingOf(t, &wire.Permissions{Read: []string{}}, 0)
	require.Empty(t, none.Grants())
	require.NotEqual(t, notSaid.Hash(), none.Hash())
	require.Equal(t, notSaid.Hash(), ceilingOf(t, &wire.Permissions{Read: []string{"."}}, 0).Hash())
	require.True(t, none.Declared())
	require.Empty(t, none.Any(), "what a manifest says is all")

	without, err := CeilingOf(&wire.Manifest{Permissions: &wire.Permissions{}}, "")
	require.NoError(t, err)
	require.Empty(t, without.Grants(), "there is no project to read")
}

func TestACeilingsHashIsThatOfWhatItSays(t *testing.T) {
	t.Parallel()
	base := wire.Permissions{
		Net: []string{"a.test", "b.test"}, Read: []string{"."}, Write: []string{"out"}, Run: []string{"git"},
		Env: []string{"TOKEN"}, Tools: []string{"read_file"}, Hooks: []string{"tool_call"},
	}
	hash := ceilingOf(t, &base, 0).Hash()
	require.Len(t, hash, 32)

	same := base
	same.Net = []string{"B.test", "https://a.test", "b.test", "a.test"}
	same.Write = []string{"./out/", "out"}
	same.Run = []string{" git "}
	require.Equal(t, hash, ceilingOf(t, &same, registry.EffectNet).Hash(), "order, spelling, repetition and effects change nothing")

	seen := map[string]string{hash: "the first"}
	for name, widen := range map[string]func(*wire.Permissions){
		"a host":     func(p *wire.Permissions) { p.Net = append(slices.Clone(p.Net), "c.test") },
		"a wildcard": func(p *wire.Permissions) { p.Net = []string{"a.test", "*.b.test"} },
		"a port":     func(p *wire.Permissions) { p.Net = []string{"a.test", "b.test:80"} },
		"read more":  func(p *wire.Permissions) { p.Read = []string{".", "/etc"} },
		"read less":  func(p *wire.Permissions) { p.Read = []string{} },
		"write":      func(p *wire.Permissions) { p.Write = []string{"."} },
		"a program":  func(p *wire.Permissions) { p.Run = []string{"git", "curl"} },
		"any":        func(p *wire.Permissions) { p.Run = []string{"*"} },
		"a variable": func(p *wire.Permissions) { p.Env = []string{"TOKEN", "KEY"} },
		"a tool":     func(p *wire.Permissions) { p.Tools = []string{"*"} },
		"an event":   func(p *wire.Permissions) { p.Hooks = []string{"tool_call", "tool_result"} },
		"nothing":    func(p *wire.Permissions) { *p = wire.Permissions{Read: []string{}} },
	} {
		p := base
		widen(&p)
		h := ceilingOf(t, &p, 0).Hash()
		require.NotContains(t, seen, h, "%s looks as %s", name, seen[h])
		seen[h] = name
	}
	for _, effects := range []registry.Effects{0, registry.EffectNet, registry.EffectNet | registry.EffectRun} {
		h := ceilingOf(t, nil, effects).Hash()
		require.NotContains(t, seen, h, "what was seen is not what was said")
		seen[h] = effects.String()
	}
}

func TestWithoutPermissionsTheCeilingIsWhatTheCodeUses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		m    wire.Manifest
		want []Kind
	}{
		{wire.Manifest{}, []Kind{KindEnv}},
		{wire.Manifest{Effects: registry.EffectNet}, []Kind{KindNet, KindEnv}},
		{wire.Manifest{Effects: registry.EffectRead | registry.EffectWrite}, []Kind{KindRead, KindWrite, KindEnv}},
		{wire.Manifest{Effects: registry.EffectRun}, []Kind{KindRun, KindEnv}},
		{wire.Manifest{Tools: []wire.Tool{{}, {CallsTools: true}}}, []Kind{KindEnv, KindTool}},
		{wire.Manifest{Hooks: []wire.Hook{{Name: "onToolCall"}}}, []Kind{KindEnv, KindHook}},
	} {
		c, err := CeilingOf(&tt.m, "/p")
		require.NoError(t, err)
		require.False(t, c.Declared())
		require.Equal(t, tt.want, c.Any())
		for _, k := range Kinds {
			g := Grant{k, map[Kind]string{KindNet: "a.test", KindRead: "/etc", KindWrite: "x", KindRun: "git", KindEnv: "A", KindTool: "t", KindHook: "tool_call"}[k]}
			require.Equal(t, slices.Contains(tt.want, k), c.Admits(g), "%s", g)
		}
		require.True(t, c.Admits(Grant{KindRead, "."}), "the project may be read")
	}
}

func TestAWrongPermissionIsTheManifestsFault(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]wire.Permissions{
		`permissions.net[1]: "a b" does not name a host`: {Net: []string{"a.test", "a b"}},
		`permissions.write[0]: it is empty`:              {Write: []string{""}},
		`permissions.run[0]: "* x": * is any program`:    {Run: []string{"* x"}},
		`permissions.env[0]: "A-B" is not the name`:      {Env: []string{"A-B"}},
		`permissions.tools[0]: "[" is not the name`:      {Tools: []string{"["}},
		`permissions.hooks[2]: "x" is not an event`:      {Hooks: []string{"tool_call", "tool_result", "x"}},
	} {
		_, err := CeilingOf(&wire.Manifest{Permissions: &p}, "/p")
		require.ErrorContains(t, err, want)
		var m *ManifestError
		require.True(t, errors.As(err, &m))
		require.Error(t, errors.Unwrap(err))
	}
}

func TestWhatAManifestAsksForCanBeGranted(t *testing.T) {
	t.Parallel()
	c := ceilingOf(t, &wire.Permissions{
		Net: []string{"a.test", "b.test:8443", "*.c.test", "d.test:443"}, Read: []string{"docs"}, Write: []string{"out", "/tmp/x"},
		Run: []string{"git", "npm test"}, Env: []string{"TOKEN"}, Tools: []string{"read_*"}, Hooks: []string{"tool_call"},
	}, 0)
	for text, want := range map[string]bool{
		"net a.test": true, "net a.test:80": true, "net b.test:8443": true, "net b.test:80": false, "net x.c.test": true, "net x.c.test:9": true,
		"net *.c.test": true, "net *.x.c.test": true, "net c.test": false, "net *": false, "net *.a.test": false, "net e.test": false,
		"net d.test": true, // on any port, of which the ceiling leaves one
		"net b.test": true, "net *.test": false,
		"read docs": true, "read docs/a": true, "read docsx": false, "read .": true, "read /etc": false,
		"read out/a": true, "read /tmp/x": true, // what may be changed may be read
		"write out": true, "write out/a": true, "write .": true, "write docs": false, "write /tmp": true, "write /tmp/y": false,
		"run git": true, "run git push": true, "run gitx": false, "run *": false, "run npm": true, "run npm test": true, "run npm test -v": true, "run npm publish": false,
		"env TOKEN": true, "env KEY": false,
		"tool read_*": true, "tool read_file": true, "tool write_file": false, "tool *": false,
		"hook tool_call": true, "hook tool_result": false,
	} {
		require.Equal(t, want, c.Admits(grantOf(t, text, "/p")), text)
	}
	require.False(t, c.Admits(Grant{KindNet, "a b"}))
	require.False(t, c.Admits(Grant{KindRun, ""}))
	require.False(t, c.Admits(Grant{"fly", "away"}))

	wide := ceilingOf(t, &wire.Permissions{Net: []string{"*"}, Run: []string{"*"}, Tools: []string{"*"}}, 0)
	for _, text := range []string{"net localhost:1", "net *", "run git push", "run *", "tool *", "tool a"} {
		require.True(t, wide.Admits(grantOf(t, text, "/p")), text)
	}
}

// What a denial suggests must be possible and must help, whatever part of the
// ceiling lets it be asked for.
func TestEverySuggestionBelowTheCeilingIsAdmitted(t *testing.T) {
	t.Parallel()
	c := ceilingOf(t, &wire.Permissions{
		Net: []string{"a.test:443", "*.c.test:8080", "d.test"}, Read: []string{}, Write: []string{"out", "/tmp/x"}, Run: []string{"npm test", "./x.sh -v"},
	}, 0)
	for _, n := range []Need{
		NeedNet("https", "a.test", 443), NeedNet("http", "a.test", 443), NeedNet("http", "x.c.test", 8080), NeedNet("http", "d.test", 1),
		NeedPath(KindRead, "/tmp/x/a", "/p"), NeedPath(KindWrite, "/p/out", "/p"),
		NeedRun("npm", []string{"test"}, "/p"), NeedRun("./x.sh", []string{"-v", "a"}, "/p"),
	} {
		store := &MemoryStore{}
		a := NewAccess(AccessOptions{Key: Key{Root: "/p", Extension: "e"}, Ceiling: c, Kept: store})
		_, denied := a.Check(&n, nil)
		require.NotNil(t, denied)
		require.False(t, denied.Undeclared, "%s", n.Grant)
		require.True(t, c.Admits(n.Grant), "%s", n.Grant)
		require.NoError(t, store.Add(a.Key(), n.Grant))
		by, denied := a.Check(&n, nil)
		require.Nil(t, denied, "%s", n.Grant)
		require.Equal(t, "granted", by)
	}
}
