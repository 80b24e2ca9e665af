package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"
)

var buffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// An outlet passes on what arrives on both streams, one piece at a time.
type outlet struct {
	mu     sync.Mutex
	spill  io.Writer
	watch  func(Stream, []byte)
	failed func()
	err    error // read when the pumps have stopped
}

func (o *outlet) pass(s Stream, b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.spill != nil {
		if err := guard("Spill", func() error {
			n, err := o.spill.Write(b)
			if err == nil && n < len(b) {
				err = io.ErrShortWrite
			}
			return err
		}); err != nil {
			o.spill = nil
			o.err = errors.Join(o.err, fmt.Errorf("proc: the full output could not be kept: %w", err))
		}
	}
	if o.watch != nil {
		if err := guard("OnOutput", func() error { o.watch(s, b); return nil }); err != nil {
			o.watch = nil
			o.err = errors.Join(o.err, err)
			o.failed()
		}
	}
}

// broke takes note that a callback has ended its goroutine (runtime.Goexit).
func (o *outlet) broke() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spill, o.watch = nil, nil
	o.err = errors.Join(o.err, errors.New("proc: Spill or OnOutput ended its goroutine"))
	o.failed()
}

// guard calls f, which is the caller's code in a goroutine of ours, and turns a
// panic into an error: it must not take the host down.
func guard(name string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("proc: %s panicked: %v\n%s", name, v, debug.Stack())
		}
	}()
	return f()
}

// A pump reads one stream to its end.
type pump struct {
	stream Stream
	file   *os.File
	to     *outlet
	done   chan struct{}

	mu      sync.Mutex
	kept    capture
	reading bool
	since   time.Time // of reading
}

func newPump(s Stream, f *os.File, to *outlet, limit int) *pump {
	return &pump{stream: s, file: f, to: to, kept: newCapture(limit), done: make(chan struct{})}
}

func (p *pump) run() {
	defer close(p.done)
	whole := false
	defer func() {
		if !whole {
			p.to.broke()
		}
	}()
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	for {
		p.mu.Lock()
		p.reading, p.since = true, time.Now()
		p.mu.Unlock()
		n, err := p.file.Read(*buf)
		p.mu.Lock()
		p.reading = false
		p.kept.add((*buf)[:n])
		p.mu.Unlock()
		if n > 0 {
			p.to.pass(p.stream, (*buf)[:n])
		}
		if err != nil {
			whole = true
			return
		}
	}
}

// look tells how much has been read, and for how long the pump has been waiting
// for more.
func (p *pump) look() (n int64, idle time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reading {
		idle = max(1, time.Since(p.since))
	}
	return p.kept.total, idle
}

// stop closes the pipe, whoever holds its other end, and returns what was kept.
func (p *pump) stop() Output {
	p.file.Close()
	<-p.done
	return p.kept.output()
}

// A feeder copies the input.
type feeder struct {
	from   io.Reader
	to     *os.File
	failed func()
	done   chan struct{}
	halt   chan struct{}

	mu      sync.Mutex
	reading bool
	stopped bool
	err     error
}

func newFeeder(from io.Reader, to *os.File, failed func()) *feeder {
	return &feeder{from: from, to: to, failed: failed, done: make(chan struct{}), halt: make(chan struct{})}
}

func (f *feeder) run() {
	defer close(f.done)
	defer f.to.Close()
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	for {
		if !f.turn(true) {
			return
		}
		var n int
		err := guard("Stdin", func() (err error) { n, err = f.from.Read(*buf); return })
		if !f.turn(false) {
			return
		}
		if n > 0 {
			if _, err := f.to.Write((*buf)[:n]); err != nil {
				return // the program wants no more
			}
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			f.mu.Lock()
			f.err = fmt.Errorf("proc: the input of the program could not be read: %w", err)
			f.mu.Unlock()
			f.failed()
			<-f.halt // no end of input before the program has been stopped
			return
		}
	}
}

func (f *feeder) turn(reading bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reading = reading
	return !f.stopped
}

// stop ends the copying. It does not wait for a Read of the input.
func (f *feeder) stop() error {
	close(f.halt)
	f.to.Close()
	f.mu.Lock()
	f.stopped = true
	reading := f.reading
	f.mu.Unlock()
	if reading {
		return nil
	}
	<-f.done
	return f.err
}
