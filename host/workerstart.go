package host

import (
	"context"
	"time"

	"github.com/rho-ext/rho-ext/host/worker"
)

// StartWorker starts a worker process of its own, ends it, and tells how long it
// took until it was locked down and ready. In [InProcess] isolation there is
// none, and nothing is started.
func (h *Host) StartWorker(ctx context.Context) (time.Duration, error) {
	if h.opts.Isolation == InProcess {
		return 0, nil
	}
	f, err := worker.NewFactory(worker.Options{NoStandby: true})
	if err != nil {
		return 0, err
	}
	defer f.Close()
	begin := time.Now()
	_, err = f.Lockdown(ctx)
	return time.Since(begin), err
}

// BundlerLockdown tells what the process that bundles has given up; the zero
// value in [InProcess] isolation. It starts one if there is none.
func (h *Host) BundlerLockdown(ctx context.Context) (Lockdown, error) {
	if h.bundler == nil {
		return Lockdown{}, nil
	}
	return h.bundler.Lockdown(ctx)
}
