package registry

import "encoding/json"

// Unwrapper is implemented by tools that wrap another one. Abilities that the
// wrapper does not have itself are looked for in what it wraps.
type Unwrapper interface {
	Unwrap() Tool
}

// maxWrappers bounds a chain of wrappers, which could be a circle.
const maxWrappers = 32

// As finds the first tool in the chain of t and what it wraps that has the
// ability A.
func As[A any](t Tool) (A, bool) {
	for range maxWrappers {
		if a, ok := any(t).(A); ok {
			return a, true
		}
		w, ok := t.(Unwrapper)
		if !ok {
			break
		}
		if t = w.Unwrap(); t == nil {
			break
		}
	}
	var none A
	return none, false
}

// Effecter is implemented by tools whose effects depend on the arguments, such
// as one that reads or writes by an argument "operation". It may only narrow
// what [Info.Effects] says; the door takes what both allow.
type Effecter interface {
	EffectsOf(args json.RawMessage) Effects
}

// Footprinter is implemented by tools that know what a call will touch. A batch
// runs calls side by side whose footprints do not conflict.
type Footprinter interface {
	FootprintOf(args json.RawMessage) Footprint
}

// Footprint is what one call touches. The zero value touches nothing that
// another call could.
type Footprint struct {
	Reads     []string // paths, cleaned, relative to the project's root
	Writes    []string
	Exclusive bool // touches who knows what: the call runs alone
}

// Closer is implemented by tools that hold something. The registry calls it
// once when the tool has left it and its last call has ended.
type Closer interface {
	Close() error
}

// effectsOf are the effects of one call.
func (e *Entry) effectsOf(args string) Effects {
	if e.effecter == nil {
		return e.Info.Effects
	}
	return e.effecter.EffectsOf(json.RawMessage(args)) & e.Info.Effects
}

// footprintOf is what one call touches. A tool that does not say runs alone,
// unless its kind only looks.
func (e *Entry) footprintOf(args string) Footprint {
	if e.footprinter != nil {
		return e.footprinter.FootprintOf(json.RawMessage(args))
	}
	switch e.Info.Kind {
	case KindRead, KindGlob, KindGrep:
		return Footprint{Reads: []string{"."}}
	default:
		return Footprint{Exclusive: true}
	}
}
