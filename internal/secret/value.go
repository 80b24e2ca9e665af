package secret

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"unicode/utf8"
)

// Value is the value of a secret. However it is printed, logged or encoded, it
// does not show; only [Value.Reveal] gives it. It is a function inside, since
// package fmt prints what it finds in the unexported fields of others without
// asking their methods.
type Value struct{ reveal func() string }

// NewValue wraps a text.
func NewValue(text string) Value { return Value{func() string { return text }} }

// Reveal is the text itself.
func (v Value) Reveal() string {
	if v.reveal == nil {
		return ""
	}
	return v.reveal()
}

const shown = "[secret]"

// String implements [fmt.Stringer] without the value.
func (Value) String() string { return shown }

// GoString implements [fmt.GoStringer] without the value.
func (Value) GoString() string { return shown }

// Format implements [fmt.Formatter] without the value.
func (Value) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, shown) }

// MarshalText implements [encoding.TextMarshaler] without the value.
func (Value) MarshalText() ([]byte, error) { return []byte(shown), nil }

// MarshalJSON implements [json.Marshaler] without the value.
func (Value) MarshalJSON() ([]byte, error) { return []byte(`"` + shown + `"`), nil }

// LogValue implements [slog.LogValuer] without the value.
func (Value) LogValue() slog.Value { return slog.StringValue(shown) }

// check says what is wrong with a value, without it.
func (v Value) check() error {
	switch text := v.Reveal(); {
	case text == "":
		return errors.New("the value is empty")
	case len(text) > MaxValue:
		return fmt.Errorf("the value has %d bytes, which is more than %d", len(text), MaxValue)
	case !utf8.ValidString(text):
		return errors.New("the value is no UTF-8 text; encode it, such as in base64")
	}
	return nil
}
