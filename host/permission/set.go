package permission

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Held is a grant and what gave it, as records show it: "default", a flag,
// "granted" (kept by the user), "session" or "once".
type Held struct {
	Grant
	By string `json:"by"`
}

// Set is a number of grants, ready to be asked. The zero value holds none. It
// does not change and is safe for concurrent use.
type Set struct {
	root string
	held []compiled
}

type compiled struct {
	Held
	net   NetRule
	path  string   // absolute
	words []string // of a program; the first may be an absolute path
}

// NewSet makes a set of grants that [ParseGrant] has made; others grant
// nothing. root is the project's, as there.
func NewSet(root string, list ...Held) *Set {
	s := &Set{root: root}
	for _, h := range list {
		c := compiled{Held: h}
		switch h.Kind {
		case KindNet:
			rule, err := ParseNetRule(h.Target)
			if err != nil {
				continue
			}
			c.net = rule
		case KindRead, KindWrite:
			c.path = absolute(root, h.Target)
			if c.path == "" {
				continue
			}
		case KindRun:
			c.words = strings.Fields(h.Target)
			if len(c.words) == 0 {
				continue
			}
			c.words[0] = programPath(root, c.words[0])
		}
		s.held = append(s.held, c)
	}
	return s
}

// Grants lists what the set holds.
func (s *Set) Grants() []Held {
	if s == nil {
		return nil
	}
	out := make([]Held, len(s.held))
	for i, c := range s.held {
		out[i] = c.Held
	}
	return out
}

// absolute is where a target of a path lies, or "" where that is not known.
func absolute(root, target string) string {
	p := filepath.FromSlash(target)
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	if root == "" {
		return ""
	}
	return filepath.Join(root, p)
}

// programPath makes a program that is named by a relative path absolute, so
// that it is the project's whatever directory it runs in.
func programPath(root, command string) string {
	if !strings.ContainsAny(command, `/\`) || filepath.IsAbs(command) || root == "" {
		return command
	}
	return filepath.Join(root, filepath.FromSlash(command))
}

// find gives the first grant of a kind that fits.
func (s *Set) find(k Kind, fits func(*compiled) bool) (Held, bool) {
	if s == nil {
		return Held{}, false
	}
	for i := range s.held {
		if c := &s.held[i]; c.Kind == k && fits(c) {
			return c.Held, true
		}
	}
	return Held{}, false
}

// netRule gives the rule that covers an endpoint. Of several the one that says
// most counts, because it grants more.
func (s *Set) netRule(e endpoint) (rule NetRule, held Held, ok bool) {
	if s == nil {
		return rule, held, false
	}
	for _, c := range s.held {
		if c.Kind == KindNet && c.net.covers(e) && c.net.precision() > rule.precision() {
			rule, held = c.net, c.Held
		}
	}
	return rule, held, rule != NetRule{}
}

// coversPath reports whether a real place is granted. What may be changed may
// be read: only so can a program work with it.
// Of the grants only those at or below base count, where that is not empty.
func (s *Set) coversPath(k Kind, real, base string) (Held, bool) {
	fits := func(c *compiled) bool { return within(real, c.path) && (base == "" || within(c.path, base)) }
	h, ok := s.find(k, fits)
	if !ok && k == KindRead {
		return s.find(KindWrite, fits)
	}
	return h, ok
}

func (s *Set) coversRun(argv []string) (Held, bool) {
	return s.find(KindRun, func(c *compiled) bool {
		if c.words[0] == "*" {
			return true
		}
		return len(argv) >= len(c.words) && slices.Equal(argv[:len(c.words)], c.words)
	})
}

func (s *Set) coversName(k Kind, name string) (Held, bool) {
	return s.find(k, func(c *compiled) bool {
		if k == KindTool {
			ok, _ := path.Match(c.Target, name) // ParseGrant has checked it
			return ok
		}
		return c.Target == name
	})
}
