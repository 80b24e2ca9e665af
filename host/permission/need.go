package permission

import (
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// Need is one resource that a call wants to touch. The functions named after
// the kinds make one.
type Need struct {
	Kind Kind
	// Grant is the least grant that would allow it, to be offered to a person.
	Grant Grant
	// Rule is, after a [Access.Check] of a host that said yes, the rule that
	// covers it.
	Rule NetRule
	// Given, where set, is the path as the code wrote it. The code is told no
	// other: where a link outside leads is not its business.
	Given string
	// Below, where set, is an absolute path: only grants of it or of something
	// below it count, for it has a name that nobody uses unasked.
	Below string

	endpoint endpoint
	real     string   // of a path, absolute
	argv     []string // of a program
	command  string   // the same program, as a grant names it
}

// NeedNet is a request to a host. scheme is http or https, whose own port need
// not be granted by number.
func NeedNet(scheme, host string, port uint16) Need {
	e := newEndpoint(host, port)
	n := Need{Kind: KindNet, endpoint: e}
	rule := NetRule{host: e.host}
	if (scheme != "http" || port != 80) && (scheme != "https" || port != 443) {
		rule.port = port
	}
	n.Grant = Grant{KindNet, rule.String()}
	return n
}

// NeedPath is the reading or writing of a real place: absolute and without
// symbolic links.
func NeedPath(k Kind, real, root string) Need {
	target, ok := relativeTo(real, root)
	if !ok {
		target = filepath.ToSlash(real)
	}
	return Need{Kind: k, real: real, Grant: Grant{k, target}}
}

// NeedRun is the start of a program.
func NeedRun(command string, args []string, root string) Need {
	argv := append([]string{programPath(root, command)}, args...)
	target, err := canonicalTarget(KindRun, command, root)
	if err != nil || strings.ContainsFunc(command, unicode.IsSpace) { // no grant can name it
		target = command
	}
	return Need{Kind: KindRun, argv: argv, command: target, Grant: Grant{KindRun, target}}
}

// NeedName is a variable, a tool or an event.
func NeedName(k Kind, name string) Need { return Need{Kind: k, Grant: Grant{k, name}} }

// Program is what is to be started: of a [NeedRun].
func (n Need) Program() string {
	if len(n.argv) == 0 {
		return ""
	}
	return n.argv[0]
}

// shown is the grant as the code is told of it.
func (n Need) shown() Grant {
	if n.Given == "" {
		return n.Grant
	}
	return Grant{n.Kind, notHome(n.Given)}
}

// what says what is needed of a target, for a sentence that ends in "is not
// granted".
func (n Need) what(t string) string {
	switch n.Kind {
	case KindNet:
		return "network access to " + n.endpoint.String()
	case KindRead:
		return "reading " + quoteIf(t)
	case KindWrite:
		return "writing " + quoteIf(t)
	case KindRun:
		return "running " + quoteIf(t)
	case KindEnv:
		return "the variable " + t
	case KindTool:
		return "calling the tool " + quoteIf(t)
	default:
		return "hearing " + t
	}
}

func quoteIf(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}

// coveredBy reports whether a set grants the need, and names the grant.
func (n *Need) coveredBy(s *Set) (Held, bool) {
	switch n.Kind {
	case KindNet:
		rule, held, ok := s.netRule(n.endpoint)
		if ok {
			n.Rule = rule
		}
		return held, ok
	case KindRead, KindWrite:
		return s.coversPath(n.Kind, n.real, n.Below)
	case KindRun:
		return s.coversRun(n.argv)
	default:
		return s.coversName(n.Kind, n.Grant.Target)
	}
}

// below reports whether the ceiling lets the need be granted.
func (n *Need) below(c *Ceiling) bool {
	if c.any[n.Kind] {
		return true
	}
	if n.Kind == KindNet { // by name: what a wildcard may reach is the grant's matter
		exact := NetRule{host: n.endpoint.host, port: n.endpoint.port}
		_, ok := c.set.find(KindNet, func(x *compiled) bool { return x.net.includes(exact) })
		return ok
	}
	plain := *n
	plain.Below = ""
	_, ok := plain.coveredBy(c.set)
	return ok
}

// nameable reports whether the grant, written down, is read as itself and grants
// what is needed: not a pattern, nor words for a program whose name holds a
// space. Only such a one is offered to a person.
func (n Need) nameable(root string) bool {
	switch {
	case n.Kind == KindRun && n.Grant.Target == "*", n.Kind == KindTool && strings.ContainsAny(n.Grant.Target, `*?[\`):
		return false
	}
	again, err := ParseGrant(n.Kind, n.Grant.Target, root)
	if err != nil || again != n.Grant {
		return false
	}
	n.Below = ""
	_, ok := n.coveredBy(NewSet(root, Held{Grant: again}))
	return ok
}
