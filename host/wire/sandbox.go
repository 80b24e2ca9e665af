package wire

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/rho-ext/rho-ext/registry"
)

// Factory makes sandboxes of one isolation mode.
type Factory interface {
	// NewSandbox makes an empty sandbox whose requests go to b.
	NewSandbox(b Broker) (Sandbox, error)
	// Close ends the factory and whatever its sandboxes share.
	Close() error
}

// Sandbox is one JavaScript runtime that holds one version of one extension.
// Its methods are safe for concurrent use; calls interleave where their code
// awaits.
type Sandbox interface {
	// Load evaluates a bundle and reads the manifest. It is called once,
	// first. What is wrong with the extension comes back as
	// LoadResult.Failure; the error is for faults of the sandbox itself. When
	// ctx ends, so does the evaluation, wherever it is.
	Load(ctx context.Context, req LoadRequest) (LoadResult, error)
	// Call runs one function of the extension. It returns soon after ctx
	// ends, whatever the code does; [context.Cause] says why it ended, and
	// [ErrDeadline] there means the call's deadline.
	Call(ctx context.Context, req CallRequest) CallResult
	// Done is closed when the sandbox can take no more calls: it was closed,
	// or its runtime was thrown away.
	Done() <-chan struct{}
	// Close stops everything at once. Calls that run end as lost.
	Close() error
}

// ErrDeadline is the cause of a context whose call ran into its deadline.
var ErrDeadline = registry.ErrDeadline

// ErrClosed is the cause of a context that ended because the host shut down.
var ErrClosed = errors.New("the host is closed")

// LoadRequest hands a bundle to a sandbox.
type LoadRequest struct {
	Extension    string // id
	Script       []byte // one classic script, as package bundle makes it
	SourceMap    []byte // its source map, with the names that failures use
	Hash         string // of Script and SourceMap; equal hashes share compiled code
	ProjectRoot  string
	ExtensionDir string
	Model        string // what rho.getModel says outside a call
	Limits       Limits
	// Test, where set, loads a test file.
	Test *TestOptions `json:",omitempty"`
	// ParseOnly has the code read and not run: the result tells only how long
	// that took, or what is wrong.
	ParseOnly bool `json:",omitempty"`
	// Survey asks for a survey of the code, too.
	Survey bool `json:",omitempty"`
}

// Limits bound one runtime. A zero field means the default.
type Limits struct {
	CallStack   int           // frames; 4,096
	LogBytes    int           // log text of one call; 256 KiB
	ResultBytes int           // JSON text of one result; 16 MiB
	Grace       time.Duration // between the abort signal and the interrupt; 20 ms
}

// LoadResult is what a sandbox learnt of an extension.
type LoadResult struct {
	Manifest Manifest
	Tests    *TestNode `json:",omitempty"` // the root of what a test file holds
	Failure  *Failure  // not nil: the extension did not load
	// Parsed is how long parsing and compiling took, with ParseOnly.
	Parsed time.Duration `json:",omitempty"`
	// Survey is there where it was asked for and the code could be parsed, also
	// beside a Failure.
	Survey *Survey `json:",omitempty"`
}

// Manifest is an extension as its module describes it, checked for shape.
type Manifest struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Description string `json:"description,omitempty"`
	Engine      string `json:"engine,omitempty"` // engines.rhoExt
	// Keys are the places of the manifest's members, where they were seen.
	Keys     map[string]Position `json:"keys,omitempty"`
	Tools    []Tool              `json:"tools"`
	Hooks    []Hook              `json:"hooks,omitempty"`
	Commands []Command           `json:"commands,omitempty"`
	// Permissions are what the extension asks for at most; nil where it does
	// not say.
	Permissions *Permissions       `json:"permissions,omitempty"`
	Settings    map[string]Setting `json:"settings,omitempty"`
	// Dispose says that it has a function to call before the version ends.
	Dispose bool `json:"dispose,omitempty"`
	// Effects are those that any of its code is seen to use.
	Effects registry.Effects `json:"effects"`
}

// Permissions is the manifest's list of what an extension may be granted. The
// texts are as the author wrote them.
type Permissions struct {
	Net   []string `json:"net,omitempty"`
	Read  []string `json:"read"` // nil: not said, which means the project
	Write []string `json:"write,omitempty"`
	Run   []string `json:"run,omitempty"`
	Env   []string `json:"env,omitempty"`
	Tools []string `json:"tools,omitempty"`
	Hooks []string `json:"hooks,omitempty"`
}

// Setting is one setting that an extension declares.
type Setting struct {
	Type        string          `json:"type"` // string, number or boolean
	Description string          `json:"description,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Secret      bool            `json:"secret,omitempty"`
	Env         string          `json:"env,omitempty"` // a variable that gives it where it is not set
}

// Tool is one tool of a manifest.
type Tool struct {
	Name        string             `json:"name"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description"`
	Risk        registry.Risk      `json:"risk"`    // as declared
	Effects     registry.Effects   `json:"effects"` // as declared and as read from its code
	Parameters  json.RawMessage    `json:"parameters,omitempty"`
	Output      json.RawMessage    `json:"output,omitempty"`
	TimeoutMS   float64            `json:"timeoutMs,omitempty"`
	Examples    []registry.Example `json:"examples,omitempty"`
	Arguments   ArgumentForm       `json:"arguments"`
	CallsTools  bool               `json:"callsTools,omitempty"` // its code is seen to call other tools
	Location    Position           `json:"location"`             // of the tool's definition
	// Keys are the places of the definition's members, where they were seen.
	Keys map[string]Position `json:"keys,omitempty"`
}

// ArgumentForm is how a tool's function receives its arguments.
type ArgumentForm string

// The argument forms.
const (
	ArgsObject ArgumentForm = "object" // a plain object, nothing hidden on it
	ArgsText   ArgumentForm = "text"   // the JSON text, for old-style functions that parse it
	ArgsBoth   ArgumentForm = "both"   // an object whose hidden toString gives the JSON text
)

// CallRequest asks for one run of one function of the extension.
type CallRequest struct {
	ID     string
	Run    Run                        `json:",omitempty"` // what Tool names
	Tool   string                     // name of the tool, hook or command
	Args   json.RawMessage            `json:",omitempty"` // a JSON object; of a command a JSON text
	Values map[string]json.RawMessage // ctx.values
	Model  string                     `json:",omitempty"` // what rho.getModel says
}

// CallResult is how a run ended. Exactly one of Value, Thrown and Lost says so.
type CallResult struct {
	Value  *Value
	Thrown *Thrown
	// Lost: the runtime went away under the call, through no fault of its own.
	Lost bool
	// Died: the runtime's process ended, with Lost.
	Died bool
	// Culprit is the tool whose code took the runtime down, with Lost, where it
	// is known.
	Culprit string
	// Acted: the call had asked the broker for something with an effect.
	Acted bool
	// Guilty: the call took its runtime down and must not share one again.
	Guilty bool
}

// Value is what a function returned, made plain. Of a hook it is a
// [HookDecision], and of a completion a list of texts, both in Structured.
type Value struct {
	Content    []registry.Block
	IsError    bool
	Structured json.RawMessage `json:",omitempty"`
	Details    json.RawMessage `json:",omitempty"`
}

// DisposeTool, in CallRequest.Tool, stands for the manifest's function dispose.
// No tool can have the name.
const DisposeTool = ".dispose"

// Thrown is an error that ended a call or a load.
type Thrown struct {
	Kind      registry.Kind
	Code      string
	Name      string // the error's class, such as TypeError
	Message   string
	Hint      string
	ForModel  string // what the model sees instead of Message, where not empty
	Retryable registry.Retryable
	Stack     []Position // innermost first; positions in the author's files
	// Internal says that Message is for the operator only.
	Internal bool
}

// Position is a place in a source file, by the name the source map gives it.
type Position struct {
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`   // 1-based; 0 is unknown
	Column   int    `json:"column,omitempty"` // 1-based
	Function string `json:"function,omitempty"`
}

// Stage is the step at which an extension failed.
type Stage string

// The stages, in order.
const (
	StageDiscover   Stage = "discover"
	StageResolve    Stage = "resolve"
	StageBundle     Stage = "bundle"
	StageEvaluate   Stage = "evaluate"
	StageManifest   Stage = "manifest"
	StagePermission Stage = "permission"
)

// Failure says why an extension did not load.
type Failure struct {
	Stage    Stage
	Position Position
	Message  string
	Hint     string
	Stack    []Position
}
