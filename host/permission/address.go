package permission

import "net/netip"

// notPublic lists address blocks that do not lead to the public internet, from
// the special-purpose registries of IANA, and a cloud's metadata service that
// sits on an address of its own.
var notPublic = parsePrefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
	"172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32", // Azure
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	nat64         = netip.MustParsePrefix("64:ff9b::/96")
)

func parsePrefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// isPublic reports whether addr belongs to the public internet: not to this
// machine, a local network, a metadata service or a reserved block.
func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap()
	if nat64.Contains(addr) {
		// A network without IPv4 reaches IPv4 hosts this way; what counts is
		// the address inside.
		b := addr.As16()
		return isPublic(netip.AddrFrom4([4]byte(b[12:])))
	}
	if addr.Zone() != "" || addr.Is6() && !globalUnicast.Contains(addr) {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(addr) {
			return false
		}
	}
	return true
}

// isMetadata reports whether addr is one at which clouds tell a machine its own
// secrets, or of the link alone.
func isMetadata(addr netip.Addr) bool {
	addr = addr.Unmap()
	return addr.IsLinkLocalUnicast() || metadataAddrs[addr.WithZone("")]
}

var metadataAddrs = map[netip.Addr]bool{
	netip.MustParseAddr("100.100.100.200"): true, // Alibaba
	netip.MustParseAddr("192.0.0.192"):     true, // Oracle
	netip.MustParseAddr("fd00:ec2::254"):   true, // AWS
	netip.MustParseAddr("fd20:ce::254"):    true, // Google
	netip.MustParseAddr("168.63.129.16"):   true, // Azure
}

// metadataNames are the names by which such services are meant to be reached.
var metadataNames = map[string]bool{"metadata.google.internal": true, "metadata.azure.internal": true, "instance-data.ec2.internal": true}
