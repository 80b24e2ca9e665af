package registry

import (
	"errors"
	"fmt"
	"time"
)

// Kind says why a call failed. The values are stable ids.
type Kind string

// The kinds of failure.
const (
	KindInvalidArgs      Kind = "invalid_args"
	KindTimeout          Kind = "timeout"
	KindCancelled        Kind = "cancelled"
	KindNotFound         Kind = "not_found"
	KindPermissionDenied Kind = "permission_denied"
	KindRateLimited      Kind = "rate_limited"
	KindProvider         Kind = "provider"
	KindNetwork          Kind = "network"
	KindOther            Kind = "other"
)

// Retryable says whether the same call may succeed later. The zero value is
// unknown; in JSON it is true, false or null.
type Retryable uint8

// Whether a retry makes sense.
const (
	RetryUnknown Retryable = iota
	RetryYes
	RetryNo
)

// MarshalJSON writes true, false or null.
func (r Retryable) MarshalJSON() ([]byte, error) {
	switch r {
	case RetryYes:
		return []byte("true"), nil
	case RetryNo:
		return []byte("false"), nil
	default:
		return []byte("null"), nil
	}
}

// UnmarshalJSON reads true, false or null.
func (r *Retryable) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "true":
		*r = RetryYes
	case "false":
		*r = RetryNo
	case "null":
		*r = RetryUnknown
	default:
		return fmt.Errorf("retryable must be true, false or null, got %s", b)
	}
	return nil
}

// Failure is the error of a call, with what a program and a model need to
// react to it. A tool may return one from Execute; any other error that its
// own function returns becomes one of kind other with the error's text.
type Failure struct {
	Kind Kind `json:"kind"`
	// Message is for the operator: everything that helps to mend it.
	Message string `json:"message"`
	// ModelText is what the model sees; empty means Message.
	ModelText string    `json:"-"`
	Retryable Retryable `json:"retryable"`
	// RetryAfter is how long to wait before a retry; zero means unstated.
	RetryAfter time.Duration `json:"-"`
	// Code refines Kind: "runtime_lost", "worker_lost", "stack_overflow", an API's own code.
	Code string `json:"code,omitempty"`
	// HTTPStatus is the status of the reply that failed the call, or zero.
	HTTPStatus int `json:"httpStatus,omitempty"`
	// Hint is what the operator can do about it, or empty.
	Hint string `json:"hint,omitempty"`
	// Location is where in the tool's source it happened, or nil. The model
	// never sees it.
	Location *Location `json:"location,omitempty"`
	// Fatal says that the host should stop after this call: something is broken
	// that no other call can mend. It stops the call's batch.
	Fatal bool `json:"fatal,omitempty"`
	// Cause is the underlying error, or nil; errors.Is and errors.As see it.
	Cause error `json:"-"`
}

// Location is a place in a source file. Line and Column are 1-based; zero
// means unknown.
type Location struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	// Frame is a few source lines around the place, ready to print.
	Frame string `json:"frame,omitempty"`
	// Stack holds the other frames, innermost first, one per line of text.
	Stack []string `json:"stack,omitempty"`
}

// String is file:line:column, as far as it is known.
func (l *Location) String() string {
	switch {
	case l == nil:
		return ""
	case l.Line == 0:
		return l.File
	default:
		return fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Column)
	}
}

// Error implements error: the kind, then the operator's message.
func (f *Failure) Error() string { return string(f.Kind) + ": " + f.Message }

// Unwrap gives the cause to errors.Is and errors.As.
func (f *Failure) Unwrap() error { return f.Cause }

// TextForModel is what the model is told.
func (f *Failure) TextForModel() string {
	if f.ModelText != "" {
		return f.ModelText
	}
	return f.Message
}

// Failuref makes a failure with a formatted message; a %w verb sets Cause.
func Failuref(kind Kind, format string, args ...any) *Failure {
	err := fmt.Errorf(format, args...)
	return &Failure{Kind: kind, Message: err.Error(), Cause: errors.Unwrap(err)}
}

// Valid reports whether k is one of the kinds.
func (k Kind) Valid() bool {
	switch k {
	case KindInvalidArgs, KindTimeout, KindCancelled, KindNotFound, KindPermissionDenied,
		KindRateLimited, KindProvider, KindNetwork, KindOther:
		return true
	default:
		return false
	}
}

// retryable is the usual answer for a kind, where a failure says nothing.
func (k Kind) retryable() Retryable {
	switch k {
	case KindTimeout, KindRateLimited, KindNetwork:
		return RetryYes
	case KindInvalidArgs, KindCancelled, KindNotFound, KindPermissionDenied:
		return RetryNo
	default:
		return RetryUnknown
	}
}

// modelTexts are what the model sees of a failure whose own text it must not
// see.
var modelTexts = map[Kind]string{
	KindInvalidArgs:      "the arguments were refused",
	KindTimeout:          "the tool did not finish in time",
	KindCancelled:        "the call was cancelled",
	KindNotFound:         "what the call asked for was not found",
	KindPermissionDenied: "the tool was not allowed to do this",
	KindRateLimited:      "the service asks for fewer requests; try again later",
	KindProvider:         "the service behind the tool failed",
	KindNetwork:          "the network failed",
	KindOther:            genericText,
}

// NewFailure makes a failure of a kind, with the usual answer for that kind to
// whether a retry makes sense.
func NewFailure(kind Kind, message string) *Failure {
	return &Failure{Kind: kind, Message: message, Retryable: kind.retryable()}
}

// Hide keeps an error's text from the model, which sees a generic sentence for
// its kind instead. The operator sees all of it.
func Hide(err error) error {
	if err == nil {
		return nil
	}
	f := &Failure{Kind: KindOther, Message: err.Error(), Cause: err}
	var told *Failure
	if errors.As(err, &told) && told != nil {
		*f = *told
		f.Cause = err
	}
	f.ModelText = modelTexts[f.Kind]
	return f
}

// GoString implements [fmt.GoStringer]: what is printed for debugging tells the
// kind and no secret.
func (f *Failure) GoString() string { return fmt.Sprintf("registry.Failure{%s %s}", f.Kind, f.Code) }
