package permission

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

func TestTargetRule(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		target Target
		want   string
	}{
		{Target{Host: "a.test", Port: 443, URL: "https://a.test/x"}, "a.test"},
		{Target{Host: "a.test", Port: 80, URL: "http://a.test/"}, "a.test"},
		{Target{Host: "a.test", Port: 80, URL: "https://a.test:80/"}, "a.test:80"},
		{Target{Host: "a.test", Port: 443, URL: "http://a.test:443/"}, "a.test:443"},
		{Target{Host: "a.test", Port: 443}, "a.test:443"},
		{Target{Host: "A.test.", Port: 8443, URL: "https://a.test.:8443/"}, "a.test:8443"},
		{Target{Host: "::1", Port: 443, URL: "https://[::1]/"}, "[::1]"},
		{Target{Host: "[::ffff:127.0.0.1]", Port: 8080}, "127.0.0.1:8080"},
		{Target{Host: "a.test", URL: "http://a.test:0/"}, ""},
		{Target{Host: "*.test", Port: 80, URL: "http://*.test/"}, ""},
		{Target{Host: "$(x)", Port: 80, URL: "http://$(x)/"}, ""},
		{Target{}, ""},
	} {
		rule := tt.target.Rule()
		require.Equal(t, tt.want, rule.String(), "%+v", tt.target)
		require.False(t, rule.Wildcard())
		if tt.want != "" {
			require.Equal(t, mustRule(t, tt.want), rule)
			require.True(t, rule.Covers(tt.target.Host, tt.target.Port))
		}
	}
}

func TestAdmitDecidesEachHop(t *testing.T) {
	t.Parallel()
	one, two := serve(t, hops), serve(t, hops)
	var (
		mu    sync.Mutex
		asked []Target
		seen  useLog
	)
	c := newTestClient(t, ClientOptions{OnUse: seen.add, Admit: func(_ context.Context, target Target) (NetRule, string, error) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, target)
		return target.Rule(), fmt.Sprintf("grant %d", len(asked)), nil
	}}, "*") // which Admit replaces
	res, err := do(t, c, wire.FetchRequest{URL: one + "/307?to=" + two + "/303?to=/end%3Fsecret", Method: "post"}, []byte("x"))
	require.Contains(t, text(t, res, err), "GET /end")
	require.Equal(t, "grant 3", res.Grant)
	host := func(url string) string { return url[len("http://"):] }
	portOne, portTwo := mustRule(t, host(one)).port, mustRule(t, host(two)).port
	require.Equal(t, []Target{
		{Host: "127.0.0.1", Port: portOne, Method: "POST", URL: one + "/307"},
		{Host: "127.0.0.1", Port: portTwo, Method: "POST", URL: two + "/303", From: host(one)},
		{Host: "127.0.0.1", Port: portTwo, Method: "GET", URL: two + "/end", From: host(two)},
	}, asked)
	require.Len(t, seen.uses, 3)
	require.Equal(t, registry.Use{Kind: "net", Target: "POST " + two + "/303", Effect: "net", Grant: "grant 2"}, seen.uses[1])
}

func TestAdmitFailsClosed(t *testing.T) {
	t.Parallel()
	url := untouched(t)
	said := &wire.Error{Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Message: "not today", Hint: "ask again"}
	for name, tt := range map[string]struct {
		rule NetRule
		err  error
		want string
	}{
		"a refusal":                {mustRule(t, "127.0.0.1"), said, "not today"},
		"a wrapped refusal":        {mustRule(t, "127.0.0.1"), fmt.Errorf("private: %w", said), "not today"},
		"another error":            {mustRule(t, "127.0.0.1"), errors.New("the store is at /home/me"), "127.0.0.1:" + portOf(url) + " is not granted"},
		"another kind":             {mustRule(t, "127.0.0.1"), &wire.Error{Kind: registry.KindOther, Message: "private"}, "is not granted"},
		"no rule and no error":     {NetRule{}, nil, "is not granted"},
		"a rule for another host":  {mustRule(t, "127.0.0.2"), nil, "is not granted"},
		"a rule for another port":  {mustRule(t, "127.0.0.1:1"), nil, "is not granted"},
		"a wildcard for a private": {mustRule(t, "*"), nil, "is not granted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen useLog
			c := newTestClient(t, ClientOptions{OnUse: seen.add, Admit: func(context.Context, Target) (NetRule, string, error) {
				return tt.rule, "granted", tt.err
			}})
			_, err := get(t, c, url)
			we := wireError(t, err)
			require.Equal(t, registry.KindPermissionDenied, we.Kind)
			require.Contains(t, we.Message, tt.want)
			require.Len(t, seen.uses, 1)
			require.True(t, seen.uses[0].Denied)
			require.Empty(t, seen.uses[0].Grant)
		})
	}
}

