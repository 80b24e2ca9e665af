package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rho-ext/rho-ext/registry"
)

// Options configure a [Server]. The zero value is usable.
type Options struct {
	// Name and Version tell clients who serves; empty means rho-ext and dev.
	Name, Version string
	// Logger takes what concerns the operator; nil means nothing is logged.
	// It must not write to the stream that carries the protocol.
	Logger *slog.Logger
}

// Server serves the tools of a registry. Its methods are safe for concurrent
// use.
type Server struct {
	door     *registry.Door
	registry *registry.Registry
	logger   *slog.Logger
	sdk      *sdk.Server
	runs     sync.Map // from a session to the context of its run

	mu         sync.Mutex
	generation uint64            // of the snapshot that clients see
	shown      map[string][]byte // the tools that clients see, as JSON
}

// NewServer makes a server of the tools of reg, whose calls go through door.
// Nil options mean the defaults.
func NewServer(door *registry.Door, reg *registry.Registry, o *Options) *Server {
	opts := Options{}
	if o != nil {
		opts = *o
	}
	if opts.Name == "" {
		opts.Name = "rho-ext"
	}
	if opts.Version == "" {
		opts.Version = "dev"
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		door:     door,
		registry: reg,
		logger:   opts.Logger,
		shown:    map[string][]byte{},
	}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: opts.Name, Version: opts.Version}, &sdk.ServerOptions{
		Logger: slog.New(warnings{opts.Logger.Handler()}),
		// Said outright, so that a registry that is still empty can fill later.
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}},
	})
	s.show(reg.Snapshot())
	return s
}

// Run serves one client until it leaves or ctx ends. A client that left is no
// error. Several runs at once serve several clients.
func (s *Server) Run(ctx context.Context, t sdk.Transport) error {
	cancel := s.registry.Subscribe(s.show)
	defer cancel()
	s.show(s.registry.Snapshot())
	// The SDK's own Run would log what is returned here, and every interrupt as
	// an error.
	session, err := s.sdk.Connect(ctx, t, nil)
	if err != nil {
		return err
	}
	s.runs.Store(session, ctx)
	defer s.runs.Delete(session)
	defer context.AfterFunc(ctx, func() { _ = session.Close() })()
	err = session.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case clientLeft(err):
		return nil
	default:
		return err
	}
}

// clientLeft reports whether err says no more than that the other end of the
// stream is gone. The SDK returns it when the client went while something was
// still to be written.
func clientLeft(err error) bool {
	for _, gone := range []error{io.EOF, io.ErrClosedPipe, os.ErrClosed, net.ErrClosed, syscall.EPIPE} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// show makes the SDK's tools those of a snapshot. A tool that looks as before
// is not touched, so that a reload that changed code alone tells clients
// nothing.
func (s *Server) show(snapshot *registry.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if snapshot.Generation() < s.generation {
		return
	}
	s.generation = snapshot.Generation()
	shown := make(map[string][]byte, snapshot.Len())
	for _, e := range snapshot.Tools() {
		tool := toolOf(e)
		text, err := json.Marshal(tool)
		if err == nil && !bytes.Equal(s.shown[tool.Name], text) {
			err = s.add(tool)
		}
		if err != nil {
			s.logger.Error("tool cannot be served over MCP", "tool", tool.Name, "error", err)
			continue
		}
		shown[tool.Name] = text
	}
	var gone []string
	for name := range s.shown {
		if _, ok := shown[name]; !ok {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 {
		s.sdk.RemoveTools(gone...)
	}
	s.shown = shown
}

// add gives a tool to the SDK, which panics over one that it cannot serve.
func (s *Server) add(tool *sdk.Tool) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	s.sdk.AddTool(tool, s.call)
	return nil
}

// warnings keeps the SDK's notes on each step of a session from the operator.
type warnings struct{ slog.Handler }

// Enabled implements [slog.Handler].
func (w warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && w.Handler.Enabled(ctx, l)
}

// WithAttrs implements [slog.Handler].
func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }
