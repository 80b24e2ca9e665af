package permission

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// Ceiling is what an extension can be granted at most: what its manifest asks
// for or, where that says nothing, the kinds that its code is seen to use.
type Ceiling struct {
	declared bool
	set      *Set
	any      map[Kind]bool // kinds of which everything can be granted
	hash     string
}

// ManifestError says what is wrong in a manifest's permissions.
type ManifestError struct {
	Kind  string // the key in permissions
	Index int
	Err   error
}

// Error implements error.
func (e *ManifestError) Error() string {
	return fmt.Sprintf("permissions.%s[%d]: %v", e.Kind, e.Index, e.Err)
}

// Unwrap gives the cause.
func (e *ManifestError) Unwrap() error { return e.Err }

// CeilingOf reads the ceiling of a manifest. root is the project's, as for
// [ParseGrant]. The error is a [*ManifestError].
func CeilingOf(m *wire.Manifest, root string) (*Ceiling, error) {
	if m.Permissions == nil {
		return seenCeiling(m, root), nil
	}
	p := m.Permissions
	read := p.Read
	if read == nil && root != "" {
		read = []string{"."}
	}
	var all []Held
	for _, list := range []struct {
		key   string
		kind  Kind
		texts []string
	}{
		{"net", KindNet, p.Net}, {"read", KindRead, read}, {"write", KindWrite, p.Write}, {"run", KindRun, p.Run},
		{"env", KindEnv, p.Env}, {"tools", KindTool, p.Tools}, {"hooks", KindHook, p.Hooks},
	} {
		for i, text := range list.texts {
			g, err := ParseGrant(list.kind, text, root)
			if err != nil {
				return nil, &ManifestError{list.key, i, err}
			}
			all = append(all, Held{Grant: g})
		}
	}
	c := &Ceiling{declared: true, set: NewSet(root, all...)}
	c.hash = hashOf("declared", c.Grants())
	return c, nil
}

// seenCeiling is that of a manifest without permissions.
func seenCeiling(m *wire.Manifest, root string) *Ceiling {
	c := &Ceiling{any: map[Kind]bool{KindEnv: true}}
	if root != "" {
		c.set = NewSet(root, Held{Grant: Grant{KindRead, "."}})
	}
	for _, k := range []struct {
		effect registry.Effects
		kind   Kind
	}{{registry.EffectNet, KindNet}, {registry.EffectRead, KindRead}, {registry.EffectWrite, KindWrite}, {registry.EffectRun, KindRun}} {
		if m.Effects.Has(k.effect) {
			c.any[k.kind] = true
		}
	}
	for _, t := range m.Tools {
		if t.CallsTools {
			c.any[KindTool] = true
		}
	}
	for _, hook := range m.Hooks {
		if hook.Name != wire.HookLoad {
			c.any[KindHook] = true
		}
		if hook.CallsTools {
			c.any[KindTool] = true
		}
	}
	for _, command := range m.Commands {
		if command.CallsTools {
			c.any[KindTool] = true
		}
	}
	var kinds []Grant
	for _, k := range Kinds {
		if c.any[k] {
			kinds = append(kinds, Grant{Kind: k})
		}
	}
	c.hash = hashOf("seen", kinds)
	return c
}

func hashOf(how string, list []Grant) string {
	list = slices.Clone(list)
	slices.SortFunc(list, compareGrants)
	data, err := json.Marshal(struct {
		How    string
		Grants []Grant
	}{how, slices.Compact(list)})
	if err != nil {
		panic(err) // texts alone
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

func compareGrants(a, b Grant) int {
	if a.Kind != b.Kind {
		return slices.Index(Kinds, a.Kind) - slices.Index(Kinds, b.Kind)
	}
	switch {
	case a.Target < b.Target:
		return -1
	case a.Target > b.Target:
		return 1
	}
	return 0
}

// Declared reports whether the manifest has permissions.
func (c *Ceiling) Declared() bool { return c.declared }

// Hash identifies the ceiling: a widened one is another, to which nothing was
// granted yet.
func (c *Ceiling) Hash() string { return c.hash }

// Grants lists what a declared ceiling names.
func (c *Ceiling) Grants() []Grant {
	var out []Grant
	for _, h := range c.set.Grants() {
		out = append(out, h.Grant)
	}
	return out
}

// Any lists the kinds of which anything can be granted.
func (c *Ceiling) Any() []Kind {
	out := []Kind{}
	for _, k := range Kinds {
		if c.any[k] {
			out = append(out, k)
		}
	}
	return out
}

// Admits reports whether a grant can be of use below the ceiling. One that
// covers more than the ceiling, such as the whole project where a part of it is
// asked for, is no mistake: the ceiling keeps it to that part.
func (c *Ceiling) Admits(g Grant) bool {
	if c.any[g.Kind] {
		return true
	}
	switch g.Kind {
	case KindNet:
		rule, err := ParseNetRule(g.Target)
		if err != nil {
			return false
		}
		_, ok := c.set.find(KindNet, func(x *compiled) bool {
			narrowed := rule
			if rule.port == 0 { // all of them
				narrowed.port = x.net.port
			}
			return x.net.includes(narrowed)
		})
		return ok
	case KindRead, KindWrite:
		at := absolute(c.set.root, g.Target)
		meets := func(x *compiled) bool { return within(at, x.path) || within(x.path, at) }
		_, ok := c.set.find(g.Kind, meets)
		if !ok && g.Kind == KindRead { // what may be changed may be read
			_, ok = c.set.find(KindWrite, meets)
		}
		return ok
	case KindRun:
		n := NewSet(c.set.root, Held{Grant: g})
		if len(n.held) == 0 {
			return false
		}
		want := n.held[0].words
		_, ok := c.set.find(KindRun, func(x *compiled) bool {
			both := min(len(x.words), len(want))
			return x.words[0] == "*" || slices.Equal(x.words[:both], want[:both])
		})
		return ok
	case KindTool:
		_, ok := c.set.find(KindTool, func(x *compiled) bool { return x.Target == g.Target })
		if !ok {
			_, ok = c.set.coversName(KindTool, g.Target)
		}
		return ok
	}
	_, ok := c.set.coversName(g.Kind, g.Target)
	return ok
}

// includes reports whether r covers by name all that o covers.
func (r NetRule) includes(o NetRule) bool {
	switch {
	case r == NetRule{}, r.port != 0 && r.port != o.port:
		return false
	case !r.wild:
		return !o.wild && r.host == o.host
	case r.host == "":
		return true
	default:
		return o.wild && o.host == r.host || strings.HasSuffix(o.host, "."+r.host)
	}
}
