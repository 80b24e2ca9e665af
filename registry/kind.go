package registry

// ToolKind says what a tool does, so that tools of different origin can be
// compared. A batch runs calls of kind other and shell alone, because nobody
// knows what they touch.
type ToolKind string

// The kinds of tools.
const (
	KindShell     ToolKind = "shell" // runs a command
	KindRead      ToolKind = "read"  // reads a file
	KindWrite     ToolKind = "write" // creates or overwrites a file
	KindEdit      ToolKind = "edit"  // changes part of a file
	KindGlob      ToolKind = "glob"  // path pattern to list of files
	KindGrep      ToolKind = "grep"  // searches content
	KindOtherTool ToolKind = "other"
)

// ParseToolKind reads a kind; what it does not know is other.
func ParseToolKind(s string) ToolKind {
	switch k := ToolKind(s); k {
	case KindShell, KindRead, KindWrite, KindEdit, KindGlob, KindGrep:
		return k
	default:
		return KindOtherTool
	}
}

// KindOf tells what the tool of that name does, and whether there is one.
func (s *Snapshot) KindOf(name string) (ToolKind, bool) {
	if e := s.find(name); e != nil {
		return e.Info.Kind, true
	}
	return KindOtherTool, false
}

// UnmarshalText implements [encoding.TextUnmarshaler]: an unknown kind is
// other.
func (k *ToolKind) UnmarshalText(b []byte) error {
	*k = ParseToolKind(string(b))
	return nil
}

// Annotations are hints about a tool in the terms of the Model Context
// Protocol. A nil field says nothing, which clients read as the worst case.
type Annotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// Syntax is how a freeform tool's grammar is written.
type Syntax string

// The syntaxes of a grammar.
const (
	SyntaxLark  Syntax = "lark"
	SyntaxRegex Syntax = "regex"
)

// InputFormat says that a tool takes text in a grammar instead of JSON. Where a
// caller cannot send such text the tool works degraded, as {"input": "…"}; the
// door accepts both, and Execute gets {"input": "…"} either way.
type InputFormat struct {
	Syntax     Syntax `json:"syntax"`
	Definition string `json:"definition"` // the grammar, verbatim
}
