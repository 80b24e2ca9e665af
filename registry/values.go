package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
)

// Values are data that a caller hands to the tools of a call: string keys,
// JSON values. They are never sent to a model. A nil map is empty.
type Values map[string]json.RawMessage

// Set puts v under key, as JSON, and returns what was there before, or nil.
func (v Values) Set(key string, value any) (old json.RawMessage, err error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("value %q: %w", key, err)
	}
	old = v[key]
	v[key] = data
	return old, nil
}

// Get reads the value of key into v and reports whether there was one.
func (v Values) Get(key string, into any) (bool, error) {
	data, ok := v[key]
	if !ok {
		return false, nil
	}
	if err := json.Unmarshal(data, into); err != nil {
		return true, fmt.Errorf("value %q: %w", key, err)
	}
	return true, nil
}

// Require is Get for a value that the tool cannot do without. The error names
// the key.
func (v Values) Require(key string, into any) error {
	ok, err := v.Get(key, into)
	if err == nil && !ok {
		err = fmt.Errorf("the call needs the value %q, and the caller gave none", key)
	}
	return err
}

// Clone is a copy whose values are copies as well.
func (v Values) Clone() Values {
	out := maps.Clone(v)
	for k, data := range out {
		out[k] = bytes.Clone(data)
	}
	return out
}

// String names the keys; the values may be secrets.
func (v Values) String() string { return fmt.Sprintf("%d values", len(v)) }

// GoString implements [fmt.GoStringer], as String does.
func (v Values) GoString() string { return "registry.Values{" + v.String() + "}" }

// valuesFor gives the values that a tool may see.
func (q *Request) valuesFor(e *Entry) Values {
	out := q.Values.Clone()
	for key, patterns := range q.ValueGrants {
		granted := false
		for _, p := range patterns {
			granted = granted || p != "" && matchesName(p, e.name)
		}
		if !granted {
			delete(out, key)
		}
	}
	return out
}
