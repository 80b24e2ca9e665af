package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"time"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/jsapi"
)

// roleBundler is what the hello of a worker says that builds.
const roleBundler = "bundler"

// builder is a bundler's side: it builds what frames ask, each at once. How many
// at a time, the host decides.
type builder struct {
	conn    *conn
	watch   *watch
	modules map[string]string
	kept    bundle.Builder
}

// serveBuilds is the life of a bundler after its hello.
func serveBuilds(c *conn, h hello, first *frame, in, out *os.File) error {
	reads, err := first.reads()
	if err != nil {
		return err
	}
	b := &builder{conn: c, watch: newWatch(nil, h.SoftMemory), modules: jsapi.Modules()}
	go b.mind()
	ready, err := message(header{Kind: kindReady}, ready{Protocol: protocol, Lockdown: confineBundler(in, out, reads)})
	if err != nil {
		return err
	}
	if err := c.send(ready); err != nil {
		return err
	}
	for {
		f, err := c.receive()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case f.Kind != kindBuild:
			return fmt.Errorf("%w: of kind %q", errFrame, f.Kind)
		}
		o, err := f.buildOptions(b.modules)
		if err != nil {
			return err
		}
		b.watch.enter()
		go b.build(f.ID, o)
	}
}

func (b *builder) build(id uint64, o bundle.Options) {
	defer b.watch.leave()
	var out bundle.Outcome
	// All that the bundler starts inherits the label, and a trace tells it.
	pprof.Do(context.Background(), pprof.Labels(sandboxLabel, strconv.FormatUint(id, 10)), func(context.Context) {
		build := bundle.Build
		if o.Again {
			build = b.kept.Build
		}
		out = bundle.OutcomeOf(build(o))
	})
	f, err := builtFrame(id, out)
	if err == nil && f.size() > maxPayload {
		f, err = builtFrame(id, bundle.OutcomeOf(nil, bundle.Broken(o,
			fmt.Sprintf("the bundle is too large: %d MB, at most %d", f.size()>>20, maxPayload>>20),
			"keep data in a file that the tool reads when it runs")))
	}
	if err == nil {
		_ = b.conn.send(f) // else the host has gone
	}
}

// mind ends the process when builds use too much memory: nothing stops one.
func (b *builder) mind() {
	w := b.watch
	tick := time.NewTicker(watchEvery)
	for {
		tick.Stop()
		<-w.wake
		tick.Reset(watchEvery)
		for w.live.Load() > 0 {
			<-tick.C
			grown := w.heap() - w.base
			if grown >= w.soft/2 && b.kept.Trim() {
				runtime.GC()
				continue
			}
			if grown < w.soft || grown < w.soft+w.soft/2 && time.Since(w.last) < collectEvery {
				continue
			}
			runtime.GC()
			if w.last = time.Now(); w.heap()-w.base >= w.soft {
				w.giveUp(slices.Collect(maps.Keys(executing())))
			}
		}
	}
}

// grantFrame is the first frame to a bundler.
func grantFrame(h hello, r bundle.Reads) (*frame, error) {
	h.Protocol, h.Role = protocol, roleBundler
	return message(header{Kind: kindHello}, h, pack(r.Trees...), pack(r.Names...), pack(r.Files...))
}

func (f *frame) reads() (r bundle.Reads, err error) {
	for i, list := range []*[]string{&r.Trees, &r.Names, &r.Files} {
		if *list, err = unpack(f.part(1 + i)); err != nil {
			return r, err
		}
	}
	return r, nil
}
