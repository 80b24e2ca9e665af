package secret

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// content is the file.
type content struct {
	Version int     `json:"version"`
	Secrets []entry `json:"secrets"`
	// Stale are items of the keychain that may be there and are to be removed.
	Stale []string `json:"stale,omitempty"`
}

// entry is a secret. It has a value or an item.
type entry struct {
	Key
	Value string `json:"value,omitempty"`
	Item  string `json:"keychain,omitempty"` // its account there
}

const version = 1

func (c *content) find(k Key) *entry {
	for i := range c.Secrets {
		if c.Secrets[i].Key == k {
			return &c.Secrets[i]
		}
	}
	return nil
}

// parse reads the text of the file. What is wrong is told by its place, since
// the text around it may be a secret.
func parse(data []byte) (c *content, problem string) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	c = &content{}
	err := dec.Decode(c)
	if err == nil && c.Version > version {
		return nil, fmt.Sprintf("it is of version %d, which a later rho-ext wrote", c.Version)
	}
	at := int64(0)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	case err != nil:
		at = dec.InputOffset()
	default:
		if _, err = dec.Token(); err == io.EOF {
			return c, c.check()
		}
		at = dec.InputOffset()
	}
	before := data[:max(0, min(at-1, int64(len(data))))]
	return nil, fmt.Sprintf("it is broken at line %d, column %d", 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'))
}

// check says what is wrong with what the file holds, or "".
func (c *content) check() string {
	switch {
	case c.Version != version:
		return "it has no version"
	case len(c.Secrets) > MaxEntries || len(c.Stale) > maxStale:
		return fmt.Sprintf("it holds more than %d secrets", MaxEntries)
	}
	seen := map[Key]bool{}
	for i, e := range c.Secrets {
		if e.Key.check() != nil || seen[e.Key] || (e.Value == "") == (e.Item == "") || len(e.Value) > MaxValue {
			return fmt.Sprintf("entry %d is broken", i+1)
		}
		seen[e.Key] = true
	}
	return ""
}
