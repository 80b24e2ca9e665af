package wire

import (
	"context"
	"encoding/json"

	"github.com/rho-ext/rho-ext/registry"
)

// Broker is the host's side of a sandbox: it decides and acts on requests.
// Its methods are safe for concurrent use.
type Broker interface {
	// Do carries out one request. ctx ends with the call that asked. A
	// refusal or failure that JavaScript should see is an [*Error].
	Do(ctx context.Context, req Request) (Response, error)
	// Read takes at most max bytes from a stream of an earlier response: the
	// credit that the sandbox gives. It returns [io.EOF] at the end, after
	// which the stream is closed.
	Read(ctx context.Context, s Stream, max int) ([]byte, error)
	// CloseStream gives a stream up. An unknown one is ignored.
	CloseStream(s Stream)
}

// Stream names a body that arrives in pieces. Zero is no stream.
type Stream uint64

// Op names what a request asks for.
type Op string

// The operations. The comment gives the type of Request.Data and of
// Response.Data.
const (
	OpLog       Op = "log"        // LogRecord → nothing
	OpProgress  Op = "progress"   // registry.Progress → nothing
	OpReadFile  Op = "read_file"  // FilePath → nothing; the bytes are Response.Payload
	OpWriteFile Op = "write_file" // WriteRequest, bytes in Payload → nothing
	OpListDir   Op = "list_dir"   // FilePath → []DirEntry, sorted by name
	OpStat      Op = "stat"       // FilePath → FileInfo
	OpGlob      Op = "glob"       // GlobRequest → GlobResponse
	OpMkdir     Op = "mkdir"      // FilePath → nothing; with those on the way
	OpRemove    Op = "remove"     // FilePath → nothing; a file or an empty directory
	OpRename    Op = "rename"     // RenameRequest → nothing
	OpExec      Op = "exec"       // ExecRequest, input in Payload → ExecResponse, or frames in Response.Stream
	OpFetch     Op = "fetch"      // FetchRequest, body in Payload → FetchResponse; the body is Response.Stream, or Payload
	OpCallTool  Op = "call_tool"  // ToolRequest → ToolResponse
	OpConfig    Op = "config"     // nothing → object of the extension's settings
	OpEnv       Op = "env"        // EnvRequest → EnvResponse; also outside a call
	OpState     Op = "state"      // StateRequest → StateResponse; the value to set is Payload, and that of get Response.Payload
	OpSetState  Op = "set_state"  // the same, where it changes something
)

// Effect is what an operation does outside the sandbox; zero is nothing. A
// call that has done no more than read can be run again. Another tool may do
// anything.
func (o Op) Effect() registry.Effects {
	switch o {
	case OpReadFile, OpListDir, OpStat, OpGlob:
		return registry.EffectRead
	case OpWriteFile, OpMkdir, OpRemove, OpRename:
		return registry.EffectWrite
	case OpExec:
		return registry.EffectRun
	case OpFetch:
		return registry.EffectNet
	case OpCallTool:
		return registry.EffectRead | registry.EffectWrite | registry.EffectNet | registry.EffectRun
	default:
		return 0
	}
}

// Acts reports whether an operation changes something outside the sandbox, so
// that a call which asked for it must not run again as if it had not.
func (o Op) Acts() bool {
	return o == OpSetState || o.Effect()&^registry.EffectRead != 0
}

// Request is one thing that the code of a call asks of the host.
type Request struct {
	Call    string // the call's id; empty for the module's own top level
	Tool    string // the tool that the call runs
	Op      Op
	As      string          `json:",omitempty"` // what the code called, such as ctx.fs.read, for messages
	Data    json.RawMessage `json:",omitempty"`
	Payload []byte          // raw bytes beside Data
}

// Response answers a request.
type Response struct {
	Data    json.RawMessage `json:",omitempty"`
	Payload []byte
	Stream  Stream
}

// Error is a refusal or failure that JavaScript sees as an exception.
type Error struct {
	Kind    registry.Kind `json:"kind"`
	Name    string        `json:"name"` // class of the exception: PermissionDenied, TypeError, RangeError, AbortError, Error
	Message string        `json:"message"`
	Code    string        `json:"code,omitempty"`
	Hint    string        `json:"hint,omitempty"`
}

// Error implements error.
func (e *Error) Error() string { return e.Message }
