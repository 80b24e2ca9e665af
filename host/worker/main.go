package worker

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync/atomic"

	"github.com/rho-ext/rho-ext/host/sandbox"
)

// marker is the first argument of a process that is to be a worker. Only [Main]
// looks for it.
const marker = "rho-ext:worker"

// protocol is the version of the frames and of what they hold. Both ends are
// the same program, unless its file was replaced while it ran.
const protocol = 1

// maxStack is where a goroutine's stack counts as overflowed. The default of
// 1 GB would take long to fill, and the memory first.
const maxStack = 64 << 20

// hello is the host's first frame. What follows from the environment in the
// host's own process is sent along, for the worker has none.
type hello struct {
	Protocol int
	Zone     string // a time zone's name; empty: the second part holds its data
	Locale   string
	// SoftMemory is by how many bytes the heap may grow before calls are
	// stopped.
	SoftMemory int64
}

// ready is the worker's first frame.
type ready struct {
	Protocol int
	Lockdown Lockdown
}

// goDebug makes Go's traces tell the labels of goroutines.
const goDebug = "tracebacklabels=1"

// mainRan says that this process can be started again as a worker.
var mainRan atomic.Bool

// Main makes a process that a [Factory] has started a worker, and never
// returns then. In every other process it returns at once, after noting that
// workers can be had. It belongs at the very top of main, before flags are
// read and anything is opened, and of TestMain.
func Main() {
	if !isWorker() {
		mainRan.Store(true)
		return
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, "rho-ext worker:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func isWorker() bool { return len(os.Args) > 1 && os.Args[1] == marker }

// work is the life of a worker. It ends when the host closes the pipe.
func work() error {
	in, out, err := ownPipes()
	if err != nil {
		return fmt.Errorf("this is how rho-ext starts its own workers, and of no use otherwise: %w", err)
	}
	os.Clearenv()
	_ = os.Setenv("GODEBUG", goDebug) // Go looks at it again when it changes
	c := newConn(in, out)
	f, err := c.receive()
	if err != nil {
		return err
	}
	var h hello
	if err := f.decode(kindHello, &h); err != nil {
		return err
	}
	if h.Protocol != protocol {
		return fmt.Errorf("the host speaks version %d and this worker %d: the program's file was replaced; start it again", h.Protocol, protocol)
	}
	if err := setZone(h.Zone, f.part(1)); err != nil {
		return err
	}
	setLocale(h.Locale)
	debug.SetMaxStack(maxStack)
	// Close to the limit the collector works harder, so that garbage is not
	// taken for growth.
	debug.SetMemoryLimit(h.SoftMemory + h.SoftMemory/4)

	s := &server{
		conn:    c,
		factory: &sandbox.Factory{},
		hosted:  map[uint64]*hosted{},
		running: map[uint64]*running{},
		waiting: map[uint64]chan *frame{},
	}
	s.watch = newWatch(s, h.SoftMemory)
	go s.watch.run()
	// From here on nothing can be opened.
	first, err := message(header{Kind: kindReady}, ready{Protocol: protocol, Lockdown: confine(keep(in, out))})
	if err != nil {
		return err
	}
	if err := c.send(first); err != nil {
		return err
	}
	if err := s.serve(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
