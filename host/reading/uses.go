package reading

import (
	"cmp"
	"maps"
	"slices"

	"github.com/dop251/goja/file"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// Uses is what some code can be seen to do. It may say too much, and what is
// made to look like something else it misses.
type Uses struct {
	Effects registry.Effects
	// CallsTools: it can call other tools.
	CallsTools bool
	// Whole: it uses rho as a value, and so has all that rho can do.
	Whole bool
	// Env are the environment variables that it reads by name, sorted.
	Env []string
	// Computed are places at which globals, the environment or code are reached
	// in a way that reading cannot follow; the first few.
	Computed []wire.Position
	// Seen tells for each effect where it is, in the order of the effects, and
	// for CallsTools. Of a tool it is the place that is fewest steps away.
	Seen []Mention
}

// Mention is a place that has an effect.
type Mention struct {
	Effect registry.Effects // one; none for CallsTools
	Name   string           // as in fetch, rho.writeFile or ctx.fs.write
	At     wire.Position
}

const (
	maxComputed = 16
	maxEnv      = 64
)

// effects lists them in order.
var effects = []registry.Effects{registry.EffectRead, registry.EffectWrite, registry.EffectNet, registry.EffectRun}

// uses sums up the facts of nodes. nearest says that the nodes are in the order
// in which a tool gets to them.
func (r *reader) uses(nodes []*node, nearest bool) Uses {
	var u Uses
	var escaped []fact
	first := map[registry.Effects]fact{}
	env, stored := map[string]bool{}, map[string]bool{}
	var computed []file.Idx
	handsOn := false
	count := func(e registry.Effects, x fact) {
		if old, ok := first[e]; !ok || !nearest && x.at < old.at {
			first[e] = x
		}
	}
	take := func(x fact) {
		u.Effects |= x.effects
		for _, e := range effects {
			if x.effects.Has(e) {
				count(e, x)
			}
		}
	}
	for _, n := range nodes {
		for _, x := range n.facts {
			switch x.kind {
			case factEffect:
				take(x)
			case factWhole:
				u.Whole = true
				take(x)
			case factCallTool:
				u.CallsTools = true
				count(0, x)
			case factEnv:
				if len(env) < maxEnv {
					env[x.name] = true
				}
			case factComputed:
				computed = append(computed, x.at)
			case factHandsOn:
				handsOn = true
			case factStores:
				stored[x.name] = true
			case factEscaped, factMember:
				escaped = append(escaped, x)
			}
		}
	}
	for _, x := range escaped {
		if handsOn && (x.kind == factEscaped || stored[x.name]) {
			if x.kind == factMember {
				x.name = "ctx.exec"
			}
			take(x)
		}
	}
	u.Env = slices.Sorted(maps.Keys(env))
	slices.Sort(computed)
	for _, at := range slices.Compact(computed) {
		if len(u.Computed) < maxComputed {
			u.Computed = append(u.Computed, r.at(at))
		}
	}
	for e, x := range first {
		u.Seen = append(u.Seen, Mention{Effect: e, Name: x.name, At: r.at(x.at)})
	}
	order := func(m Mention) int { return slices.Index(effects, m.Effect) & 7 } // CallsTools last
	slices.SortFunc(u.Seen, func(a, b Mention) int { return cmp.Compare(order(a), order(b)) })
	return u
}

// spread gives each literal its uses.
func (r *reader) spread(g *graph) {
	s := r.script
	s.Uses = r.uses(g.nodes, false)
	for i := range s.Tools {
		s.Tools[i].Uses = s.Uses
	}
	s.Hooks, s.Commands = map[string]Uses{}, map[string]Uses{}
	for _, root := range g.roots {
		u, apart := s.Uses, false
		if root.name != "" {
			if nodes, ok := g.reach(root); ok {
				u, apart = r.uses(nodes, true), true
			}
		}
		switch root.kind {
		case rootTool:
			s.Tools[root.index].Uses, s.Tools[root.index].apart = u, apart
		case rootHook:
			s.add(s.Hooks, root.name, u)
		case rootCommand:
			s.add(s.Commands, root.name, u)
		}
	}
}

// add notes the uses of a hook or command; two of one name cannot be told apart.
func (s *Script) add(to map[string]Uses, name string, u Uses) {
	if name == "" {
		return
	}
	if _, twice := to[name]; twice {
		u = s.Uses
	}
	to[name] = u
}

// UsesOf gives the uses of the tool of a name: those of its literal where there
// is exactly one of that name, else those of the whole script.
func (s *Script) UsesOf(name string) Uses {
	var only *ToolLiteral
	for i := range s.Tools {
		if t := &s.Tools[i]; t.Name == name && name != "" {
			if only != nil {
				return s.Uses
			}
			only = t
		}
	}
	if only == nil {
		return s.Uses
	}
	return only.Uses
}

// Apart reports whether the uses of a tool are those of its literal alone.
func (s *Script) Apart(name string) bool {
	n, apart := 0, false
	for i := range s.Tools {
		if s.Tools[i].Name == name {
			n++
			apart = s.Tools[i].apart
		}
	}
	return n == 1 && apart
}

// HookUses gives the uses of the hook of a name, likewise.
func (s *Script) HookUses(name string) Uses { return s.one(s.Hooks, name) }

// CommandUses gives the uses of the command of a name, likewise.
func (s *Script) CommandUses(name string) Uses { return s.one(s.Commands, name) }

func (s *Script) one(of map[string]Uses, name string) Uses {
	if u, ok := of[name]; ok {
		return u
	}
	return s.Uses
}
