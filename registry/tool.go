package registry

import (
	"context"
	"encoding/json"
	"time"
)

// Tool is something an agent can call. Implementations must be safe for
// concurrent use: the door may run several calls of one tool at once.
type Tool interface {
	// Name is the registered name, by which a model invokes the tool. It has
	// 1–64 characters of A–Z a–z 0–9 _ -, starting with a letter; the
	// registry checks it. It must not change.
	Name() string
	// Description is shown to the model.
	Description() string
	// Parameters is a JSON Schema (draft 2020-12) of type object that stands
	// on its own: no reference leaves it. Its key order is what models see.
	Parameters() json.RawMessage
	// Risk is the label people and policies judge the tool by.
	Risk() Risk
	// Execute runs the tool. The door has validated args against Parameters
	// and filled defaults; ctx carries the [Call] (see [CallFrom]) and ends at
	// the call's deadline or when it is cancelled.
	//
	// A failure of the tool itself is a Result with IsError set, or an error,
	// whose text the model sees; see [Failure] for control over that text.
	Execute(ctx context.Context, args json.RawMessage) (*Result, error)
}

// Info is what a tool may say about itself beyond the [Tool] interface. The
// zero value says nothing.
type Info struct {
	Title        string          // for people; empty means the name
	Kind         ToolKind        // what it does, for aligning tools of different origin; empty means other
	Effects      Effects         // what a call may do; zero means derived from Risk
	DeclaredRisk Risk            // what the author declared, where Risk was raised above it; zero means Risk
	Owner        string          // who brought the tool; empty means the host program
	Origin       string          // where the owner comes from, which tells it from another one of its name; standing approvals hold for one alone
	Annotations  *Annotations    // hints in MCP's terms; nil means derived from Effects
	OutputSchema json.RawMessage // JSON Schema of Result.Structured; nil means unstated
	InputFormat  *InputFormat    // freeform text with a grammar; nil means JSON
	Timeout      time.Duration   // deadline of one call; zero means the door's default
	Examples     []Example
}

// Example is one sample call of a tool.
type Example struct {
	Args json.RawMessage `json:"args"`
	Note string          `json:"note,omitempty"`
}

// Informer is implemented by tools that have more to say than [Tool] asks.
type Informer interface {
	Info() Info
}

// InfoOf returns what t says about itself, with every derived field filled in.
func InfoOf(t Tool) Info {
	var info Info
	if i, ok := As[Informer](t); ok {
		info = i.Info()
	}
	if info.Kind == "" {
		info.Kind = KindOtherTool
	}
	if info.Title == "" {
		info.Title = t.Name()
	}
	if info.Effects == 0 {
		info.Effects = t.Risk().Effects()
	}
	if info.DeclaredRisk == 0 {
		info.DeclaredRisk = t.Risk()
	}
	return info
}
