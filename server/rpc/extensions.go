package rpc

import "context"

// Extensions is what the server needs to know of extensions. Its methods are
// safe for concurrent use.
type Extensions interface {
	// List describes the extensions, as `list --json` prints them.
	List(ctx context.Context) (any, error)
	// Reload loads what has changed on disk. With names it looks at those
	// extensions alone and loads them anew, changed or not. An extension that
	// fails is part of the report, not an error.
	Reload(ctx context.Context, names []string) (ReloadReport, error)
	// Control does something with one extension, until the server ends.
	Control(ctx context.Context, a Action, name string) (ReloadReport, error)
	// Subscribe has heard called with what changes without being asked for, as
	// when files are saved, until it is cancelled.
	Subscribe(heard func(ReloadReport)) (cancel func())
	// SetModel names the model that the agent uses from now on, for
	// extensions that ask; empty is none.
	SetModel(name string)
}

// Action is what can be done with one extension.
type Action string

// The actions.
const (
	ActionEnable  Action = "enable"
	ActionDisable Action = "disable"
	ActionUnload  Action = "unload" // until its files change, or it is reloaded by name
)

// NameError says that an extension that was named is not there, or that it may
// not be used so: the client's mistake.
type NameError struct{ Message string }

func (e *NameError) Error() string { return e.Message }

// ReloadReport says what a reload did.
type ReloadReport struct {
	Added    int `json:"added"`
	Reloaded int `json:"reloaded"`
	Removed  int `json:"removed"`
	Failed   int `json:"failed"`
	// Text says all of it in words that a model understands; empty where
	// nothing has changed.
	Text    string   `json:"text"`
	Changes []Change `json:"changes"`
}

// Change is what a reload did to one extension.
type Change struct {
	Extension string `json:"extension"`
	// Change is added, reloaded, removed, failed, disabled or restored.
	Change string `json:"change"`
	// Version counts what was put in place since the server began. With failed
	// it is the one that goes on serving; none is left out.
	Version int `json:"version,omitempty"`
	// Tools are the names of those that it has now.
	Tools   []string `json:"tools,omitempty"`
	Message string   `json:"message,omitempty"`
}
