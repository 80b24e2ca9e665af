package wire

import "github.com/rho-ext/rho-ext/registry"

// Survey is what the code of an extension is seen to do, for a linter that asks
// with [LoadRequest.Survey]. It says too little rather than too much.
type Survey struct {
	// Code is what all of the code does. Tools, Hooks and Commands have their
	// own by name.
	Code     CodeUse            `json:"code"`
	Tools    map[string]CodeUse `json:"tools,omitempty"`
	Hooks    map[string]CodeUse `json:"hooks,omitempty"`
	Commands map[string]CodeUse `json:"commands,omitempty"`
	// Traps are places that use something which this engine has not.
	Traps []Trap `json:"traps,omitempty"`
	// Targets are hosts, programs, files, variables and tools that the code
	// names as plain text.
	Targets []Target `json:"targets,omitempty"`
	// Settings are the declared settings that the code does not mention; nil
	// also where it uses its configuration as a whole.
	Unused []string `json:"unused,omitempty"`
	// Cut says that there was more of something than is told.
	Cut bool `json:"cut,omitempty"`
}

// CodeUse is what a part of the code is seen to do.
type CodeUse struct {
	Effects    registry.Effects `json:"effects"`
	CallsTools bool             `json:"callsTools,omitempty"`
	Whole      bool             `json:"whole,omitempty"` // rho is used as a value, which counts as all of it
	// Own says that it could be told apart from the rest of the code.
	Own bool `json:"own,omitempty"`
	// Seen are where the effects are, one place for each.
	Seen []CodeMention `json:"seen,omitempty"`
	// Computed are places that reading cannot follow.
	Computed []Position `json:"computed,omitempty"`
	// Text says what a tool's function does with its arguments that only a text
	// can do, where it does not get a text.
	Text string `json:"text,omitempty"`
}

// CodeMention is a place that has an effect; none stands for calling tools.
type CodeMention struct {
	Effect registry.Effects `json:"effect"`
	Name   string           `json:"name"` // as in fetch or ctx.fs.write
	At     Position         `json:"at"`
}

// The kinds of traps.
const (
	TrapGlobal = "global" // a global that is not there
	TrapMember = "member" // a member of a global that is not there
	TrapRegexp = "regexp" // a regular expression that does not compile or never matches
	TrapLocale = "locale" // a method that does not heed its locale and options
)

// Trap is a use of something that the engine has not.
type Trap struct {
	Kind   string   `json:"kind"`
	Name   string   `json:"name"` // as written
	Detail string   `json:"detail,omitempty"`
	At     Position `json:"at"`
}

// The kinds of targets.
const (
	TargetURL     = "url" // as far as it is plain text
	TargetProgram = "program"
	TargetEnv     = "env"
	TargetTool    = "tool"
)

// Target is something outside that the code names.
type Target struct {
	Kind string   `json:"kind"`
	Name string   `json:"name"`
	At   Position `json:"at"`
}
