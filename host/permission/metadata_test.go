package permission

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A person who grants a name means a web site; whoever owns the name decides
// where it leads.
func TestANameThatLeadsToAMetadataServiceIsRefusedThoughItWasGranted(t *testing.T) {
	t.Parallel()
	dns := newDNSServer(t, map[string][]string{
		"evil.test": {"169.254.169.254"}, "six.test": {"fd00:ec2::254"}, "link.test": {"fe80::1"}, "ali.test": {"100.100.100.200"},
	})
	for _, host := range []string{"evil.test", "six.test", "link.test", "ali.test"} {
		c := newTestClient(t, ClientOptions{Resolver: dns.resolver()}, host)
		dials := countDials(c, nil)
		_, err := get(t, c, "http://"+host+"/latest/meta-data/")
		we := wireError(t, err)
		require.Equal(t, "PermissionDenied", we.Name, we.Message)
		require.Contains(t, we.Message, "keep secrets of their own")
		require.Len(t, dials.addrs, 1, "the name was tried, and no address of it dialled")
	}
	for addr, want := range map[string]bool{"169.254.1.1": true, "fe80::1%eth0": true, "192.168.1.1": false, "127.0.0.1": false, "8.8.8.8": false, "::ffff:169.254.169.254": true} {
		e := newEndpoint(addr, 80)
		require.Equal(t, want, e.addr.IsValid() && isMetadata(e.addr), addr)
	}
}
