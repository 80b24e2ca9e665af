package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// given is what there is in a test: secrets by name, variables by name with how they
// were granted.
type given struct {
	configured map[string]string
	secrets    map[string]string
	env        map[string]string
	granted    map[string]string
	fails      error
}

func (s given) make(asked *[]string) settingsSources {
	from := settingsSources{Configured: map[string]json.RawMessage{}}
	for name, raw := range s.configured {
		from.Configured[name] = json.RawMessage(raw)
	}
	from.Secret = func(_ context.Context, name string) (string, bool, error) {
		*asked = append(*asked, "secret "+name)
		v, ok := s.secrets[name]
		return v, ok, s.fails
	}
	from.Env = func(name string) (string, string, bool) {
		*asked = append(*asked, "env "+name)
		grant, ok := s.granted[name]
		if !ok {
			return "", "", false
		}
		v, ok := s.env[name]
		return v, grant, ok
	}
	return from
}

func TestSettingsAreResolvedInOrder(t *testing.T) {
	t.Parallel()
	text := wire.Setting{Type: "string", Env: "V", Default: json.RawMessage(`"default"`)}
	number := wire.Setting{Type: "number", Env: "V", Default: json.RawMessage(`1`)}
	boolean := wire.Setting{Type: "boolean", Env: "V"}
	secret := wire.Setting{Type: "string", Secret: true, Env: "V"}
	v := map[string]string{"V": "--allow-env=V"}
	fromEnv := func(value string) given { return given{env: map[string]string{"V": value}, granted: v} }
	configured := func(raw string) given { return given{configured: map[string]string{"x": raw}} }
	for _, tc := range []struct {
		name    string
		setting wire.Setting
		from    given
		want    string // the value, or "" for none
		problem string
		use     string
		secret  string
	}{
		{"nothing is set", wire.Setting{Type: "string"}, given{}, "", "", "", ""},
		{"the default", text, given{}, `"default"`, "", "", ""},
		{"configured", text, configured(`"c"`), `"c"`, "", "", ""},
		{"configured beats the variable", text, given{configured: map[string]string{"x": `"c"`}, env: map[string]string{"V": "e"}, granted: v}, `"c"`, "", "", ""},
		{"the variable beats the default", text, fromEnv("e"), `"e"`, "", "env V --allow-env=V", ""},
		{"a variable that was not granted", text, given{env: map[string]string{"V": "e"}}, `"default"`, "", "", ""},
		{"a variable that is not set", text, given{granted: v}, `"default"`, "", "", ""},
		{"an empty variable", text, fromEnv(""), `"default"`, "", "", ""},
		{"an empty variable of a number", number, fromEnv(""), `1`, "", "", ""},
		{"a secret in the store", secret, given{secrets: map[string]string{"x": "hunter2"}}, `"hunter2"`, "", "secret ext.x rho-ext secret set", "hunter2"},
		{"a secret beats its variable", secret, given{secrets: map[string]string{"x": "hunter2"}, env: map[string]string{"V": "e"}, granted: v}, `"hunter2"`, "", "secret ext.x rho-ext secret set", "hunter2"},
		{"a secret in a variable", secret, fromEnv("hunter2"), `"hunter2"`, "", "env V --allow-env=V", "hunter2"},
		{"a missing secret", secret, given{}, "", "", "", ""},
		{"a secret is not read from the configuration", secret, configured(`"c"`), "", "", "", ""},
		{"nor looked up for others", text, given{secrets: map[string]string{"x": "hunter2"}}, `"default"`, "", "", ""},
		{"a store that fails", secret, given{fails: errors.New("the keychain is locked"), env: map[string]string{"V": "e"}, granted: v}, "", "setting ext.x: the keychain is locked", "", ""},
		{"a text with everything", text, fromEnv("a\"b\\\n\u2028<é>"), `"a\"b\\\n\u2028\u003cé\u003e"`, "", "env V --allow-env=V", ""},
		{"no UTF-8", secret, fromEnv("\xffhunter2"), "", "setting ext.x: the value is no UTF-8 text, from the variable V", "", ""},

		{"a number", number, configured(`5`), `5`, "", "", ""},
		{"a large number", number, configured(`9007199254740993`), `9007199254740993`, "", "", ""},
		{"a number as text", number, configured(`"5"`), "", `setting ext.x: expected a number, got "5" from the configuration`, "", ""},
		{"a number of a variable", number, fromEnv(" -1.5e3 "), `-1.5e3`, "", "env V --allow-env=V", ""},
		{"hexadecimal", number, fromEnv("0x10"), "", `expected a number, got "0x10" from the variable V`, "", ""},
		{"no number", number, fromEnv("NaN"), "", `expected a number, got "NaN"`, "", ""},
		{"infinite", number, fromEnv("Infinity"), "", `expected a number, got "Infinity"`, "", ""},
		{"too large", number, fromEnv("1e999"), "", `expected a number, got "1e999"`, "", ""},
		{"too large in the configuration", number, configured("1e999"), "", `expected a number, got 1e999`, "", ""},
		{"underscores", number, fromEnv("1_000"), "", `expected a number, got "1_000"`, "", ""},
		{"code", number, fromEnv(`1,"y":2`), "", `expected a number, got "1,\"y\":2"`, "", ""},
		{"long", number, fromEnv(strings.Repeat("x", 10000)), "", `expected a number, got "` + strings.Repeat("x", 59) + "…", "", ""},
		{"a wrong one has no stand-in", number, configured(`true`), "", "expected a number, got true", "", ""},

		{"true", boolean, configured(`true`), `true`, "", "", ""},
		{"true of a variable", boolean, fromEnv("true\n"), `true`, "", "env V --allow-env=V", ""},
		{"false of a variable", boolean, fromEnv("false"), `false`, "", "env V --allow-env=V", ""},
		{"yes", boolean, fromEnv("yes"), "", `expected true or false, got "yes" from the variable V`, "", ""},
		{"one", boolean, configured("1"), "", `expected true or false, got 1 from the configuration`, "", ""},
		{"null", text, configured("null"), "", `expected a text, got null from the configuration`, "", ""},
		{"an object", text, configured(`{"a":1}`), "", `expected a text, got {"a":1} from the configuration`, "", ""},
		{"broken JSON", text, configured(`"a`), "", `expected a text, got "a from the configuration`, "", ""},
		{"a secret of another type", wire.Setting{Type: "number", Secret: true, Env: "V"}, fromEnv("hunter2"), "", "setting ext.x: expected a number, got another value from the variable V", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			r := resolveSettings(t.Context(), "ext", map[string]wire.Setting{"x": tc.setting}, tc.from.make(&asked))
			want := "{}"
			if tc.want != "" {
				want = `{"x":` + tc.want + "}"
			}
			require.Equal(t, want, string(r.Object))
			require.True(t, json.Valid(r.Object))
			if tc.problem == "" {
				require.Empty(t, r.Problems)
			} else {
				require.Len(t, r.Problems, 1)
				require.Contains(t, r.Problems[0], tc.problem)
				require.Contains(t, r.Problems[0], "setting ext.x: ")
				require.NotContains(t, r.Problems[0], "hunter2")
			}
			if tc.use == "" {
				require.Empty(t, r.Uses)
			} else {
				require.Len(t, r.Uses, 1)
				require.Equal(t, tc.use, strings.Join([]string{r.Uses[0].Kind, r.Uses[0].Target, r.Uses[0].Grant}, " "))
				require.False(t, r.Uses[0].Denied)
			}
			require.Equal(t, tc.secret, strings.Join(r.Secrets, " "))
		})
	}
}

