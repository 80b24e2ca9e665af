package permission

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// accessOf gives access to the project /p below a ceiling.
func accessOf(t *testing.T, p *wire.Permissions, o AccessOptions) *Access {
	t.Helper()
	o.Ceiling = ceilingOf(t, p, registry.EffectNet)
	o.Key = Key{Scope: "project", Root: "/p", Dir: "/p/.rho/extensions", Extension: "notes", Hash: o.Ceiling.Hash()}
	return NewAccess(o)
}

func check(a *Access, n Need, once *Set) string {
	by, denied := a.Check(&n, once)
	if denied != nil {
		return "no"
	}
	return by
}

func TestOnlyWhatIsAskedForAndGrantedIsAllowed(t *testing.T) {
	t.Parallel()
	kept := &MemoryStore{}
	a := accessOf(t, &wire.Permissions{Net: []string{"a.test"}, Write: []string{"out"}}, AccessOptions{Kept: kept})
	for _, tt := range []struct{ grant, want string }{
		{"", "no"}, {"net b.test", "no"}, {"net *", "granted"}, {"net a.test", "granted"},
	} {
		if tt.grant != "" {
			require.NoError(t, kept.Add(a.Key(), grantOf(t, tt.grant, "/p")))
		}
		require.Equal(t, tt.want, check(a, NeedNet("https", "a.test", 443), nil), tt.grant)
		require.Equal(t, "no", check(a, NeedNet("https", "b.test", 443), nil), "the manifest does not ask for it")
	}
	require.NoError(t, kept.Add(a.Key(), Grant{KindWrite, "."}))
	require.Equal(t, "granted", check(a, NeedPath(KindWrite, filepath.FromSlash("/p/out/x"), "/p"), nil))
	require.Equal(t, "no", check(a, NeedPath(KindWrite, filepath.FromSlash("/p/x"), "/p"), nil))
}

func TestAYesIsToldByWhatGaveIt(t *testing.T) {
	t.Parallel()
	kept, session := &MemoryStore{}, &MemoryStore{}
	a := accessOf(t, nil, AccessOptions{Flags: []Grant{{KindNet, "flag.test"}, {KindNet, "*.b.test"}}, Kept: kept, Session: session})
	require.NoError(t, kept.Add(a.Key(), Grant{KindNet, "kept.test"}))
	require.NoError(t, session.Add(a.Key(), Grant{KindNet, "session.test"}))
	once := NewSet("/p", Held{Grant{KindNet, "once.test"}, "once"})
	net := func(host string) Need { return NeedNet("https", host, 443) }
	for host, want := range map[string]string{
		"flag.test": "--allow-net=flag.test", "a.b.test": "--allow-net='*.b.test'", "kept.test": "granted", "session.test": "session", "once.test": "once", "none.test": "no",
	} {
		require.Equal(t, want, check(a, net(host), once), host)
	}
	require.Equal(t, "no", check(a, net("once.test"), nil), "once is one call's")
	require.Equal(t, "default", check(accessOf(t, &wire.Permissions{}, AccessOptions{}), NeedPath(KindRead, "/p/a", "/p"), nil))
}

func TestWhatIsTakenBackIsGoneAtOnce(t *testing.T) {
	t.Parallel()
	kept := &MemoryStore{}
	a := accessOf(t, nil, AccessOptions{Kept: kept})
	g := Grant{KindNet, "a.test"}
	for range 3 {
		require.Equal(t, "no", check(a, NeedNet("https", "a.test", 443), nil))
		require.NoError(t, kept.Add(a.Key(), g))
		require.Equal(t, "granted", check(a, NeedNet("https", "a.test", 443), nil))
		require.NoError(t, kept.Remove(a.Key(), g))
	}
}

