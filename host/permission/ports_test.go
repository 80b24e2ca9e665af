package permission

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

func TestBlockedPorts(t *testing.T) {
	t.Parallel()
	require.True(t, slices.IsSorted(blockedPorts))
	require.Len(t, slices.Compact(slices.Clone(blockedPorts)), len(blockedPorts))
	for _, tt := range []struct {
		rule, hostPort string
		want           bool
	}{
		{"*", "a.test:25", true},
		{"*:25", "a.test:25", true},
		{"*.test:25", "a.test:25", true},
		{"a.test", "a.test:25", true},
		{"a.test:25", "a.test:25", false},
		{"127.0.0.1", "127.0.0.1:6000", true},
		{"a.test", "a.test:80", false},
		{"*", "a.test:8443", false},
		{"a.test", "a.test:0", true},
	} {
		e, err := parseEndpoint(tt.hostPort)
		require.NoError(t, err)
		require.Equal(t, tt.want, mustRule(t, tt.rule).blocks(e), "%+v", tt)
	}
}

func TestFetchBlockedPort(t *testing.T) {
	t.Parallel()
	for _, rules := range [][]string{{"*"}, {"*:6667"}, {"irc.test"}, {"127.0.0.1", "irc.test", "*"}} {
		c := newTestClient(t, ClientOptions{}, rules...)
		dials := countDials(c, nil)
		_, err := get(t, c, "http://irc.test:6667/")
		we := wireError(t, err)
		require.Equal(t, registry.KindPermissionDenied, we.Kind)
		require.Equal(t, "network access to irc.test:6667 is not granted: port 6667 is blocked, as it belongs to another protocol than HTTP, until exactly irc.test:6667 is granted", we.Message)
		require.Equal(t, "run with --allow-net=irc.test:6667", we.Hint)
		require.Empty(t, dials.list())
	}
	url := serve(t, hops)
	dns := newDNSServer(t, map[string][]string{"irc.test": {"127.0.0.1"}})
	c := newTestClient(t, ClientOptions{Resolver: dns.resolver()}, "irc.test", "*", "irc.test:6667")
	dials := countDials(c, map[string]string{"irc.test:6667": "127.0.0.1:" + portOf(url)})
	res, err := get(t, c, "http://irc.test:6667/x")
	require.Contains(t, text(t, res, err), "GET /x")
	require.Equal(t, "--allow-net=irc.test:6667", res.Grant)
	require.Len(t, dials.list(), 1)
}

func TestFindInAnyForm(t *testing.T) {
	t.Parallel()
	rules := NetRules{mustRule(t, "*"), mustRule(t, "a.test"), mustRule(t, "a.test:25"), mustRule(t, "[::1]:80"), mustRule(t, "10.0.0.1")}
	for _, tt := range []struct {
		host string
		port uint16
		want string
	}{
		{"a.test", 443, "a.test"},
		{"A.TEST.", 25, "a.test:25"},
		{"ⓐ.test", 25, "a.test:25"},
		{"b.test", 25, "*"},
		{"::1", 80, "[::1]:80"},
		{"[0:0::1]", 80, "[::1]:80"},
		{"::1", 81, ""},
		{"0xA000001", 1, "10.0.0.1"},
		{"10.1", 1, "10.0.0.1"},
		{"127.1", 80, ""},
		{"8.8.8.8", 80, "*"},
		{"fe80::1%lo", 80, ""},
		{"a.test:443", 443, ""},
		{"a.test/x", 443, ""},
		{"u@a.test", 443, ""},
		{"*.test", 443, ""},
		{"", 443, ""},
	} {
		t.Run(fmt.Sprint(tt.host, tt.port), func(t *testing.T) {
			t.Parallel()
			rule, ok := rules.Find(tt.host, tt.port)
			require.Equal(t, tt.want, rule.String())
			require.Equal(t, tt.want != "", ok)
			require.Equal(t, ok, rule.Covers(tt.host, tt.port))
		})
	}
	_, ok := NetRules(nil).Find("a.test", 443)
	require.False(t, ok)
}
