package permission

// NetRules are the rules that hold together, such as those of one extension.
// The zero value grants nothing.
type NetRules []NetRule

// Find returns the rule that grants a host and port, or false. Of several the
// one that says most about the host counts: its name and port, then its name,
// then the first wildcard. The host may have any form that a URL allows.
func (rs NetRules) Find(host string, port uint16) (NetRule, bool) {
	name, _, err := canonicalHost(bracket(newEndpoint(host, 0).host))
	if err != nil {
		return NetRule{}, false
	}
	return rs.find(newEndpoint(name, port))
}

// find is Find for a host in canonical form.
func (rs NetRules) find(e endpoint) (NetRule, bool) {
	var best NetRule
	for _, r := range rs {
		if r.covers(e) && r.precision() > best.precision() {
			best = r
		}
	}
	return best, best != NetRule{}
}

// precision orders the rules that cover the same host. One that names the host
// comes before a wildcard, because it grants more: private addresses, and with
// a port also one that is blocked.
func (r NetRule) precision() int {
	switch {
	case r == NetRule{}:
		return 0
	case r.wild:
		return 1
	case r.port == 0:
		return 2
	default:
		return 3
	}
}
