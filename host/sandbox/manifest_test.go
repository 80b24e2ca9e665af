package sandbox_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
)

// manifest makes a module whose manifest has one member more, on line 3.
func manifest(member string) map[string]string {
	return map[string]string{"ext.ts": "export default {\n  name: 'x', tools: [],\n  " + member + ",\n}"}
}

func TestPermissionsAndSettingsAreTakenAsWritten(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		member      string
		permissions *wire.Permissions
		settings    map[string]wire.Setting
	}{
		"nothing said":  {"version: '1'", nil, nil},
		"an empty list": {"permissions: {}", &wire.Permissions{}, nil},
		"every list": {`permissions: { net: ["api.github.com", "*.example.org:8443"], read: ["."], write: ["./out"], run: ["git"], env: ["GITHUB_TOKEN"], tools: ["read_file"], hooks: ["tool_call"] }`,
			&wire.Permissions{Net: []string{"api.github.com", "*.example.org:8443"}, Read: []string{"."}, Write: []string{"./out"}, Run: []string{"git"},
				Env: []string{"GITHUB_TOKEN"}, Tools: []string{"read_file"}, Hooks: []string{"tool_call"}}, nil},
		"to read nothing is said": {"permissions: { read: [], net: undefined }", &wire.Permissions{Read: []string{}}, nil},
		"no settings":             {"settings: {}", nil, nil},
		"settings of each type": {`settings: { key: { type: "string", secret: true, env: "KEY_1" }, limit: { type: "number", default: 0.5, description: "d" }, on: { type: "boolean", default: false } }`, nil,
			map[string]wire.Setting{
				"key":   {Type: "string", Secret: true, Env: "KEY_1"},
				"limit": {Type: "number", Default: json.RawMessage("0.5"), Description: "d"},
				"on":    {Type: "boolean", Default: json.RawMessage("false")},
			}},
		"the name of a setting is no member of every object": {`settings: { constructor: { type: "string", default: "" } }`, nil,
			map[string]wire.Setting{"constructor": {Type: "string", Default: json.RawMessage(`""`)}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := mustLoad(t, manifest(tt.member))
			require.Equal(t, tt.permissions, r.man.Permissions)
			if len(tt.settings) == 0 {
				require.Empty(t, r.man.Settings)
			} else {
				require.Equal(t, tt.settings, r.man.Settings)
			}
		})
	}
}

func TestBadPermissionsAndSettingsFailWithMessageAndPlace(t *testing.T) {
	t.Parallel()
	const permissionsHint = `write permissions: { net: ["api.github.com"] }`
	const settingsHint = `write settings: { apiKey: { type: "string", secret: true } }`
	for member, want := range map[string][2]string{
		`permissions: null`:                                               {"permissions must be an object, got null", permissionsHint},
		`permissions: ["net"]`:                                            {"permissions must be an object, got an array", permissionsHint},
		`permissions: "net"`:                                              {`permissions must be an object, got "net"`, permissionsHint},
		`permissions: { network: ["h"] }`:                                 {`permissions has no "network"; expected net, read, write, run, env, tools, hooks`, permissionsHint},
		`permissions: { constructor: [] }`:                                {`permissions has no "constructor"; expected net, read, write, run, env, tools, hooks`, permissionsHint},
		`permissions: { net: "h" }`:                                       {`permissions.net must be an array of at most 1000 texts, got "h"`, `write net: ["api.github.com"]`},
		`permissions: { net: true }`:                                      {`permissions.net must be an array of at most 1000 texts, got true`, `write net: ["api.github.com"]`},
		`permissions: { read: new Array(1001) }`:                          {`permissions.read must be an array of at most 1000 texts, got 1001`, `write read: ["."]`},
		`permissions: { run: ["git", ""] }`:                               {`permissions.run[1] must be a non-empty string, got ""`, `write run: ["git"]`},
		`permissions: { env: [/TOKEN/] }`:                                 {`permissions.env[0] must be a non-empty string, got an object`, `write env: ["GITHUB_TOKEN"]`},
		`permissions: { write: [undefined] }`:                             {`permissions.write[0] must be a non-empty string, got nothing`, `write write: ["./out"]`},
		`settings: []`:                                                    {"settings must be an object, got an array", settingsHint},
		`settings: 5`:                                                     {"settings must be an object, got 5", settingsHint},
		`settings: { "a b": { type: "string" } }`:                         {"settings.a b: the name must have 1–64 letters, digits, _ or -, starting with a letter or _", settingsHint},
		`settings: { a: "string" }`:                                       {`settings.a: must be an object, got "string"`, settingsHint},
		`settings: { a: [] }`:                                             {`settings.a: must be an object, got an array`, settingsHint},
		`settings: { a: {} }`:                                             {`settings.a: type must be "string", "number" or "boolean", got nothing`, settingsHint},
		`settings: { a: { type: "int" } }`:                                {`settings.a: type must be "string", "number" or "boolean", got "int"`, settingsHint},
		`settings: { a: { type: "number", default: "5" } }`:               {`settings.a: the default must be a number, got "5"`, settingsHint},
		`settings: { a: { type: "number", default: NaN } }`:               {`settings.a: the default must be finite`, settingsHint},
		`settings: { a: { type: "string", default: null } }`:              {`settings.a: the default must be a string, got null`, settingsHint},
		`settings: { a: { type: "string", secret: true, default: "x" } }`: {`settings.a: a secret has no default`, settingsHint},
		`settings: { a: { type: "string", secret: "yes" } }`:              {`settings.a: secret must be true or false, got "yes"`, settingsHint},
		`settings: { a: { type: "boolean", secret: true } }`:              {`settings.a: a secret has the type "string"`, settingsHint},
		`settings: { a: { type: "string", description: 5 } }`:             {`settings.a: description must be a string, got 5`, settingsHint},
		`settings: { a: { type: "string", env: "A-B" } }`:                 {`settings.a: env must name a variable, got "A-B"`, settingsHint},
		`settings: { a: { type: "string", env: ["A"] } }`:                 {`settings.a: env must name a variable, got an array`, settingsHint},
		`settings: Object.fromEntries(Array.from({ length: 201 }, (_, i) => ["a" + i, { type: "string" }]))`: {
			"settings has 201 members, at most 200 are possible", settingsHint},
	} {
		t.Run(member, func(t *testing.T) {
			t.Parallel()
			_, f := load(t, manifest(member))
			require.NotNil(t, f)
			require.Equal(t, wire.StageManifest, f.Stage)
			require.Equal(t, want[0], f.Message)
			require.Equal(t, want[1], f.Hint)
			require.Equal(t, "ext.ts:3:3", fmt.Sprintf("%s:%d:%d", f.Position.File, f.Position.Line, f.Position.Column))
		})
	}
}

func TestAThrowingGetterInPermissionsIsAFailureOfTheManifest(t *testing.T) {
	t.Parallel()
	_, f := load(t, manifest(`permissions: { get net() { throw new RangeError("mine") } }`))
	require.NotNil(t, f)
	require.Contains(t, f.Message, "mine")
	require.Equal(t, 3, f.Position.Line)
}
