package rpc

import "context"

// Extensions is what the server needs to know of extensions. Its methods are
// safe for concurrent use.
type Extensions interface {
	// List describes the extensions, as `list --json` prints them.
	List(ctx context.Context) (any, error)
	// Reload loads what has changed on disk. An extension that fails is part
	// of the report, not an error.
	Reload(ctx context.Context) (ReloadReport, error)
	// SetModel names the model that the agent uses from now on, for
	// extensions that ask; empty is none.
	SetModel(name string)
}

// ReloadReport says what a reload did.
type ReloadReport struct {
	Added    int      `json:"added"`
	Reloaded int      `json:"reloaded"`
	Removed  int      `json:"removed"`
	Failed   int      `json:"failed"`
	Changes  []Change `json:"changes"`
}

// Change is what a reload did to one extension.
type Change struct {
	Extension string `json:"extension"`
	Change    string `json:"change"` // added, reloaded, removed or failed
	Message   string `json:"message,omitempty"`
}
