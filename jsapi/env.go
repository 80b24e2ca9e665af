package jsapi

import (
	"time"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
)

// Env is what the JavaScript surface needs of the sandbox around it. All of it
// is called on the goroutine that owns the runtime.
type Env interface {
	Caller // the call whose code is running

	// SetTimer runs fn with args after delay, again and again where repeat is
	// set, and returns the timer's id.
	SetTimer(fn goja.Callable, args []goja.Value, delay time.Duration, repeat bool) int64
	// ClearTimer stops a timer. An unknown id is ignored.
	ClearTimer(id int64)

	// Log writes a line to the extension's log.
	Log(rec wire.LogRecord)
	// ReportError fails the running call with an exception that nobody caught,
	// such as one from an event listener.
	ReportError(v goja.Value)

	// Model names the model that the agent uses, or is "" where there is none.
	Model() string
	// ProjectRoot is the project's absolute path, with forward slashes.
	ProjectRoot() string
}

// Caller asks the host for things in the name of one call, and for nothing once
// that call has ended.
type Caller interface {
	// Request starts a request to the broker. The promise settles on the loop:
	// with the response, converted by done on the loop, or with the error as a
	// JavaScript exception that points at the code that asked. cancel gives the
	// request up: the promise is then never settled by the broker, and the
	// broker's context ends.
	Request(req wire.Request, done func(wire.Response) (goja.Value, error)) (promise *goja.Object, cancel func())
	// Do sends a request and blocks the runtime until it is answered, for the
	// synchronous rho functions. The error is ready to be thrown: panic with it.
	Do(req wire.Request) (wire.Response, goja.Value)
	// Read asks a stream for at most max bytes. The promise gives a Uint8Array,
	// or null at the end.
	Read(s wire.Stream, max int) *goja.Object
	// CloseStream gives a stream up.
	CloseStream(s wire.Stream)
}
