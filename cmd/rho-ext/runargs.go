package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// readArgs gives the --args object; nothing given is an empty one.
func (a *app) readArgs(s string) (json.RawMessage, error) {
	source := "--args"
	if s == "-" {
		data, err := io.ReadAll(a.in)
		if err != nil {
			return nil, usage("--args -: %v", err)
		}
		// Some shells begin what they pipe with a byte order mark.
		s, source = strings.TrimPrefix(string(data), "\ufeff"), "--args - (stdin)"
	}
	if strings.TrimSpace(s) == "" {
		return json.RawMessage("{}"), nil
	}
	var raw json.RawMessage
	err := json.Unmarshal([]byte(s), &raw)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return nil, usage("%s is not JSON: %v (at byte %d)\nexpected an object such as '{\"path\":\"README.md\"}'", source, err, syntax.Offset)
	}
	return raw, err
}

// withPairs adds --arg values. A value is text where the schema says string,
// and JSON where it says anything else.
func withPairs(args json.RawMessage, pairs []string, schema json.RawMessage) (json.RawMessage, error) {
	if len(pairs) == 0 {
		return args, nil
	}
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(schema, &s) // a schema without properties gives no types
	var obj map[string]json.RawMessage
	if err := json.Unmarshal(args, &obj); err != nil {
		return nil, usage("--arg needs --args to be an object, such as '{\"path\":\"README.md\"}'")
	}
	var keys []string
	given := map[string]json.RawMessage{}
	for _, p := range pairs {
		k, v, ok := strings.Cut(p, "=")
		if !ok || k == "" {
			return nil, usage("--arg %q: expected KEY=VALUE, such as --arg path=README.md", p)
		}
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
		given[k] = argValue(v, s.Properties[k].Type)
	}
	return withValues(args, keys, given), nil
}

// withValues adds values to an object, or to nothing; a later one of a key counts.
func withValues(args json.RawMessage, keys []string, given map[string]json.RawMessage) json.RawMessage {
	var obj map[string]json.RawMessage
	_ = json.Unmarshal(args, &obj)
	var b bytes.Buffer
	b.WriteString(strings.TrimSuffix(strings.TrimSpace(string(args)), "}"))
	if obj == nil {
		b.Reset()
		b.WriteByte('{')
	}
	for i, k := range keys {
		if i > 0 || len(obj) > 0 {
			b.WriteByte(',')
		}
		key, _ := json.Marshal(k)
		b.Write(key)
		b.WriteByte(':')
		b.Write(given[k])
	}
	b.WriteByte('}')
	return b.Bytes()
}

func argValue(v string, typ any) json.RawMessage {
	if typ != "string" && json.Valid([]byte(v)) {
		return json.RawMessage(v)
	}
	text, _ := json.Marshal(v)
	return text
}