func TestSettingsOfSeveralKinds(t *testing.T) {
	t.Parallel()
	declared := map[string]wire.Setting{
		"units": {Type: "string"}, "days": {Type: "number", Default: json.RawMessage("3")},
		"apiKey": {Type: "string", Secret: true}, "token": {Type: "string", Secret: true, Env: "TOKEN"}, "none": {Type: "boolean"},
	}
	var asked []string
	r := resolveSettings(t.Context(), "weather", declared, given{
		configured: map[string]string{"units": `"metric"`, "unknown": `1`, "apiKey": `"in the wrong place"`},
		secrets:    map[string]string{"apiKey": "hunter2"}, env: map[string]string{"TOKEN": "t0ken", "OTHER": "x"},
		granted: map[string]string{"TOKEN": "kept", "OTHER": "kept"},
	}.make(&asked))
	require.Equal(t, `{"apiKey":"hunter2","days":3,"token":"t0ken","units":"metric"}`, string(r.Object))
	require.Equal(t, []string{"hunter2", "t0ken"}, r.Secrets)
	require.Equal(t, []registry.Use{{Kind: "secret", Target: "weather.apiKey", Grant: "rho-ext secret set"}, {Kind: "env", Target: "TOKEN", Grant: "kept"}}, r.Uses)
	require.Equal(t, []string{"secret apiKey", "secret token", "env TOKEN"}, asked, "nothing else is asked for")

	r = resolveSettings(t.Context(), "weather", nil, settingsSources{})
	require.Equal(t, "{}", string(r.Object))
	r = resolveSettings(t.Context(), "weather", declared, settingsSources{})
	require.Equal(t, `{"days":3}`, string(r.Object), "who asks nobody has the defaults")
}

