package main

import (
	"context"
	"fmt"
	"strings"

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
	var holds []string
	if l.NoNewPrivs {
		holds = append(holds, "no new privileges")
	}
	if l.Landlock > 0 {
		holds = append(holds, fmt.Sprintf("Landlock %d", l.Landlock))
	}
	if l.Seccomp {
		holds = append(holds, "a filter of system calls")
	}
	if l.Job {
		holds = append(holds, "a job object")
	}
	if len(holds) > 0 {
		d.Isolation.Meaning += "; they are locked down by " + strings.Join(holds, ", ")
	}
	for _, why := range l.Why {
		d.Notes = append(d.Notes, "worker processes are not locked down as they could be: "+why)
	}
}