// A wildcard never hides a rule that names the host, whoever gave which.
func TestTheNamedHostCountsInWhateverSetItIs(t *testing.T) {
	t.Parallel()
	wild, named, exact := Grant{KindNet, "*"}, Grant{KindNet, "a.test"}, Grant{KindNet, "a.test:6667"}
	for _, sets := range [][4][]Grant{
		{{wild}, {named}, {exact}, nil}, {{exact}, {named}, {wild}, nil}, {{named}, {wild}, nil, {exact}}, {{wild, exact}, {named}, nil, {wild}},
	} {
		kept, session := &MemoryStore{}, &MemoryStore{}
		a := accessOf(t, &wire.Permissions{Net: []string{"*"}}, AccessOptions{Flags: sets[0], Kept: kept, Session: session})
		require.NoError(t, kept.Add(a.Key(), sets[1]...))
		require.NoError(t, session.Add(a.Key(), sets[2]...))
		var once []Held
		for _, g := range sets[3] {
			once = append(once, Held{g, "once"})
		}
		for _, tt := range []struct {
			port uint16
			want Grant
		}{{6667, exact}, {80, named}} {
			n := NeedNet("http", "a.test", tt.port)
			_, denied := a.Check(&n, NewSet("/p", once...))
			require.Nil(t, denied)
			require.Equal(t, tt.want.Target, n.Rule.String())
		}
		n := NeedNet("http", "b.test", 80)
		_, denied := a.Check(&n, nil)
		require.Nil(t, denied)
		require.True(t, n.Rule.Wildcard())
	}
}

func TestAnAnswerIsKeptForAsLongAsItSays(t *testing.T) {
	t.Parallel()
	g := Grant{KindNet, "a.test"}
	for scope, want := range map[registry.Scope][2]int{registry.Once: {0, 0}, registry.Session: {0, 1}, registry.Always: {1, 0}} {
		kept, session := &MemoryStore{}, &MemoryStore{}
		a := accessOf(t, nil, AccessOptions{Kept: kept, Session: session})
		require.True(t, a.CanKeep())
		require.NoError(t, a.Keep(g, scope))
		k, _ := kept.Grants(a.Key())
		s, _ := session.Grants(a.Key())
		require.Equal(t, want, [2]int{len(k), len(s)}, scope.String())
	}
	session := &MemoryStore{}
	a := accessOf(t, nil, AccessOptions{Session: session})
	require.False(t, a.CanKeep())
	require.NoError(t, a.Keep(g, registry.Always))
	s, _ := session.Grants(a.Key())
	require.Len(t, s, 1, "where nothing can be kept, always is this session")
	require.NoError(t, accessOf(t, nil, AccessOptions{}).Keep(g, registry.Always))
}

func TestGrantsAreOfOneKeyAlone(t *testing.T) {
	t.Parallel()
	kept := &MemoryStore{}
	a := accessOf(t, nil, AccessOptions{Kept: kept})
	for _, change := range []func(*Key){
		func(k *Key) { k.Scope = "user" }, func(k *Key) { k.Root = "/q" }, func(k *Key) { k.Dir = "/p/more" },
		func(k *Key) { k.Extension = "Notes" }, func(k *Key) { k.Hash = "" }, func(k *Key) { k.Hash += "0" },
	} {
		k := a.Key()
		change(&k)
		require.NoError(t, kept.Add(k, Grant{KindNet, "a.test"}))
		require.Equal(t, "no", check(a, NeedNet("https", "a.test", 443), nil), "%+v", k)
	}
}

func TestPathsAreAllPlacesThatAreOpen(t *testing.T) {
	t.Parallel()
	kept := &MemoryStore{}
	a := accessOf(t, nil, AccessOptions{Flags: []Grant{{KindRead, "/etc"}, {KindNet, "a.test"}}, Kept: kept})
	require.NoError(t, kept.Add(a.Key(), Grant{KindWrite, "out"}, Grant{KindRead, "/etc"}))
	var want []string
	for _, p := range []string{"/etc", "/p", "/p/once", "/p/out"} {
		want = append(want, filepath.FromSlash(p))
	}
	require.Equal(t, want, a.Paths(NewSet("/p", Held{Grant{KindRead, "once"}, "once"})))
	require.Len(t, a.Held(), 5)
	require.Equal(t, "/p", a.Root())
}

func TestAStoreThatFailsGrantsNothing(t *testing.T) {
	t.Parallel()
	a := accessOf(t, nil, AccessOptions{Kept: failing{}})
	require.Equal(t, "no", check(a, NeedNet("https", "a.test", 443), nil))
	require.ErrorContains(t, a.Keep(Grant{KindNet, "a.test"}, registry.Always), "the disk is full")
}

type failing struct{ notHashable []int }

func (failing) Grants(Key) ([]Grant, error) { return nil, errors.New("the disk is on fire") }
func (failing) Add(Key, ...Grant) error     { return errors.New("the disk is full") }
func (failing) Remove(Key, ...Grant) error  { return errors.New("the disk is full") }