const withSettings = `export default {
  name: "W", settings: { apiKey: { type: "string", secret: true, description: "of your account", env: "W_KEY" }, days: { type: "number", default: 3 } },
  tools: [{ name: "TOOL", description: "d", risk: "read", execute: () => "" }],
};`

func TestTheHostTellsOfSettings(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	root, user := filepath.Join(base, "p"), filepath.Join(base, "user")
	own := filepath.Join(root, ".rho", "extensions")
	for path, tool := range map[string]string{filepath.Join(user, "weather.ts"): "a", filepath.Join(user, "mine.ts"): "b", filepath.Join(own, "weather.ts"): "c", filepath.Join(own, "dir", "mod.ts"): "d"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(withSettings, "TOOL", tool, 1)), 0o600))
	}
	var asked []SettingsKey
	var heard []string
	h, err := New(t.Context(), Options{
		Isolation: InProcess, Root: root, Trusted: true, UserDir: user,
		Settings: func(k SettingsKey) map[string]json.RawMessage {
			asked = append(asked, k)
			return map[string]json.RawMessage{"days": json.RawMessage("5")}
		},
		Secrets: func(_ context.Context, k SettingsKey, name string) (string, bool, error) {
			return fmt.Sprintf("%s of %s", name, k.Scope), true, nil
		},
		OnSecret: func(values ...string) { heard = append(heard, values...) },
	})
	require.NoError(t, err)
	defer h.Close()

	want := []SettingInfo{{Name: "apiKey", Type: "string", Secret: true, Description: "of your account", Env: "W_KEY"}, {Name: "days", Type: "number"}}
	for _, x := range h.Extensions() {
		if x.State == StateShadowed {
			require.Empty(t, x.Settings)
			continue
		}
		require.Equal(t, want, x.Settings, x.ID)
	}
	k, ok := h.SettingsKey("weather")
	require.True(t, ok)
	require.Equal(t, SettingsKey{Scope: ScopeProject, Root: root, Dir: own, Extension: "weather"}, k)
	k, _ = h.SettingsKey("mine")
	require.Equal(t, SettingsKey{Scope: ScopeUser, Root: root, Dir: user, Extension: "mine"}, k)
	k, _ = h.SettingsKey("dir")
	require.Equal(t, filepath.Join(own, "dir"), k.Dir)
	_, ok = h.SettingsKey("nope")
	require.False(t, ok)

	g := h.current("weather")
	r := h.settings(t.Context(), g.source, g.manifest.Settings, nil)
	require.Equal(t, `{"apiKey":"apiKey of project","days":5}`, string(r.Object))
	require.Equal(t, []string{"apiKey of project"}, heard)
	require.Equal(t, ScopeProject, asked[0].Scope)
}
