package permission

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
)

func TestCloseEndsConnections(t *testing.T) {
	t.Parallel()
	port, cas := secure(t)
	url := "https://127.0.0.1:" + port + "/"
	open := func(c *Client) int {
		c.conns.mu.Lock()
		defer c.conns.mu.Unlock()
		return len(c.conns.open)
	}
	for range 20 { // a connection of HTTP/2 turns idle some time after its last body
		c := NewClient(ClientOptions{CAs: cas, Rules: []NetRule{mustRule(t, "127.0.0.1")}})
		first, err := c.Fetch(t.Context(), wire.FetchRequest{URL: url}, nil)
		require.NoError(t, err)
		second, err := c.Fetch(t.Context(), wire.FetchRequest{URL: url}, nil)
		require.NoError(t, err)
		require.Equal(t, 1, open(c))

		c.Close()
		require.NoError(t, first.Body.Close())
		require.NoError(t, first.Body.Close())
		require.Contains(t, text(t, second, nil), "HTTP/2.0", "a request that runs is not affected")
		require.NoError(t, second.Body.Close())
		require.Zero(t, open(c))
	}
}

// Connections of HTTP/2 may serve other hosts that their certificate names.
// The transport does not use that, and must not begin to.
func TestOneConnectionServesOneHost(t *testing.T) {
	t.Parallel()
	port, cas := secure(t)
	dns := newDNSServer(t, map[string][]string{"example.com": {"127.0.0.1"}})
	c := newTestClient(t, ClientOptions{Resolver: dns.resolver(), CAs: cas}, "example.com", "127.0.0.1")
	dials := countDials(c, nil)
	for range 2 {
		res, err := get(t, c, "https://example.com:"+port)
		require.Contains(t, text(t, res, err), "HTTP/2.0 example.com")
		res, err = get(t, c, "https://127.0.0.1:"+port)
		require.Contains(t, text(t, res, err), "HTTP/2.0 ")
	}
	require.Equal(t, []string{"example.com:" + port, "127.0.0.1:" + port}, dials.list())
}
