package host

import (
	"context"

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

// newWorkers makes what runs and what bundles extensions in the mode that was
// chosen. Nothing is started yet.
func (h *Host) newWorkers() (wire.Factory, *worker.Bundler, error) {
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
