package host

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/sandbox"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/host/worker"
)

// WorkerMain makes a process that a host has started a worker of [Process]
// isolation, and never returns then. In every other process it returns at once.
// It belongs at the very top of main, before flags are read and anything is
// opened, and of TestMain.
func WorkerMain() { worker.Main() }

// WorkerOptions configure worker processes. The zero value is the default.
type WorkerOptions struct {
	// PerExtension gives each extension a worker of its own instead of one for
	// all.
	PerExtension bool
	// NoStandby keeps no idle worker ready. With one, a replacement takes no
	// time to start.
	NoStandby bool
	// SoftMemory is by how many bytes a worker's memory may grow before the
	// calls at work are stopped, HardMemory where the process is ended; zero
	// means 256 MB and 512 MB.
	SoftMemory, HardMemory int64
}

// Lockdown says what of the system worker processes have given up.
type Lockdown = worker.Lockdown

// Engine is what runs and bundles the extensions of several hosts, in one
// isolation mode. It is safe for concurrent use.
type Engine struct {
	isolation Isolation
	factory   wire.Factory
	bundler   *worker.Bundler // nil: in this process
}

// NewEngine makes one. No process is started yet. It fails with [ErrNoWorkerMain]
// where process isolation cannot be had.
func NewEngine(mode Isolation, o WorkerOptions, log *slog.Logger) (*Engine, error) {
	h := &Host{opts: Options{Isolation: mode, Workers: o, Logger: log}, deaths: map[string]*offender{}}
	if log == nil {
		h.opts.Logger = slog.New(slog.DiscardHandler)
	}
	f, b, err := h.newWorkers()
	if err != nil {
		return nil, err
	}
	return &Engine{isolation: mode, factory: f, bundler: b}, nil
}

// NewSandbox implements [wire.Factory].
func (e *Engine) NewSandbox(b wire.Broker) (wire.Sandbox, error) { return e.factory.NewSandbox(b) }

// Expect says what will be bundled, so that the bundler starts at once and one
// process of it serves for all.
func (e *Engine) Expect(list ...bundle.Options) {
	if e.bundler != nil {
		e.bundler.Expect(list...)
	}
	if f, ok := e.factory.(*worker.Factory); ok && len(list) > 0 {
		f.Prepare()
	}
}

// Build bundles; an error is a [*bundle.Failures].
func (e *Engine) Build(ctx context.Context, o bundle.Options) (*bundle.Bundle, error) {
	if e.bundler == nil {
		return bundle.Build(o)
	}
	return e.bundler.Build(ctx, o)
}

// Stay sets how long the bundler's process stays without work; zero means 10 s.
func (e *Engine) Stay(d time.Duration) {
	if e.bundler != nil {
		e.bundler.Stay(d)
	}
}

// Close ends the processes. Hosts that use them are closed before.
func (e *Engine) Close() error {
	err := e.factory.Close()
	if e.bundler != nil {
		err = errors.Join(err, e.bundler.Close())
	}
	return err
}

// newWorkers makes what runs and what bundles extensions in the mode that was
// chosen. Nothing is started yet.
func (h *Host) newWorkers() (wire.Factory, *worker.Bundler, error) {
	if e := h.opts.Engine; e != nil {
		h.opts.Isolation = e.isolation
		return e.factory, e.bundler, nil
	}
	if h.opts.Isolation == InProcess {
		return &sandbox.Factory{}, nil, nil
	}
	w := h.opts.Workers
	o := worker.Options{
		PerExtension: w.PerExtension, NoStandby: w.NoStandby, SoftMemory: w.SoftMemory, HardMemory: w.HardMemory,
		OnDeath: h.workerDied,
	}
	f, err := worker.NewFactory(o)
	if err != nil {
		return nil, nil, err
	}
	o.OnDeath = h.bundlerDied
	b, err := worker.NewBundler(o)
	return f, b, err
}

// Isolation is the mode in which extensions run.
func (h *Host) Isolation() Isolation { return h.opts.Isolation }

// Lockdown tells what worker processes have given up; the zero value in
// [InProcess] isolation. It starts one if there is none.
func (h *Host) Lockdown(ctx context.Context) (Lockdown, error) {
	if f, ok := h.factory.(*worker.Factory); ok {
		return f.Lockdown(ctx)
	}
	return Lockdown{}, nil
}
