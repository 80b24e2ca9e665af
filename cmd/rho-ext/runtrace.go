package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

func (a *app) tracef(format string, args ...any) {
	fmt.Fprintln(a.err, a.paint(dim, "trace: "+clean(fmt.Sprintf(format, args...))))
}

func (a *app) traceLoad(w *workspace, e registry.Entry, known bool, took time.Duration) {
	a.tracef("project root %s", w.host.Root())
	a.tracef("loaded in %s", ms(took))
	if !known {
		return
	}
	owner := e.Owner
	if owner == "" {
		owner = "built-in"
	}
	a.tracef("tool %s of %s, risk %s, effects %s", e.Tool.Name(), owner, e.Tool.Risk(), e.Info.Effects)
	if js, ok := e.Tool.(*host.JSTool); ok {
		a.tracef("arguments are passed as %s", js.Arguments())
	}
}

func (a *app) traceCall(o *registry.Outcome) {
	a.tracef("call %s arguments %s", o.CallID, o.Arguments)
	if c := o.Consent; c != nil {
		how := "may not run"
		if c.Allowed {
			how = "may run"
		}
		if c.Asked {
			how += ", asked"
		}
		a.tracef("%s: %s", how, c.Reason)
	}
	for _, u := range o.Uses {
		how := "allowed by " + u.Grant
		if u.Denied {
			how = "denied"
		}
		a.tracef("%s %s %s, %s", u.Effect, u.Kind, u.Target, how)
	}
	a.tracef("%s in %s, attempts %d", o.Status, ms(o.Duration), max(1, o.Attempts))
}

func (a *app) printTimes(load time.Duration, times []time.Duration) {
	if len(times) == 1 {
		fmt.Fprintf(a.err, "load %s, call %s\n", ms(load), ms(times[0]))
		return
	}
	first := times[0]
	slices.Sort(times)
	fmt.Fprintf(a.err, "load %s; %d calls: first %s, min %s, median %s, max %s\n", ms(load), len(times),
		ms(first), ms(times[0]), ms(times[len(times)/2]), ms(times[len(times)-1]))
}

func ms(d time.Duration) string { return fmt.Sprintf("%.3f ms", float64(d.Nanoseconds())/1e6) }
