package worker

import (
	"fmt"
	"time"

	"github.com/rho-ext/rho-ext/host/bundle"
)

// fit reports whether the process takes builds.
func (l *bundleLink) fit() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fits()
}

// fits is fit for those who hold l.mu. A process for one build takes one.
func (l *bundleLink) fits() bool {
	return !l.dead && !l.retired && l.ending == nil && !(l.alone && l.last > 0)
}

// retire lets builds that run finish, and takes no new ones.
func (l *bundleLink) retire(spoiled bool) {
	l.mu.Lock()
	l.retired = true
	l.spoiled = l.spoiled || spoiled
	empty := len(l.builds) == 0
	l.mu.Unlock()
	if empty {
		l.end(ending{})
	}
}

// rest ends a process that has had nothing to do for a while.
func (l *bundleLink) rest() {
	l.mu.Lock()
	if len(l.builds) > 0 || l.ending != nil || l.dead {
		l.mu.Unlock()
		return
	}
	l.ending = &ending{}
	l.mu.Unlock()
	l.proc.kill()
}

// end ends the process. The first reason counts.
func (l *bundleLink) end(e ending) {
	l.mu.Lock()
	if l.ending != nil || l.dead {
		l.mu.Unlock()
		return
	}
	l.ending = &e
	l.mu.Unlock()
	switch e.cause {
	case CauseTimeout, CauseMemory:
		l.proc.testify()
		time.AfterFunc(testifyFor, l.proc.kill)
	case CauseCrash:
		time.AfterFunc(testifyFor, l.proc.kill)
	default:
		l.proc.kill()
	}
}

// meter ends a process that uses too much memory.
func (l *bundleLink) meter() {
	m, err := l.proc.newMeter()
	if err != nil {
		return
	}
	defer m.close()
	tick := time.NewTicker(meterEvery)
	defer tick.Stop()
	for {
		tick.Stop()
		select {
		case <-l.busy:
		case <-l.gone:
			return
		}
		tick.Reset(meterEvery)
		for running := true; running; {
			select {
			case <-tick.C:
			case <-l.gone:
				return
			}
			resident, _, err := m.read()
			if err != nil {
				return
			}
			l.mu.Lock()
			l.peak = max(l.peak, resident)
			running = len(l.builds) > 0
			l.mu.Unlock()
			if resident > l.bundler.opts.HardMemory*memoryFactor {
				l.end(ending{cause: CauseMemory, detail: fmt.Sprintf("it used %d MB", resident>>20)})
				return
			}
		}
	}
}

// reap waits for the end of the process and settles what it leaves behind.
func (l *bundleLink) reap() {
	defer close(l.gone)
	<-l.proc.exited
	within(l.proc.words.done, time.Second)
	if !within(l.read, time.Second) {
		l.proc.in.Close()
		<-l.read
	}
	l.proc.in.Close()
	l.proc.out.Close()
	l.proc.words.file.Close()
	l.proc.release()

	l.mu.Lock()
	l.dead = true
	l.idle.Stop()
	if l.ending == nil {
		l.ending = &ending{cause: CauseCrash}
	}
	builds := l.builds
	l.builds = nil
	cause, detail, guilty := l.judge(builds)
	l.mu.Unlock()

	b := l.bundler
	b.mu.Lock()
	delete(b.all, l)
	b.mu.Unlock()
	d := Death{Time: time.Now(), Cause: cause, Detail: detail, Lost: len(builds)}
	for id, run := range builds {
		switch {
		case id == guilty:
			d.Extension = run.opts.ID
			run.end(nil, b.failure(run.opts, cause, detail), false)
		case l.alone:
			run.end(nil, b.failure(run.opts, cause, detail), false)
		default:
			run.end(nil, nil, true)
		}
	}
	if cause != "" && b.opts.OnDeath != nil {
		b.opts.OnDeath(d)
	}
}

// judge says why the process died, and which build's fault that is where it is
// clear. l.mu is held.
func (l *bundleLink) judge(builds map[uint64]*build) (cause Cause, detail string, guilty uint64) {
	words, trace := l.proc.words.get()
	cause, detail = classify(*l.ending, words, l.proc.signalled(), l.peak > l.bundler.opts.HardMemory/2)
	switch cause {
	case "", CauseKilled, CauseStart:
		return cause, detail, 0
	case CauseProtocol:
		return cause, detail, l.blamed
	case CauseStack, CauseCrash:
		if builds[trace.first] != nil {
			return cause, detail, trace.first // the goroutine that died is told first
		}
	}
	var near []uint64
	for id := range trace.working {
		if builds[id] != nil {
			near = append(near, id)
		}
	}
	if len(near) == 0 && !l.spoiled {
		for id := range builds {
			near = append(near, id)
		}
	}
	switch {
	case len(near) == 1:
		return cause, detail, near[0]
	case cause == CauseTimeout:
		return cause, detail, l.blamed
	default:
		return cause, detail, 0
	}
}

// failure says what the process died of.
func (b *Bundler) failure(o bundle.Options, cause Cause, detail string) *bundle.Failures {
	switch cause {
	case "":
		return bundle.Broken(o, "the extension could not be bundled: "+ErrClosed.Error(), "")
	case CauseTimeout:
		return bundle.Late(o)
	case CauseMemory:
		return bundle.Broken(o, fmt.Sprintf("the bundler ran out of memory (more than %d MB)", b.opts.SoftMemory>>20),
			"import less: a smaller package, or a part of it; keep data in files that the tool reads when it runs")
	case CauseStack:
		return bundle.Broken(o, "the bundler overflowed its stack: a source file, or a package's package.json, is nested too deeply",
			"generated code like this belongs in a data file")
	case CauseKilled:
		return bundle.Broken(o, "the process that bundles the extension was killed, twice", "save the file once more to try again")
	default:
		return bundle.Broken(o, fmt.Sprintf("the bundler failed (%s): %s", cause, detail), "take back what changed last, piece by piece, to see what it trips over")
	}
}
