package builtin

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/internal/proc"
	"github.com/rho-ext/rho-ext/registry"
)

// The bounds of jobs.
const (
	jobTimeout    = time.Hour
	jobMaxTimeout = 24 * time.Hour
	maxRunning    = 16
	maxJobs       = 64 // remembered; the oldest that have ended go
	tailBytes     = 256 << 10
	settleTime    = 300 * time.Millisecond // to see a job that fails at once
)

// jobs are the commands that run in the background. They end with the program.
type jobs struct {
	p *programs

	mu     sync.Mutex
	list   []*job
	serial int
	closed bool
}

func newJobs(p *programs) *jobs { return &jobs{p: p} }

// job is one of them.
type job struct {
	name, command string
	began         time.Time
	tail          *tail
	full          *spill
	stop          context.CancelFunc
	done          chan struct{}

	mu     sync.Mutex // of what follows
	killed bool
	res    *proc.Result
	err    error
	file   string
	ended  time.Time
}

// start starts a job and waits a moment, so that a command that fails at once is
// seen to.
func (s *jobs) start(ctx context.Context, c proc.Command, command string, timeout time.Duration) (*registry.Result, error) {
	j, err := s.add(command)
	if err != nil {
		return nil, err
	}
	// A job outlives its call.
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	j.stop = stop
	j.full = newSpill(s.p.o.StateDir, tailBytes)
	c.Timeout, c.Spill, c.MaxOutput = timeout, j.full, -1
	c.OnOutput = func(_ proc.Stream, b []byte) { j.tail.add(b) }
	go func() {
		defer stop()
		res, err := s.p.run(run, c)
		j.finish(res, err)
	}()
	settle := time.NewTimer(settleTime)
	defer settle.Stop()
	select {
	case <-settle.C:
	case <-j.done:
	case <-ctx.Done():
		return nil, j.kill(context.WithoutCancel(ctx))
	}
	if j.isDone() && j.res == nil {
		s.forget(j)
		return nil, startFailure(j.err, "")
	}
	status := j.status()
	out, _, _ := j.tail.read(0, 2000)
	text := fmt.Sprintf("started %s; command_job shows and stops it", status.line())
	if out != "" {
		text += "\n" + out
	}
	a := commandAnswer{Job: j.name, ExitCode: status.ExitCode, Signal: status.Signal, Stdout: out, StdoutBytes: status.Bytes, DurationMS: status.DurationMS}
	return answer(text, a, status.State != "running" && (status.ExitCode == nil || *status.ExitCode != 0))
}

// add makes room for a job.
func (s *jobs) add(command string) (*job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	running := 0
	for _, j := range s.list {
		if !j.isDone() {
			running++
		}
	}
	switch {
	case s.closed:
		return nil, registry.NewFailure(registry.KindOther, "the program is ending: it starts no more jobs")
	case running >= maxRunning:
		f := registry.NewFailure(registry.KindOther, fmt.Sprintf("%d jobs are running already: end one with command_job first", running))
		f.Code = "too_many_jobs"
		return nil, f
	}
	for len(s.list) >= maxJobs {
		i := slices.IndexFunc(s.list, (*job).isDone)
		s.list = slices.Delete(s.list, i, i+1)
	}
	s.serial++
	j := &job{name: fmt.Sprintf("job-%d", s.serial), command: command, began: time.Now(), tail: newTail(tailBytes), done: make(chan struct{}), stop: func() {}}
	s.list = append(s.list, j)
	return j, nil
}

func (s *jobs) forget(j *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(o *job) bool { return o == j })
}

func (s *jobs) all() []*job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

func (s *jobs) find(name string) *job {
	for _, j := range s.all() {
		if j.name == name {
			return j
		}
	}
	return nil
}

func (s *jobs) names() (names []string) {
	for _, j := range s.all() {
		names = append(names, j.name)
	}
	return names
}

func (s *jobs) statuses() []jobStatus {
	out := []jobStatus{}
	for _, j := range s.all() {
		out = append(out, j.status())
	}
	return out
}

// close ends all jobs.
func (s *jobs) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	for _, j := range s.all() {
		j.end()
	}
	for _, j := range s.all() {
		<-j.done
	}
}

func (j *job) end() {
	j.mu.Lock()
	j.killed = j.killed || j.res == nil
	j.mu.Unlock()
	j.stop()
}

func (j *job) finish(res *proc.Result, err error) {
	j.mu.Lock()
	j.res, j.err, j.ended = res, err, time.Now()
	j.file = j.full.close()
	j.mu.Unlock()
	j.tail.wake()
	close(j.done)
}

func (j *job) isDone() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// kill ends the job and waits until it has.
func (j *job) kill(ctx context.Context) error {
	j.end()
	select {
	case <-j.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// await waits until there is output behind the offset, or the job has ended.
func (j *job) await(ctx context.Context, offset int64, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		more := j.tail.changed()
		if j.tail.size() > offset {
			return nil
		}
		select {
		case <-more:
		case <-j.done:
			return nil
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (j *job) status() jobStatus {
	done := j.isDone()
	j.mu.Lock()
	defer j.mu.Unlock()
	s := jobStatus{Job: j.name, Command: j.command, State: "running", Bytes: j.tail.size(), DurationMS: millis(time.Since(j.began))}
	if !done {
		return s
	}
	s.DurationMS, s.OutputFile = millis(j.ended.Sub(j.began)), j.file
	switch {
	case j.res == nil:
		s.State = "failed"
	case j.res.TimedOut:
		s.State = "timed out"
	case j.killed && j.res.Cancelled:
		s.State = "killed"
	default:
		s.State, s.Signal = "exited", j.res.Signal
		if s.Signal == "" {
			code := j.res.ExitCode
			s.ExitCode = &code
		}
	}
	return s
}
