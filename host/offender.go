package host

import (
	"fmt"
	"time"

	"github.com/rho-ext/rho-ext/host/worker"
	"github.com/rho-ext/rho-ext/registry"
)

// An extension that takes its worker down this often within the time is
// disabled for a while, each time for twice as long.
const (
	deathsAllowed = 3
	deathsWithin  = time.Minute
	firstPause    = 10 * time.Second
	longestPause  = 10 * time.Minute
)

// offender is an extension that has taken worker processes down.
type offender struct {
	hash   string // of its code then; other code begins anew
	recent []time.Time
	cause  worker.Cause
	until  time.Time // disabled until then
	pause  time.Duration
}

// workerDied is told of each worker that ended by itself.
func (h *Host) workerDied(d worker.Death) {
	about := []any{"cause", string(d.Cause), "calls", d.Lost, "detail", d.Detail}
	if d.Extension == "" { // nobody in particular
		h.opts.Logger.Warn("a worker process ended", about...)
		return
	}
	h.opts.Logger.Warn("a worker process ended", append(about, "extension", d.Extension)...)
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.deaths[d.Extension]
	if o == nil || o.hash != d.Hash {
		if g := h.loaded[d.Extension]; o != nil && g != nil && g.bundle.Hash == o.hash {
			return // a version that does not serve is no news of the one that does
		}
		o = &offender{hash: d.Hash, pause: firstPause}
		h.deaths[d.Extension] = o
	}
	o.cause = d.Cause
	var recent []time.Time
	for _, t := range append(o.recent, d.Time) {
		if d.Time.Sub(t) < deathsWithin {
			recent = append(recent, t)
		}
	}
	if o.recent = recent; len(recent) < deathsAllowed {
		return
	}
	o.recent, o.until = nil, d.Time.Add(o.pause)
	o.pause = min(2*o.pause, longestPause)
	h.opts.Logger.Warn("an extension is disabled for a while", "extension", d.Extension, "until", o.until)
}

// bundlerDied is told of each bundler process that ended by itself. What it
// failed at has a failure of its own.
func (h *Host) bundlerDied(d worker.Death) {
	h.opts.Logger.Warn("a bundler process ended", "cause", string(d.Cause), "extension", d.Extension, "bundles", d.Lost, "detail", d.Detail)
}

// disabledNow says why the extension may not run, or nothing. The caller holds
// h.mu.
func (h *Host) disabledNow(id, hash string) string {
	o := h.deaths[id]
	if o == nil || o.hash != hash || !time.Now().Before(o.until) {
		return ""
	}
	return fmt.Sprintf("it took its worker down %d times within %v (%s)", deathsAllowed, deathsWithin, o.cause)
}

func (h *Host) disabledFailure(id, hash string) *registry.Failure {
	h.mu.RLock()
	defer h.mu.RUnlock()
	why := h.disabledNow(id, hash)
	if why == "" {
		return nil
	}
	left := time.Until(h.deaths[id].until).Round(time.Second)
	return &registry.Failure{Kind: registry.KindOther, Code: "disabled", Retryable: registry.RetryYes, RetryAfter: left,
		Message: fmt.Sprintf("extension %s is disabled for %v: %s", id, left, why),
		Hint:    "it is enabled again when its files change"}
}
