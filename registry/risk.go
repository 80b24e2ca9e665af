package registry

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Risk is the label of what a tool may do, ordered from harmless to grave. It
// is the word that people and rules use; decisions work on [Effects]. The zero
// value is no risk at all and not valid on a tool.
type Risk uint8

// The risks, in rising order.
const (
	Read        Risk = iota + 1 // looks, changes nothing
	Write                       // changes files of the project
	Network                     // talks to other machines
	Destructive                 // runs programs
)

var riskNames = [...]string{Read: "read", Write: "write", Network: "network", Destructive: "destructive"}

// String is the wire label: read, write, network or destructive.
func (r Risk) String() string {
	if r < Read || r > Destructive {
		return fmt.Sprintf("risk(%d)", uint8(r))
	}
	return riskNames[r]
}

// ParseRisk reads a wire label.
func ParseRisk(s string) (Risk, error) {
	for r := Read; r <= Destructive; r++ {
		if riskNames[r] == s {
			return r, nil
		}
	}
	return 0, fmt.Errorf("unknown risk %q: expected %s", s, strings.Join(riskNames[Read:], ", "))
}

// MarshalText implements [encoding.TextMarshaler].
func (r Risk) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *Risk) UnmarshalText(b []byte) error {
	v, err := ParseRisk(string(b))
	*r = v
	return err
}

// Effects is the least set of effects that a tool with label r may have.
func (r Risk) Effects() Effects {
	switch r {
	case Write:
		return EffectRead | EffectWrite
	case Network:
		return EffectNet
	case Destructive:
		return EffectRun
	default:
		return EffectRead
	}
}

// Effects is a set of the ways in which a call can touch the world. The zero
// value is the empty set.
type Effects uint8

// The effects.
const (
	EffectRead  Effects = 1 << iota // reads files
	EffectWrite                     // writes files
	EffectNet                       // opens network connections
	EffectRun                       // starts programs
)

var effectNames = []struct {
	e    Effects
	name string
}{{EffectRead, "read"}, {EffectWrite, "write"}, {EffectNet, "net"}, {EffectRun, "run"}}

// Has reports whether all effects of o are in e.
func (e Effects) Has(o Effects) bool { return e&o == o }

// Risk is the label of the set: run is Destructive, else net is Network, else
// write is Write, else Read.
func (e Effects) Risk() Risk {
	switch {
	case e.Has(EffectRun):
		return Destructive
	case e.Has(EffectNet):
		return Network
	case e.Has(EffectWrite):
		return Write
	default:
		return Read
	}
}

// List names the effects in a fixed order: read, write, net, run.
func (e Effects) List() []string {
	out := []string{}
	for _, n := range effectNames {
		if e.Has(n.e) {
			out = append(out, n.name)
		}
	}
	return out
}

// String joins [Effects.List] with spaces.
func (e Effects) String() string { return strings.Join(e.List(), " ") }

// MarshalJSON writes the set as a list of names.
func (e Effects) MarshalJSON() ([]byte, error) { return json.Marshal(e.List()) }

// UnmarshalJSON reads a list of names.
func (e *Effects) UnmarshalJSON(b []byte) error {
	var names []string
	if err := json.Unmarshal(b, &names); err != nil {
		return err
	}
	v, err := ParseEffects(names)
	if err == nil {
		*e = v
	}
	return err
}

// ParseEffects reads the names of effects.
func ParseEffects(names []string) (Effects, error) {
	var out Effects
next:
	for _, s := range names {
		for _, n := range effectNames {
			if n.name == s {
				out |= n.e
				continue next
			}
		}
		return 0, fmt.Errorf("unknown effect %q: expected read, write, net or run", s)
	}
	return out, nil
}