func TestADenialNamesTheExtensionTheResourceAndTheWayOut(t *testing.T) {
	t.Parallel()
	narrow := &wire.Permissions{Net: []string{"a.test"}, Write: []string{"out"}, Run: []string{"git"}, Env: []string{"TOKEN"}, Tools: []string{"x"}, Hooks: []string{"tool_call"}}
	for _, tt := range []struct {
		p             *wire.Permissions
		need          Need
		message, hint string
		subject       string
	}{
		{narrow, NeedNet("https", "a.test", 443),
			`extension "notes": network access to a.test:443 is not granted`, `to allow it: rho-ext grant notes --allow-net=a.test`, ""},
		{narrow, NeedNet("http", "b.test", 8080),
			`extension "notes": network access to b.test:8080 is not among its permissions`,
			`add "b.test:8080" to net in its manifest's permissions, then: rho-ext grant notes --allow-net=b.test:8080`, ""},
		{narrow, NeedPath(KindWrite, "/p/out/it's", "/p"),
			`extension "notes": writing "out/it's" is not granted`, `to allow it: rho-ext grant notes --allow-write='out/it'\''s'`, ""},
		{narrow, NeedPath(KindWrite, "/etc/passwd", "/p"),
			`extension "notes": writing /etc/passwd is not among its permissions`,
			`add "/etc/passwd" to write in its manifest's permissions, then: rho-ext grant notes --allow-write=/etc/passwd`, ""},
		{narrow, NeedRun("git", []string{"commit", "-m", "a b"}, "/p"),
			`extension "notes": running git is not granted`, `to allow it: rho-ext grant notes --allow-run=git`, "running git commit -m 'a b'"},
		{&wire.Permissions{Run: []string{"git log"}}, NeedRun("git", []string{"log", "-3"}, "/p"),
			`extension "notes": running "git log" is not granted`, `to allow it: rho-ext grant notes --allow-run='git log'`, "running git log -3"},
		{narrow, NeedName(KindEnv, "TOKEN"),
			`extension "notes": the variable TOKEN is not granted`, `to allow it: rho-ext grant notes --allow-env=TOKEN`, ""},
		{narrow, NeedName(KindTool, "y"),
			`extension "notes": calling the tool y is not among its permissions`, `add "y" to tools in its manifest's permissions, then: rho-ext grant notes --allow-tool=y`, ""},
		{narrow, NeedName(KindHook, "tool_result"),
			`extension "notes": hearing tool_result is not among its permissions`, `add "tool_result" to hooks in its manifest's permissions, then: rho-ext grant notes --allow-hook=tool_result`, ""},
		{nil, NeedRun("git", nil, "/p"),
			`extension "notes": running git is not among its permissions`,
			`its code was not seen to use run; add permissions: { run: ["git"] } to its manifest, then: rho-ext grant notes --allow-run=git`, ""},
	} {
		_, denied := accessOf(t, tt.p, AccessOptions{}).Check(&tt.need, nil)
		require.NotNil(t, denied)
		require.Equal(t, tt.message, denied.Error())
		require.Equal(t, tt.hint, denied.Hint())
		if tt.subject != "" {
			require.Equal(t, tt.subject, denied.Subject())
		}
		w := denied.Wire()
		require.Equal(t, registry.KindPermissionDenied, w.Kind)
		require.Equal(t, string(tt.need.Kind), w.Code)
		require.Equal(t, tt.message, w.Message)
	}
	odd := NewAccess(AccessOptions{Key: Key{Root: "/p", Extension: "-it's"}, Ceiling: ceilingOf(t, narrow, 0), Command: "agent ext"})
	n := NeedName(KindEnv, "TOKEN")
	_, denied := odd.Check(&n, nil)
	require.Equal(t, `to allow it: agent ext grant --allow-env=TOKEN -- '-it'\''s'`, denied.Hint())
}

func TestAccessIsSafeForManyCalls(t *testing.T) {
	t.Parallel()
	kept := NewFileStore(t.TempDir())
	a := accessOf(t, nil, AccessOptions{Kept: kept, Session: &MemoryStore{}})
	g := Grant{KindNet, "a.test"}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				check(a, NeedNet("https", "a.test", 443), nil)
				_ = a.Keep(g, registry.Session)
				a.Held()
			}
		})
		all.Go(func() { _ = kept.Add(a.Key(), g); _ = kept.Remove(a.Key(), g) })
	}
	all.Wait()
	require.Equal(t, "session", check(a, NeedNet("https", "a.test", 443), nil))
}
