package registry

import "fmt"

// DuplicateError says that a name is taken.
type DuplicateError struct {
	Name  string
	Owner string // who holds the name; empty is the host program
	By    string // who wanted it too
}

// Error implements error.
func (e *DuplicateError) Error() string {
	if e.Owner == e.By {
		return fmt.Sprintf("tool %q is already registered by %s", e.Name, ownerText(e.Owner))
	}
	return fmt.Sprintf("tool %q of %s is already registered by %s: rename one of them, or remove the other first",
		e.Name, ownerText(e.By), ownerText(e.Owner))
}

// ReservedError says that a name is kept for the host program.
type ReservedError struct {
	Name string
	By   string // who wanted it
}

// Error implements error.
func (e *ReservedError) Error() string {
	return fmt.Sprintf("the name %q is reserved for a built-in tool: %s must choose another", e.Name, ownerText(e.By))
}

// The rules that an [InvalidToolError] can name.
const (
	RuleName        = "name"         // 1–64 characters of A–Z a–z 0–9 _ -, starting with a letter
	RuleRisk        = "risk"         // one of the four risks
	RuleParameters  = "parameters"   // a self-contained JSON Schema of type object
	RuleOutput      = "output"       // Info.OutputSchema is a self-contained JSON Schema
	RuleInputFormat = "input format" // Info.InputFormat has a known syntax and a grammar that compiles
	RuleTool        = "tool"         // not nil, and its methods do not panic
)

// InvalidToolError says which rule of [Tool] a tool breaks, and how.
type InvalidToolError struct {
	Name  string
	Owner string
	Rule  string // one of the Rule constants
	Err   error  // what is wrong
}

// Error implements error.
func (e *InvalidToolError) Error() string {
	return fmt.Sprintf("tool %q of %s: %s: %v", e.Name, ownerText(e.Owner), e.Rule, e.Err)
}

// Unwrap gives what is wrong to errors.Is and errors.As.
func (e *InvalidToolError) Unwrap() error { return e.Err }

// ownerText is how messages call an owner.
func ownerText(owner string) string {
	if owner == "" {
		return "the host program"
	}
	return fmt.Sprintf("%q", owner)
}
