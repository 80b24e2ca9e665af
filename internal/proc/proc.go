package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Defaults of a Command, and the bounds of what follows the end of a program.
const (
	DefaultGrace     = 2 * time.Second
	DefaultMaxOutput = 256 << 10

	lingerQuiet = 100 * time.Millisecond // silence after which nobody waits for the output of background children
	lingerMax   = 500 * time.Millisecond // and if they are not silent
	shortGrace  = 200 * time.Millisecond // for what a program that has ended leaves behind
	killWait    = 5 * time.Second        // until killed processes are given up: they hang in the kernel
	drainQuiet  = 50 * time.Millisecond  // a pipe without a living writer that gives nothing for so long is empty
	drainMax    = time.Second
	drainBytes  = 1 << 20 // the most that a pipe can hold
)

// Stream says which output of a program is meant.
type Stream uint8

const (
	Stdout Stream = iota + 1
	Stderr
)

func (s Stream) String() string {
	if s == Stderr {
		return "stderr"
	}
	return "stdout"
}

// Command says what to run. The zero value of every field but Path is useful.
type Command struct {
	// Path is the program: a bare name, which is looked up in the PATH that the
	// program itself will get, an absolute path, or a path relative to Dir.
	Path string
	// Args are its arguments, without its own name.
	Args []string
	// Dir is where it runs; empty means the current directory.
	Dir string
	// Env is what it sees of the environment.
	Env Environment

	// Stdin is copied to the program; nil is the null device. A Read that never
	// returns does not hold Run, only its own goroutine. If a Read fails, the
	// program is stopped, since it would take half the input for all of it.
	Stdin io.Reader
	// Merge sends stderr where stdout goes, in the order of writing.
	Merge bool
	// MaxOutput bounds what is kept of each stream, half from its beginning and
	// half from its end. 0 means DefaultMaxOutput, less than 0 nothing.
	MaxOutput int
	// Spill gets everything of both streams in order of arrival. When a Write
	// fails, the program runs on and Run reports the error.
	Spill io.Writer
	// OnOutput sees everything as it arrives, one call at a time, never after Run
	// has returned. The bytes belong to the caller. Like Spill it holds the
	// program up while it works.
	OnOutput func(Stream, []byte)

	// Timeout ends the run; 0 means that only the context does.
	Timeout time.Duration
	// Grace is the time between asking the tree to stop and killing it. 0 means
	// DefaultGrace, less than 0 kills at once.
	Grace time.Duration
	// KillDaemons ends, also after a run that ended by itself, what the program
	// has put into a session of its own (Linux; Windows always does).
	KillDaemons bool
}

// Result tells how a run went.
type Result struct {
	// ExitCode is what the program returned, and -1 if it was ended by a signal
	// or has never run.
	ExitCode int
	// Signal is the name of the signal that ended the program, or "".
	Signal string
	// Stdout and Stderr are what was kept of the output.
	Stdout, Stderr Output
	// TimedOut says that the timeout or the deadline of the context ended the
	// run, Cancelled that the context was cancelled. A program that stops in good
	// order when it is asked to still has its exit code.
	TimedOut, Cancelled bool
	// LeftBehind says that processes outlived the program and had to be ended.
	LeftBehind bool
	// Duration is the time until the program ended.
	Duration time.Duration
}

// Run runs the program and waits until it, and what it started, has ended.
//
// However the program ends, by itself, by a signal, late or cancelled, is a
// Result. An error is a [*StartError] if it could not be started, with a nil
// Result. Beside a Result an error says what failed around a program that ran:
// its input, its spill, its callback.
func Run(ctx context.Context, c Command) (*Result, error) {
	if err := ctx.Err(); err != nil {
		r := &Result{ExitCode: -1}
		r.ended(err)
		return r, nil
	}
	p, err := c.prepare()
	if err != nil {
		return nil, err
	}
	r := &run{Command: c, failed: make(chan struct{})}
	r.fail = sync.OnceFunc(func() { close(r.failed) })
	if r.Grace == 0 {
		r.Grace = DefaultGrace
	}
	if r.MaxOutput == 0 {
		r.MaxOutput = DefaultMaxOutput
	}
	if err := r.start(ctx, p); err != nil {
		return nil, err
	}
	return r.supervise(ctx)
}

func (r *Result) ended(cause error) {
	r.TimedOut = errors.Is(cause, context.DeadlineExceeded)
	r.Cancelled = !r.TimedOut
}

// A run is a program that was started, and the pipes to it.
type run struct {
	Command
	proc   *process
	began  time.Time
	out    *outlet
	pumps  []*pump
	feed   *feeder // nil without input
	failed chan struct{}
	fail   func() // closes failed
	reaped bool
	state  *os.ProcessState
	ended  time.Time
}

