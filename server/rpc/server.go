package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"

	"github.com/rho-ext/rho-ext/internal/relay"
	"github.com/rho-ext/rho-ext/registry"
)

// Protocol is the version of the methods that this package serves. It rises
// when something that a client may rely on changes.
const Protocol = 1

// Options configure a [Server]. The zero value is usable.
type Options struct {
	// Name and Version answer the method version; empty means rho-ext and dev.
	Name, Version string
	// Extensions answers for extensions; nil where there are none.
	Extensions Extensions
	// Commands runs the commands of extensions; nil where there are none.
	Commands Commands
	// Approvals, where it is the door's gate, is answered by the client: each
	// question becomes a notification approval/request, and the method
	// approvalResponse answers it. Nil asks nobody.
	Approvals *registry.Approvals
	// Drain is how long calls may go on after the client has closed its end.
	// They are cancelled then, and answered all the same. Zero cancels at
	// once.
	Drain time.Duration
	// Logger takes what concerns the operator; nil means nothing is logged.
	Logger *slog.Logger
}

// Server serves the tools of a registry. Its methods are safe for concurrent
// use.
type Server struct {
	door     *registry.Door
	registry *registry.Registry
	opts     Options
}

// NewServer makes a server of the tools of reg, whose calls go through door.
// Nil options mean the defaults.
func NewServer(door *registry.Door, reg *registry.Registry, o *Options) *Server {
	s := &Server{door: door, registry: reg}
	if o != nil {
		s.opts = *o
	}
	if s.opts.Name == "" {
		s.opts.Name = "rho-ext"
	}
	if s.opts.Version == "" {
		s.opts.Version = "dev"
	}
	if s.opts.Logger == nil {
		s.opts.Logger = slog.New(slog.DiscardHandler)
	}
	return s
}

// Serve serves one client until it closes r, which is no error, or ctx ends.
// Calls that run then are cancelled. When ctx ends, a Read of r that waits is
// left behind, and a Write to w that waits is waited for; close r and w to end
// them.
func (s *Server) Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	session := newSession(s)
	ch := newLineChannel(r, w)
	unlisten := func() {}
	ch.atEOF = func() (stop func()) {
		unlisten() // whoever has closed its end answers no more
		timer := time.AfterFunc(s.opts.Drain, session.end)
		return func() { timer.Stop() }
	}
	server := jrpc2.NewServer(session, &jrpc2.ServerOptions{
		AllowPush:      true,
		DisableBuiltin: true,
		// Calls are bounded by the session, so that one that cancels another
		// always gets through.
		Concurrency: maxMessages,
		NewContext:  func() context.Context { return ctx },
	})
	server.Start(ch)
	defer context.AfterFunc(ctx, func() {
		ch.stop()
		server.Stop()
	})()

	if err := server.Notify(ctx, "ready", session.version()); err != nil {
		s.opts.Logger.Warn("the client does not listen", "error", err)
	}
	changes := relay.New(1, func(generation uint64) {
		_ = server.Notify(ctx, "tools/changed", changedParams{Generation: generation})
	})
	unwatch := s.watch(changes.Send)
	untell := s.tellReloads(ctx, server)

	if a := s.opts.Approvals; a != nil {
		unlisten = a.Listen(askOver(ctx, server))
		defer unlisten()
	}
	ch.open() // nothing is answered before ready
	err := server.Wait()
	unwatch()
	untell()
	changes.Close()
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// watch has changed called with the generation of each snapshot for which
// listTools answers differently; a reload that changed code alone is none.
func (s *Server) watch(changed func(generation uint64)) (cancel func()) {
	var mu sync.Mutex
	var shown []byte
	mu.Lock()
	defer mu.Unlock()
	cancel = s.registry.Subscribe(func(snap *registry.Snapshot) {
		mu.Lock()
		defer mu.Unlock()
		// What cannot be written as JSON is answered with an error, always anew.
		now, err := json.Marshal(toolsOf(snap))
		if err != nil || !bytes.Equal(now, shown) {
			shown = now
			changed(snap.Generation())
		}
	})
	shown, _ = json.Marshal(toolsOf(s.registry.Snapshot()))
	return cancel
}

type changedParams struct {
	Generation uint64 `json:"generation"`
}
