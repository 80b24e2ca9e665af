package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/internal/proc"
	"github.com/rho-ext/rho-ext/registry"
)

// exec starts a program for a call. It runs as the user, outside every guard:
// to grant a program is to grant all that it can do.
func (b *broker) exec(ctx context.Context, req wire.Request, c *liveCall) (wire.Response, error) {
	e, err := decode[wire.ExecRequest](req)
	if err != nil {
		return wire.Response{}, err
	}
	target := strings.Join(append([]string{e.Command}, e.Args...), " ")
	if err := b.allow(c, registry.EffectRun, permission.KindRun, target, "run programs"); err != nil {
		return wire.Response{}, err
	}
	if b.files.root == "" {
		return wire.Response{}, b.fileError(req, c, target, "run", errNoProject)
	}
	need := permission.NeedRun(e.Command, e.Args, b.files.root)
	by, err := b.permit(ctx, c, &need)
	if err != nil {
		return wire.Response{}, err
	}
	dir, err := b.workDir(ctx, req, c, e.Cwd)
	if err != nil {
		return wire.Response{}, err
	}
	c.call.RecordUse(registry.Use{Kind: "run", Target: clip(target, maxTarget), Effect: "run", Grant: by})
	names := b.granted(permission.KindEnv)
	for _, name := range names {
		b.variable(name) // what the program prints is shown
	}
	cmd := proc.Command{
		Path: need.Program(), Args: e.Args, Dir: dir, KillDaemons: true,
		Env:     proc.Environment{Names: names},
		Timeout: time.Duration(e.TimeoutMS * float64(time.Millisecond)),
	}
	if len(req.Payload) > 0 {
		cmd.Stdin = bytes.NewReader(req.Payload)
	}
	free, err := b.started.take(ctx)
	if err != nil {
		return wire.Response{}, err
	}
	ended, ok := b.running.begin()
	if !ok {
		free()
		return wire.Response{}, context.Canceled
	}
	done := func() { free(); ended() }
	if e.Stream {
		s, err := b.open(req, c, startStream(ctx, as(req), cmd, done))
		if err != nil {
			return wire.Response{}, err
		}
		return wire.Response{Stream: s}, nil
	}
	defer done()
	res, err := proc.Run(ctx, cmd)
	if res == nil || ctx.Err() != nil {
		return wire.Response{}, execError(ctx, as(req), err)
	}
	out := execResponse(res)
	out.Stdout, out.Stderr = proc.Decode([]byte(res.Stdout.String())), proc.Decode([]byte(res.Stderr.String()))
	return answer(out)
}

// workDir is where a program runs: a directory that the extension may read.
func (b *broker) workDir(ctx context.Context, req wire.Request, c *liveCall, cwd string) (string, error) {
	if cwd == "" {
		return b.files.root, nil
	}
	dir := ""
	_, err := b.within(ctx, c, cwd, false, func(j *jail.Jail) error {
		info, rel, err := j.Stat(cwd)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("cwd %q is a file: name a directory", cwd)
		}
		dir = rel
		return err
	})
	if err != nil {
		return "", b.fileError(req, c, cwd, "read", err)
	}
	return realPlace(b.files.root, dir), nil
}

// granted names what the extension holds of a kind.
func (b *broker) granted(k permission.Kind) (names []string) {
	for _, h := range b.access.Load().Held() {
		if h.Kind != k {
			continue
		}
		n := permission.NeedName(k, h.Target)
		if _, denied := b.access.Load().Check(&n, nil); denied == nil {
			names = append(names, h.Target)
		}
	}
	return names
}

func execResponse(res *proc.Result) wire.ExecResponse {
	return wire.ExecResponse{
		ExitCode: res.ExitCode, Signal: res.Signal, TimedOut: res.TimedOut,
		Truncated: res.Stdout.Truncated || res.Stderr.Truncated,
	}
}

// execError is why a program could not be started.
func execError(ctx context.Context, as string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	code := "EIO"
	switch {
	case errors.Is(err, proc.ErrNotFound):
		code = "ENOENT"
	case errors.Is(err, proc.ErrNotExecutable):
		code = "EACCES"
	case errors.Is(err, proc.ErrBadArgument), errors.Is(err, proc.ErrBadDir):
		code = "EINVAL"
	}
	return &wire.Error{Kind: registry.KindOther, Name: "Error", Code: code, Message: fmt.Sprintf("%s: %v", as, err)}
}

// execStream is a program that runs, as frames: one for each Read.
type execStream struct {
	stop   context.CancelFunc
	frames chan []byte
	closed chan struct{} // nobody reads any more
	once   sync.Once
	err    error  // why it could not be started; set before frames is closed
	rest   []byte // of a frame that did not fit
}

func startStream(ctx context.Context, as string, cmd proc.Command, done func()) *execStream {
	ctx, stop := context.WithCancel(ctx)
	s := &execStream{stop: stop, frames: make(chan []byte), closed: make(chan struct{})}
	cmd.MaxOutput = -1 // the reader has it
	cmd.OnOutput = func(from proc.Stream, data []byte) {
		kind := byte(wire.FrameStdout)
		if from == proc.Stderr {
			kind = wire.FrameStderr
		}
		s.send(append([]byte{kind}, data...))
	}
	go func() {
		defer done()
		defer stop()
		res, err := proc.Run(ctx, cmd)
		if res == nil || ctx.Err() != nil {
			s.err = execError(ctx, as, err)
		} else if data, err := json.Marshal(execResponse(res)); err == nil {
			s.send(append([]byte{wire.FrameEnd}, data...))
		}
		close(s.frames)
	}()
	return s
}

// send holds the program up until somebody reads.
func (s *execStream) send(frame []byte) {
	select {
	case s.frames <- frame:
	case <-s.closed:
	}
}

// Read implements [io.Reader]: it gives one frame, or a part of one with its
// kind before it.
func (s *execStream) Read(p []byte) (int, error) {
	if len(p) < 2 {
		return 0, io.ErrShortBuffer
	}
	frame := s.rest
	if frame == nil {
		select {
		case f, ok := <-s.frames:
			if !ok {
				if s.err != nil {
					return 0, s.err
				}
				return 0, io.EOF
			}
			frame = f
		case <-s.closed:
			return 0, io.ErrClosedPipe
		}
	}
	n := copy(p, frame)
	s.rest = nil
	if n < len(frame) {
		s.rest = append([]byte{frame[0]}, frame[n:]...)
	}
	return n, nil
}

// Close implements [io.Closer]. It ends the program and does not wait for that.
func (s *execStream) Close() error {
	s.once.Do(func() {
		close(s.closed)
		s.stop()
	})
	return nil
}

// maxTarget bounds what a record shows of a command.
const maxTarget = 500

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// programs are those that run for an extension, so that its end can wait for
// theirs.
type programs struct {
	mu     sync.Mutex
	closed bool
	n      sync.WaitGroup
}

// begin counts a program in, unless the extension has ended.
func (p *programs) begin() (done func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false
	}
	p.n.Add(1)
	return p.n.Done, true
}

// close waits for programs whose calls have ended; that takes no longer than
// their grace.
func (p *programs) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.n.Wait()
}
