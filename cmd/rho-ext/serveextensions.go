package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/server/rpc"
)

// extensions is the host as the RPC server sees it.
type extensions struct {
	w *workspace

	mu    sync.Mutex
	last  int
	heard map[int]func(rpc.ReloadReport)
}

var _ rpc.Extensions = (*extensions)(nil)

// List implements [rpc.Extensions].
func (e *extensions) List(context.Context) (any, error) { return listOf(e.w), nil }

// SetModel implements [rpc.Extensions].
func (e *extensions) SetModel(name string) { e.w.host.SetModel(name) }

// Reload implements [rpc.Extensions].
func (e *extensions) Reload(ctx context.Context, names []string) (rpc.ReloadReport, error) {
	r, err := e.w.host.Reload(ctx, names...)
	return e.report(r, err)
}

// Control implements [rpc.Extensions].
func (e *extensions) Control(ctx context.Context, a rpc.Action, name string) (rpc.ReloadReport, error) {
	do := map[rpc.Action]func(context.Context, string) (host.Report, error){
		rpc.ActionEnable: e.w.host.Enable, rpc.ActionDisable: e.w.host.Disable, rpc.ActionUnload: e.w.host.Unload,
	}[a]
	r, err := do(ctx, name)
	return e.report(r, err)
}

// Subscribe implements [rpc.Extensions].
func (e *extensions) Subscribe(heard func(rpc.ReloadReport)) (cancel func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	id := e.last
	if e.heard == nil {
		e.heard = map[int]func(rpc.ReloadReport){}
	}
	e.heard[id] = heard
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.heard, id)
	}
}

// reloaded hears of what changed because files were saved.
func (e *extensions) reloaded(r host.Report) {
	report, err := e.report(r, nil)
	if err != nil {
		return
	}
	e.mu.Lock()
	all := slices.Collect(maps.Values(e.heard))
	e.mu.Unlock()
	for _, heard := range all {
		heard(report)
	}
}

// report is a host's report as the client gets it.
func (e *extensions) report(r host.Report, err error) (rpc.ReloadReport, error) {
	var name *host.NameError
	if errors.As(err, &name) {
		return rpc.ReloadReport{}, &rpc.NameError{Message: name.Message}
	}
	if err != nil {
		return rpc.ReloadReport{}, err
	}
	hide := e.w.hide.Redact
	out := rpc.ReloadReport{Added: len(r.Added), Reloaded: len(r.Reloaded), Removed: len(r.Removed), Text: hide(r.Text())}
	failed := map[string]bool{}
	for _, f := range r.Failures {
		failed[f.Extension] = true
	}
	out.Failed = len(failed)
	for i := range r.Changes {
		c := &r.Changes[i]
		out.Changes = append(out.Changes, rpc.Change{
			Extension: c.Extension, Change: string(c.Kind), Version: c.Version, Tools: c.Serving, Message: hide(changeMessage(c)),
		})
	}
	return out, nil
}

// changeMessage says what a client's user wants to know of a change beyond its
// kind: why it failed and what serves on, or which tools are not as they were.
func changeMessage(c *host.Change) string {
	var parts []string
	for i := range c.Failures {
		parts = append(parts, c.Failures[i].Error())
	}
	if len(parts) > 0 {
		if c.Version > 0 {
			parts[len(parts)-1] += fmt.Sprintf(" (the last good version, v%d, is still serving)", c.Version)
		}
		return strings.Join(parts, "\n")
	}
	for _, t := range c.Tools {
		parts = append(parts, t.String())
	}
	return strings.Join(parts, ", ")
}