// start opens the pipes, starts the program and closes its ends of them here.
func (r *run) start(ctx context.Context, p *plan) (err error) {
	var theirs, ours []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
		if err != nil {
			for _, f := range ours {
				f.Close()
			}
		}
	}()
	if r.Stdin == nil {
		null, err := os.Open(os.DevNull)
		if err != nil {
			return fmt.Errorf("proc: no null device for the input of %s: %w", p.path, err)
		}
		theirs = append(theirs, null)
	} else {
		read, write, err := os.Pipe()
		if err != nil {
			return noPipe(p, err)
		}
		theirs, ours = append(theirs, read), append(ours, write)
	}
	r.out = &outlet{spill: r.Spill, watch: r.OnOutput, failed: r.fail}
	for _, s := range []Stream{Stdout, Stderr} {
		if s == Stderr && r.Merge {
			continue
		}
		read, write, err := os.Pipe()
		if err != nil {
			return noPipe(p, err)
		}
		theirs, ours = append(theirs, write), append(ours, read)
		r.pumps = append(r.pumps, newPump(s, read, r.out, r.MaxOutput))
	}
	p.files = [3]*os.File{theirs[0], theirs[1], theirs[len(theirs)-1]}

	r.began = time.Now()
	if r.proc, err = startRetrying(ctx, p); err != nil {
		return startFailed(p, err)
	}
	for _, pump := range r.pumps {
		go pump.run()
	}
	if r.Stdin != nil {
		r.feed = newFeeder(r.Stdin, ours[0], r.fail)
		go r.feed.run()
	}
	return nil
}

func noPipe(p *plan, err error) error {
	return fmt.Errorf("proc: no pipe for %s: %w", p.path, err)
}

// startRetrying starts the program. A file that was written a moment ago can be
// busy still, because a process that another goroutine starts has it open until
// it executes its own.
func startRetrying(ctx context.Context, p *plan) (*process, error) {
	for pause := time.Millisecond; ; pause *= 2 {
		proc, err := startProcess(p)
		if err == nil || !busy(err) || pause > 64*time.Millisecond {
			return proc, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause):
		}
	}
}

func (r *run) supervise(ctx context.Context) (*Result, error) {
	res := &Result{ExitCode: -1}
	defer r.proc.close()

	var timeout <-chan time.Time
	if r.Timeout > 0 {
		timer := time.NewTimer(r.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-r.proc.exited:
	case <-ctx.Done():
		if !r.exited() {
			res.ended(ctx.Err())
		}
	case <-timeout:
		if !r.exited() {
			res.ended(context.DeadlineExceeded)
		}
	case <-r.failed:
	}

	if r.exited() {
		r.drain(ctx, lingerQuiet, lingerMax, false)
		r.reap()
		if r.proc.signal(probe, false) {
			res.LeftBehind = true
			r.end(false, shortGrace)
		}
		if r.KillDaemons && r.proc.signal(probe, true) {
			res.LeftBehind = true
			r.end(true, shortGrace)
		}
		if !r.drain(context.Background(), drainQuiet, drainMax, true) && r.proc.signal(probe, true) {
			res.LeftBehind = true // it left the group, and kept the pipe
			r.end(true, shortGrace)
		}
	} else {
		r.end(true, r.Grace)
	}
	r.drain(context.Background(), drainQuiet, drainMax, true)

	var errs []error
	if r.feed != nil {
		errs = append(errs, r.feed.stop())
	}
	for _, p := range r.pumps {
		out := p.stop()
		if p.stream == Stdout {
			res.Stdout = out
		} else {
			res.Stderr = out
		}
	}
	errs = append(errs, r.out.err)

	res.Duration = r.ended.Sub(r.began)
	if r.reaped {
		res.ExitCode, res.Signal = status(r.state)
	} else {
		res.Duration = time.Since(r.began)
		errs = append(errs, fmt.Errorf("proc: %s was killed and does not end: it hangs in the kernel (a file system that does not answer?)", r.Path))
	}
	return res, errors.Join(errs...)
}

func (r *run) exited() bool {
	select {
	case <-r.proc.exited:
		if r.ended.IsZero() {
			r.ended = time.Now()
		}
		return true
	default:
		return false
	}
}

func (r *run) reap() {
	if r.exited() && !r.reaped {
		r.state, r.reaped = r.proc.reap(), true
	}
}

// end asks what is left of the tree to stop, and after the grace kills it. With
// wide, the tree is more than the process group.
func (r *run) end(wide bool, grace time.Duration) {
	if grace > 0 {
		r.proc.signal(ask, wide)
		if r.gone(probe, wide, grace) {
			return
		}
	}
	r.gone(kill, wide, killWait)
}

// gone sends the signal again and again until nothing of the tree is left, or the
// limit has come.
func (r *run) gone(s sig, wide bool, limit time.Duration) bool {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		r.reap()
		if (s != probe || r.reaped) && !r.proc.signal(s, wide) && r.reaped {
			return true
		}
		exited := r.proc.exited
		if r.reaped {
			exited = nil
		}
		select {
		case <-exited:
		case <-deadline.C:
			return false
		case <-time.After(pause):
		}
	}
}

// drain waits for the end of all output and reports whether it came. It gives up
// after the silence, or after the limit. With last, what is in the pipes now must
// not be lost: a pump that is busy with its callback is waited for.
func (r *run) drain(ctx context.Context, quiet, limit time.Duration, last bool) bool {
	began, ended := time.Now(), true
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for _, p := range r.pumps {
		start, _ := p.look()
	wait:
		for {
			select {
			case <-p.done:
				break wait
			case <-ctx.Done():
				return false
			case now := <-tick.C:
				n, idle := p.look()
				took := now.Sub(began)
				switch {
				case took >= quiet && idle >= quiet, // silence
					took >= limit && idle >= time.Millisecond, // empty a moment ago
					took >= 3*limit && idle > 0,               // a trickle
					took >= limit && !last,
					n-start > drainBytes: // all that was in the pipe has been read
					ended = false
					break wait
				}
			}
		}
	}
	return ended
}