func TestAdmitThatWaitsEndsWithTheCall(t *testing.T) {
	t.Parallel()
	url := untouched(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	var seen useLog
	c := newTestClient(t, ClientOptions{OnUse: seen.add, Admit: func(ctx context.Context, target Target) (NetRule, string, error) {
		cancel(wire.ErrDeadline) // as if it came while a person thinks
		<-ctx.Done()
		return target.Rule(), "too late", nil
	}})
	_, err := c.Fetch(ctx, wire.FetchRequest{URL: url}, nil)
	we := wireError(t, err)
	require.Equal(t, "AbortError", we.Name)
	require.Equal(t, registry.KindTimeout, we.Kind)
	require.Empty(t, seen.uses, "nobody refused")

	c = newTestClient(t, ClientOptions{Admit: func(context.Context, Target) (NetRule, string, error) {
		t.Error("a person was asked for a call that has ended")
		return NetRule{}, "", nil
	}})
	_, err = c.Fetch(ctx, wire.FetchRequest{URL: url}, nil)
	require.Equal(t, "AbortError", wireError(t, err).Name)
}

// The dialer is the last to decide: what comes without an admission, or with
// one for another place, gets no connection.
func TestDialerNeedsAnAdmission(t *testing.T) {
	t.Parallel()
	addr := untouched(t)[len("http://"):]
	d := newDialer(ClientOptions{Rules: []NetRule{mustRule(t, "127.0.0.1")}})
	_, err := d.DialContext(t.Context(), "tcp", addr)
	require.ErrorIs(t, err, errNotAdmitted)

	e, err := parseEndpoint(addr)
	require.NoError(t, err)
	for name, a := range map[string]admission{
		"nothing":        {},
		"another host":   {endpoint: newEndpoint("127.0.0.2", e.port), rule: mustRule(t, "127.0.0.1")},
		"another rule":   {endpoint: e, rule: mustRule(t, "127.0.0.2")},
		"no rule":        {endpoint: e},
		"a wildcard":     {endpoint: e, rule: mustRule(t, "*")},
		"another's port": {endpoint: newEndpoint("127.0.0.1", 1), rule: mustRule(t, "127.0.0.1")},
	} {
		a.ctx = t.Context()
		_, err := d.DialContext(a.context(), "tcp", addr)
		require.Equal(t, registry.KindPermissionDenied, wireError(t, err).Kind, name)
	}
}

func TestZeroClientReachesNothing(t *testing.T) {
	t.Parallel()
	c := NewClient(ClientOptions{})
	defer c.Close()
	_, err := get(t, c, untouched(t))
	require.Equal(t, registry.KindPermissionDenied, wireError(t, err).Kind)
}

// A connection that waits for its next request was opened under one kind of
// rule and serves no other.
func TestIdleConnectionsStayWithTheirKindOfRule(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) })
	dns := newDNSServer(t, map[string][]string{"home.test": {"127.0.0.1"}})
	var rule NetRule
	c := newTestClient(t, ClientOptions{Resolver: dns.resolver(), Admit: func(context.Context, Target) (NetRule, string, error) {
		return rule, "", nil
	}})
	dials := countDials(c, nil)
	target := "http://home.test:" + portOf(url)
	for range 3 {
		rule = mustRule(t, "home.test")
		res, err := get(t, c, target)
		require.Equal(t, "home.test:"+portOf(url), text(t, res, err))
		for _, wild := range []string{"*.test", "*"} {
			rule = mustRule(t, wild)
			_, err = get(t, c, target)
			require.Contains(t, wireError(t, err).Message, "it leads to 127.0.0.1, and a wildcard covers public addresses only")
		}
	}
	require.Equal(t, []string{"home.test:" + portOf(url)}, dials.list(), "one connection, used three times")
}

// The other way round: a name that was public and is granted by name now.
func TestAWildcardsConnectionIsNotUsedForAName(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.RemoteAddr) })
	dns := newDNSServer(t, map[string][]string{"home.test": {"93.184.215.14", "127.0.0.1"}})
	rule := mustRule(t, "*.test")
	c := newTestClient(t, ClientOptions{Resolver: dns.resolver(), Admit: func(context.Context, Target) (NetRule, string, error) {
		return rule, "", nil
	}})
	port := portOf(url)
	dials := countDials(c, map[string]string{"93.184.215.14:" + port: "127.0.0.1:" + port})
	fetch := func() string {
		res, err := get(t, c, "http://home.test:"+port)
		return text(t, res, err)
	}
	first := fetch()
	require.Equal(t, first, fetch(), "the same rule: the same connection")
	rule = mustRule(t, "home.test")
	require.NotEqual(t, first, fetch())
	require.Equal(t, []string{"93.184.215.14:" + port, "home.test:" + port}, dials.list())
}
