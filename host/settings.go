package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// SettingsKey says whose settings are meant. A name alone does not: a project
// may have an extension of the same name as the user's.
type SettingsKey struct {
	Scope     Scope
	Root      string // of the project, without symbolic links
	Dir       string // that the extension comes from, without symbolic links
	Extension string // id
}

// SettingInfo describes one setting that an extension declares.
type SettingInfo struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // string, number or boolean
	Secret      bool   `json:"secret,omitempty"`
	Description string `json:"description,omitempty"`
	Env         string `json:"env,omitempty"` // a variable that gives it where it is not set
}

func (s Source) settingsKey(root string) SettingsKey {
	return SettingsKey{Scope: s.Scope, Root: root, Dir: s.Dir, Extension: s.ID}
}

// SettingsKey is the key of the extension that has an id, whether it loaded or
// not; one that is shadowed has none.
func (h *Host) SettingsKey(id string) (k SettingsKey, ok bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, s := range h.sources {
		if s.ID == id && s.ShadowedBy == "" {
			return s.settingsKey(h.opts.Root), true
		}
	}
	return SettingsKey{}, false
}

func settingInfos(declared map[string]wire.Setting) []SettingInfo {
	var out []SettingInfo
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		d := declared[name]
		out = append(out, SettingInfo{Name: name, Type: d.Type, Secret: d.Secret, Description: d.Description, Env: d.Env})
	}
	return out
}

// resolvedSettings are the settings of one extension for one call.
type resolvedSettings struct {
	// Object is a JSON object with the settings that have a value, in the order
	// of their names.
	Object json.RawMessage
	Uses   []registry.Use // of secrets and variables
	// Secrets are the values of secrets, which must not be shown anywhere.
	Secrets []string
	// Problems say why settings that somebody tried to set have no value. None
	// holds the value of a secret.
	Problems []string
}

// settings resolves the settings of the extension at s for one call. grantedEnv
// gives a variable of the environment and what allowed it, and is not asked
// about others than those that the settings name. Who hears of secrets has done
// so when it returns.
func (h *Host) settings(ctx context.Context, s Source, declared map[string]wire.Setting, grantedEnv func(name string) (value, grant string, ok bool)) resolvedSettings {
	key := s.settingsKey(h.opts.Root)
	from := settingsSources{Env: grantedEnv}
	if h.opts.Settings != nil {
		from.Configured = h.opts.Settings(key)
	}
	if h.opts.Secrets != nil {
		from.Secret = func(ctx context.Context, name string) (string, bool, error) { return h.opts.Secrets(ctx, key, name) }
	}
	r := resolveSettings(ctx, s.ID, declared, from)
	if h.opts.OnSecret != nil && len(r.Secrets) > 0 {
		h.opts.OnSecret(r.Secrets...)
	}
	return r
}

// settingsSources are where values come from. What is nil has none.
type settingsSources struct {
	Configured map[string]json.RawMessage
	Secret     func(ctx context.Context, name string) (value string, ok bool, err error)
	Env        func(name string) (value, grant string, ok bool)
}

// resolveSettings gives each setting that is declared the first value that there
// is: what is configured, unless it is a secret; of a secret, what the store
// has; the variable that it names, if that was granted and is not empty; the
// default. A value that is there but wrong is a problem, and no other stands in
// for it.
func resolveSettings(ctx context.Context, extension string, declared map[string]wire.Setting, from settingsSources) resolvedSettings {
	var r resolvedSettings
	var object bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		v, err := from.find(ctx, name, declared[name])
		if err != nil {
			r.Problems = append(r.Problems, fmt.Sprintf("setting %s.%s: %v", extension, name, err))
			continue
		}
		if v.use.Kind != "" {
			if v.use.Kind == "secret" {
				v.use.Target = extension + "." + name
			}
			r.Uses = append(r.Uses, v.use)
		}
		if v.raw == nil {
			continue
		}
		if v.secret != "" {
			r.Secrets = append(r.Secrets, v.secret)
		}
		if object.Len() > 0 {
			object.WriteByte(',')
		}
		object.WriteString(strconv.Quote(name)) // of letters and digits
		object.WriteByte(':')
		object.Write(v.raw)
	}
	r.Object = json.RawMessage("{" + object.String() + "}")
	return r
}

// settingValue is a value and where it came from.
type settingValue struct {
	raw    json.RawMessage // nil: there is none
	secret string          // the value as text, if it is one of a secret
	use    registry.Use    // without a kind there is none
}

func (from settingsSources) find(ctx context.Context, name string, d wire.Setting) (settingValue, error) {
	if raw := from.Configured[name]; raw != nil && !d.Secret {
		return configuredValue(d, raw)
	}
	if d.Secret && from.Secret != nil {
		text, ok, err := from.Secret(ctx, name)
		if err != nil {
			return settingValue{}, err
		}
		if ok {
			return textValue(d, text, "the store of secrets", registry.Use{Kind: "secret", Grant: "rho-ext secret set"})
		}
	}
	if d.Env != "" && from.Env != nil {
		if text, grant, ok := from.Env(d.Env); ok && text != "" {
			return textValue(d, text, "the variable "+d.Env, registry.Use{Kind: "env", Target: d.Env, Grant: grant})
		}
	}
	return settingValue{raw: d.Default}, nil
}

// configuredValue is a value that has a type already, which must be right.
func configuredValue(d wire.Setting, raw json.RawMessage) (settingValue, error) {
	var v any
	err := json.Unmarshal(raw, &v)
	ok := false
	switch v.(type) {
	case string:
		ok = d.Type == "string"
	case bool:
		ok = d.Type == "boolean"
	case float64:
		ok = d.Type == "number"
	}
	if err != nil || !ok {
		return settingValue{}, expected(d, string(raw), "the configuration")
	}
	return settingValue{raw: raw}, nil
}

// textValue is a value that is text, read as the type that the setting has.
func textValue(d wire.Setting, text, from string, use registry.Use) (settingValue, error) {
	v := settingValue{use: use}
	if d.Secret {
		v.secret = text
	}
	trimmed := strings.TrimSpace(text)
	switch d.Type {
	case "string":
		if !utf8.ValidString(text) {
			return settingValue{}, errors.New("the value is no UTF-8 text, from " + from)
		}
		v.raw, _ = json.Marshal(text)
	case "boolean":
		if trimmed != "true" && trimmed != "false" {
			return settingValue{}, expected(d, strconv.Quote(text), from)
		}
		v.raw = json.RawMessage(trimmed)
	default:
		// As in JSON: no hexadecimal, no infinity, no underscores.
		f, err := strconv.ParseFloat(trimmed, 64)
		if err != nil || math.IsInf(f, 0) || !json.Valid([]byte(trimmed)) {
			return settingValue{}, expected(d, strconv.Quote(text), from)
		}
		v.raw = json.RawMessage(trimmed)
	}
	return v, nil
}

// expected says that a value is of the wrong type; that of a secret is not shown.
func expected(d wire.Setting, got, from string) error {
	want := map[string]string{"string": "a text", "boolean": "true or false"}[d.Type]
	if want == "" {
		want = "a number"
	}
	const most = 60
	if r := []rune(got); len(r) > most {
		got = string(r[:most]) + "…"
	}
	if d.Secret {
		got = "another value"
	}
	return fmt.Errorf("expected %s, got %s from %s", want, got, from)
}
