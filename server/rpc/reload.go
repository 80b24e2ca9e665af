package rpc

import (
	"context"
	"errors"

	"github.com/creachadair/jrpc2"

	"github.com/rho-ext/rho-ext/internal/relay"
)

func (c *session) reloadExtensions(ctx context.Context, req *jrpc2.Request) (any, error) {
	var names []string
	if err := params(req, field{name: "names", into: &names}); err != nil {
		return nil, err
	}
	if c.server.opts.Extensions == nil {
		return nil, errNoExtensions
	}
	report, err := c.server.opts.Extensions.Reload(ctx, names)
	return reported("names", report, err)
}

// control gives the handler of an action.
func (c *session) control(a Action) jrpc2.Handler {
	return func(ctx context.Context, req *jrpc2.Request) (any, error) {
		var name string
		if err := params(req, field{name: "name", into: &name, required: true}); err != nil {
			return nil, err
		}
		if c.server.opts.Extensions == nil {
			return nil, errNoExtensions
		}
		report, err := c.server.opts.Extensions.Control(ctx, a, name)
		return reported("name", report, err)
	}
}

func reported(field string, report ReloadReport, err error) (any, error) {
	var name *NameError
	switch {
	case errors.As(err, &name):
		return nil, badParam(field, "%s", name.Message)
	case err != nil:
		return nil, jrpc2.Errorf(jrpc2.InternalError, "the extensions could not be reloaded: %v", err)
	}
	return report.whole(), nil
}

// whole is the report without a null.
func (r ReloadReport) whole() ReloadReport {
	if r.Changes == nil {
		r.Changes = []Change{}
	}
	return r
}

// tellReloads notifies the client of what changes by itself.
func (s *Server) tellReloads(ctx context.Context, server *jrpc2.Server) (cancel func()) {
	if s.opts.Extensions == nil {
		return func() {}
	}
	out := relay.New(maxReports, func(r ReloadReport) { _ = server.Notify(ctx, "extensions/changed", r.whole()) })
	unsubscribe := s.opts.Extensions.Subscribe(out.Send)
	return func() {
		unsubscribe()
		out.Close()
	}
}

// maxReports bounds how many reports wait for a client that does not read.
const maxReports = 64
