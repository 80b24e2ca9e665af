package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/internal/keyfile"
	"github.com/rho-ext/rho-ext/registry"
)

// StateLimit is how many bytes the state of one extension may have, as JSON.
const StateLimit = 1 << 20

// stateOf is what an extension keeps in this project, or nil where there is no
// place for it. It belongs to the extension in its folder: one of the same name
// in another place has its own.
func (h *Host) stateOf(s Source) *keyfile.File {
	if h.opts.Home == "" {
		return nil
	}
	key := h.keyOf(s)
	sum := sha256.Sum256([]byte(key.Scope + "\x00" + key.Dir + "\x00" + key.Extension))
	name := oddInName.ReplaceAllString(s.ID, "_")
	name = name[:min(len(name), 60)] + "-" + hex.EncodeToString(sum[:6]) + ".json"
	return keyfile.New(keyfile.Options{
		Path: filepath.Join(dirs.Project(absolutePath(h.opts.Home), h.opts.Root), "state", name), Max: StateLimit,
		SetAside: func(path string, why error) {
			h.opts.Logger.Warn("the state of an extension could not be read, and is set aside", "extension", s.ID, "file", path, "error", why)
		},
	})
}

// oddInName is what is kept out of names of files.
var oddInName = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// keep reads or changes the extension's state.
func (b *broker) keep(ctx context.Context, req wire.Request, c *liveCall) (wire.Response, error) {
	r, err := decode[wire.StateRequest](req)
	if err != nil {
		return wire.Response{}, err
	}
	if b.state == nil {
		return wire.Response{}, stateError(req, fmt.Errorf("there is no place for it: set %s", dirs.HomeVariable))
	}
	use := registry.Use{Kind: "state", Target: r.Key, Effect: "read", Grant: "default"}
	if req.Op == wire.OpSetState {
		use.Effect = "write"
	}
	var out wire.StateResponse
	var value json.RawMessage
	switch {
	case req.Op == wire.OpState && r.Do == "get":
		value, err = b.state.Get(ctx, r.Key)
		out.Found = value != nil
	case req.Op == wire.OpState && r.Do == "keys":
		use.Target = "*"
		out.Keys, err = b.state.Keys(ctx)
	case req.Op == wire.OpSetState && r.Do == "set":
		err = b.state.Set(ctx, r.Key, req.Payload)
	case req.Op == wire.OpSetState && r.Do == "delete":
		out.Found, err = b.state.Delete(ctx, r.Key)
	default:
		return wire.Response{}, badRequest(req, fmt.Errorf("unknown request %q", r.Do))
	}
	if err != nil {
		return wire.Response{}, stateError(req, err)
	}
	c.call.RecordUse(use)
	resp, err := answer(out)
	resp.Payload = value
	return resp, err
}

// stateError is an error of the state as code sees it.
func stateError(req wire.Request, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &wire.Error{Kind: registry.KindOther, Name: "Error", Code: "state", Message: as(req) + ": " + err.Error()}
	var size *keyfile.SizeError
	if errors.As(err, &size) {
		e.Name, e.Code, e.Hint = "RangeError", "too_large", "delete what is no longer needed, or keep it in a file"
	}
	return e
}
