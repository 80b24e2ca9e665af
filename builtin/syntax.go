package builtin

// SyntaxChecker finds errors in source text, for the warnings of edit_file. It
// must be safe for concurrent use, and neither run nor keep what it is given.
type SyntaxChecker interface {
	// CheckSyntax parses the text of a file. The name is for messages.
	CheckSyntax(name string, src []byte) Syntax
}

// Syntax is what a checker found.
type Syntax struct {
	// Err is the first error, or nil where the text parses.
	Err *SyntaxError
	// Nodes are what a person would call parts of the text: functions, types,
	// lists, statements. A checker that cannot tell leaves them out, and need
	// not find them in a text with errors.
	Nodes []SyntaxNode
}

// SyntaxError is where a text breaks.
type SyntaxError struct {
	Line    int // from 1; 0 when it is not known
	Column  int // from 1, in bytes; 0 when it is not known
	Message string
}

// SyntaxNode is one part of a text.
type SyntaxNode struct {
	Kind       string // "function declaration"
	Name       string // may be empty
	Start, End int    // offsets in bytes
}
