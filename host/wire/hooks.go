package wire

import (
	"encoding/json"

	"github.com/rho-ext/rho-ext/registry"
)

// Run says which kind of function a call runs.
type Run string

// The kinds of functions.
const (
	RunTool     Run = ""         // execute of a tool
	RunHook     Run = "hook"     // a hook, with an event as its argument
	RunCommand  Run = "command"  // run or handler of a command, with a text
	RunComplete Run = "complete" // complete of a command, with a text
)

// The hooks that an extension can have.
const (
	HookLoad        = "onLoad"
	HookToolCall    = "onToolCall"
	HookToolResult  = "onToolResult"
	HookBeforeModel = "onBeforeModel"
)

// Hook is one hook of a manifest.
type Hook struct {
	Name       string           `json:"name"`
	Effects    registry.Effects `json:"effects"` // as read from its code
	CallsTools bool             `json:"callsTools,omitempty"`
	Arguments  ArgumentForm     `json:"arguments"`
}

// Command is one command of a manifest.
type Command struct {
	Name        string           `json:"name"`
	Description string           `json:"description,omitempty"`
	Effects     registry.Effects `json:"effects"` // as read from its code
	CallsTools  bool             `json:"callsTools,omitempty"`
	Completes   bool             `json:"completes,omitempty"` // it can complete its text
}

// ToolCallEvent is the argument of [HookToolCall]: a call that is about to run.
type ToolCallEvent struct {
	CallID   string          `json:"callId"`
	ToolName string          `json:"toolName"`
	Args     json.RawMessage `json:"args"`
	Risk     registry.Risk   `json:"risk"`
}

// ToolResultEvent is the argument of [HookToolResult]: a call that has ended.
type ToolResultEvent struct {
	CallID     string          `json:"callId"`
	ToolName   string          `json:"toolName"`
	Args       json.RawMessage `json:"args"`
	Content    []Content       `json:"content"`
	Details    json.RawMessage `json:"details,omitempty"`
	IsError    bool            `json:"isError"`
	Status     registry.Status `json:"status"`
	Failure    *EventFailure   `json:"failure,omitempty"`
	DurationMS float64         `json:"durationMs"`
}

// EventFailure is what a hook is told of a failure.
type EventFailure struct {
	Kind    registry.Kind `json:"kind"`
	Code    string        `json:"code,omitempty"`
	Message string        `json:"message"`
}

// BeforeModelEvent is the argument of [HookBeforeModel].
type BeforeModelEvent struct {
	Messages []Message `json:"messages"`
}

// Message is one of a conversation.
type Message struct {
	Role    string    `json:"role"`
	Content []Content `json:"content"`
}

// HookDecision is what a hook gives back, in [Value.Structured]. What it does
// not say stays as it is; which members a hook may give depends on the hook.
type HookDecision struct {
	Block    *string          `json:"block,omitempty"`
	Stop     *string          `json:"stop,omitempty"`
	Args     json.RawMessage  `json:"args,omitempty"`    // a JSON object
	Result   []registry.Block `json:"result,omitempty"`  // of the call that is answered
	Content  []registry.Block `json:"content,omitempty"` // instead of the result's
	Details  json.RawMessage  `json:"details,omitempty"`
	IsError  *bool            `json:"isError,omitempty"`
	Messages []DecidedMessage `json:"messages,omitempty"`
}

// DecidedMessage is a [Message] as a hook gives it back.
type DecidedMessage struct {
	Role    string           `json:"role"`
	Content []registry.Block `json:"content"`
}

// Content is a block as authors see it.
type Content registry.Block

// MarshalJSON implements [json.Marshaler].
func (c Content) MarshalJSON() ([]byte, error) {
	switch c.Type {
	case registry.BlockText:
		return json.Marshal(struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{c.Type, c.Text})
	case registry.BlockJSON:
		value := c.JSON
		if !json.Valid(value) {
			value = json.RawMessage("null")
		}
		return json.Marshal(struct {
			Type  string          `json:"type"`
			Value json.RawMessage `json:"value"`
		}{c.Type, value})
	}
	return json.Marshal(registry.Block(c))
}

// ContentOf makes blocks what authors see.
func ContentOf(blocks []registry.Block) []Content {
	out := make([]Content, len(blocks))
	for i, b := range blocks {
		out[i] = Content(b)
	}
	return out
}
