package worker

import (
	"errors"
	"runtime"
	"time"
)

// Options configure a [Factory]. Every zero field is a default.
type Options struct {
	// PerExtension gives each extension a worker of its own instead of one for
	// all. An extension that has taken a worker down gets that anyway.
	PerExtension bool
	// NoStandby keeps no idle worker ready. With one, a replacement takes no
	// time to start.
	NoStandby bool
	// StartTimeout bounds the time from starting a process to its first frame;
	// zero means 5 s.
	StartTimeout time.Duration
	// SoftMemory is by how many bytes a worker's heap may grow before the calls
	// at work are stopped; zero means 256 MB. HardMemory is where the process is
	// ended; zero means 512 MB.
	SoftMemory, HardMemory int64
	// OnDeath is told of each worker that ended otherwise than by the factory's
	// own will, or nil. It must not block.
	OnDeath func(Death)
}

// Death is the end of a worker.
type Death struct {
	Time   time.Time
	Cause  Cause
	Detail string // what the worker's last words were, or what the host saw
	// Extension is the one whose code was executing; empty where several were,
	// or none.
	Extension string
	// Hash is that of its code.
	Hash string
	// Lost is how many calls ended with it.
	Lost int
}

// Cause classifies deaths.
type Cause string

// The causes.
const (
	CauseTimeout  Cause = "timeout"        // code that no interrupt reaches, after its call's deadline
	CauseMemory   Cause = "memory_limit"   // more memory than allowed
	CauseStack    Cause = "stack_overflow" // native recursion
	CauseCrash    Cause = "crashed"        // a fault of the engine, or ours
	CauseProtocol Cause = "protocol"       // it sent what no worker of ours sends
	CauseKilled   Cause = "killed"         // by somebody else
	CauseStart    Cause = "start"          // it was not ready in time
)

// The codes of failures.
const (
	codeMemory = string(CauseMemory)
	codeStack  = string(CauseStack)
	codeStuck  = "stuck"
	codeLost   = "worker_lost"
)

// ErrNoMain is the error of [NewFactory] in a program that cannot be started as
// a worker: it would run its own main instead, and start workers in turn.
var ErrNoMain = errors.New("this program cannot start workers: call host.WorkerMain() first in main (and in TestMain), or choose host.InProcess")

// ErrClosed is the error of a factory that was closed.
var ErrClosed = errors.New("the worker factory is closed")

func (o Options) withDefaults() Options {
	if o.StartTimeout == 0 {
		o.StartTimeout = 5 * time.Second
	}
	if o.SoftMemory == 0 {
		o.SoftMemory = 256 << 20
	}
	if o.HardMemory == 0 {
		o.HardMemory = 512 << 20
	}
	return o
}

// processors is how many of them a worker uses: with one, a busy loop would
// hold up the goroutine that reads what the host says.
func processors() int { return min(max(runtime.GOMAXPROCS(0), 2), 8) }
