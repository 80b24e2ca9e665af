package main

import (
	"context"
	"slices"

	"github.com/rho-ext/rho-ext/host"
)

// lookAtIsolation starts a worker, where there are such, to see what it has
// given up.
func (d *diagnosis) lookAtIsolation(ctx context.Context, h *host.Host) {
	if h.Isolation() == host.InProcess {
		d.Isolation = isolationState{Mode: h.Isolation().String(),
			Meaning: "extensions share this process, with deadlines and a stack limit; nothing bounds their memory"}
		return
	}
	d.Isolation = isolationState{Mode: h.Isolation().String(), Meaning: "extensions run in worker processes; run uses this process unless --isolation says otherwise"}
	l, err := h.Lockdown(ctx)
	if err != nil {
		d.problemf("no worker process could be started, so no extension runs: %v", err)
		return
	}
	d.Isolation.Worker = lockdownOf(l)
	if holds := d.Isolation.Worker.String(); holds != "" {
		d.Isolation.Meaning += "; they are locked down by " + holds
	}
	for _, why := range l.Why {
		d.Notes = append(d.Notes, "worker processes are not locked down as they could be: "+why)
	}
	took, err := h.StartWorker(ctx)
	if err != nil {
		d.problemf("a second worker process could not be started: %v", err)
	}
	d.Isolation.StartMS = millis(took)
	bl, err := h.BundlerLockdown(ctx)
	if err != nil {
		d.problemf("no process that bundles could be started, so no extension is loaded: %v", err)
		return
	}
	d.Isolation.Bundler = lockdownOf(bl)
	for _, why := range bl.Why {
		if !slices.Contains(l.Why, why) {
			d.notef("the process that bundles is not locked down as it could be: %s", why)
		}
	}
}
