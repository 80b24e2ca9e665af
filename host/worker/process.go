package worker

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
)

// process is a child, and the host's ends of its pipes.
type process struct {
	os     *os.Process
	job    uintptr // on Windows
	in     *os.File
	out    *os.File
	exited chan struct{}
	state  *os.ProcessState // read after exited
	words  *lastWords
}

// childEnds are the ends of the pipes that a child gets.
type childEnds struct{ in, out, errs *os.File }

func (c *childEnds) close() {
	for _, f := range []*os.File{c.in, c.out, c.errs} {
		if f != nil {
			f.Close()
		}
	}
}

// start starts this program as a worker. procs is how many processors it may
// use at once; memory bounds it where the system can from the start.
func start(procs int, memory int64) (_ *process, err error) {
	exe, err := self()
	if err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	var theirs childEnds
	defer theirs.close()
	var ours childEnds
	defer func() {
		if err != nil {
			ours.close()
		}
	}()
	if theirs.in, ours.out, err = os.Pipe(); err != nil {
		return nil, err
	}
	if ours.in, theirs.out, err = os.Pipe(); err != nil {
		return nil, err
	}
	if ours.errs, theirs.errs, err = os.Pipe(); err != nil {
		return nil, err
	}
	env := []string{
		"GODEBUG=" + goDebug,                // its last words name the sandbox
		"GOMAXPROCS=" + strconv.Itoa(procs), // else Go keeps a file of the control group open
	}
	p, err := spawn(exe, env, null, &theirs, memory)
	if err != nil {
		return nil, err
	}
	p.in, p.out = ours.in, ours.out
	p.words = &lastWords{file: ours.errs, done: make(chan struct{})}
	go p.words.listen()
	return p, nil
}

// maxWords is how much of a worker's standard error is kept: Go says first what
// is wrong.
const maxWords = 4 << 10

// lastWords is what a worker writes to its standard error.
type lastWords struct {
	file *os.File
	done chan struct{} // closed at the end of the output

	mu    sync.Mutex
	head  strings.Builder
	trace trace
}

func (w *lastWords) listen() {
	defer close(w.done)
	r := bufio.NewReaderSize(w.file, 4<<10)
	for {
		line, err := r.ReadSlice('\n') // a longer one comes in pieces
		w.mu.Lock()
		if room := maxWords - w.head.Len(); room > 0 {
			w.head.Write(line[:min(len(line), room)])
		}
		w.trace.line(strings.TrimSuffix(string(line), "\n"))
		w.mu.Unlock()
		if err != nil && err != bufio.ErrBufferFull {
			if err != io.EOF {
				w.file.Close()
			}
			return
		}
	}
}

// get gives what was said, and who was at work.
func (w *lastWords) get() (string, trace) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.head.String(), w.trace
}
