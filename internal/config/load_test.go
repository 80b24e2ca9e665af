package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/config"
	"github.com/rho-ext/rho-ext/internal/frame"
	"github.com/rho-ext/rho-ext/internal/suggest"
)

// place is a home and a project with a configuration each; "" means no file.
func place(t testing.TB, user, project string) config.Options {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	o := config.Options{Home: filepath.Join(dir, "home"), Root: filepath.Join(dir, "p"), Suggest: suggest.First, Frame: frame.Draw}
	for path, text := range map[string]string{filepath.Join(o.Home, "config.toml"): user, filepath.Join(o.Root, ".rho", "config.toml"): project} {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if text != "" {
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		}
	}
	return o
}

func load(t testing.TB, user, project string) (*config.Config, []config.Warning) {
	t.Helper()
	c, w, err := config.Load(place(t, user, project))
	require.NoError(t, err)
	return c, w
}

// value gives the effective values of a key, joined.
func value(c *config.Config, key string) string {
	var out []string
	for _, v := range c.Explain() {
		if v.Key == key {
			out = append(out, v.Value)
		}
	}
	return strings.Join(out, ", ")
}

func TestWithoutAnyFileTheDefaultsHold(t *testing.T) {
	t.Parallel()
	c, warnings := load(t, "", "")
	require.Empty(t, warnings)
	require.Equal(t, config.Default().Explain(), c.Explain())
	for _, v := range c.Explain() {
		require.Equal(t, config.Origin{Source: config.FromDefault}, v.Origin)
	}
	require.Equal(t, config.Approval{Read: "auto", Write: "ask", Network: "ask", Destructive: "ask"}, c.Approval)
	require.Equal(t, 30*time.Second, c.Sandbox.CallTimeout)
	require.Len(t, c.Files(), 2)
	c, _, err := config.Load(config.Options{})
	require.NoError(t, err)
	require.Empty(t, c.Files())
}

func TestEveryKeyOfTheUsersFile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, key, want string }{
		{"[approval]\nread = 'ask'", "approval.read", "ask"},
		{"[approval]\nwrite = 'auto'", "approval.write", "auto"},
		{"[approval]\nnetwork = 'deny'", "approval.network", "deny"},
		{"[approval]\ndestructive = 'auto'", "approval.destructive", "auto"},
		{"approval.read = 'deny'", "approval.read", "deny"},
		{"approval = { read = 'deny' }", "approval.read", "deny"},
		{"[approval.per_tool]\nread_file = 'deny'", "approval.per_tool.read_file", "deny"},
		{"[approval.per_tool]\n'git_*' = 'ask'", "approval.per_tool.git_*", "ask"},
		{"[[approval.rule]]\naction = 'deny'\ntool = 'bash'\narg = 'command'\nmatch = 'rm -rf'", "approval.rule", "deny tool=bash arg=command match=rm -rf"},
		{"[[approval.rule]]\naction = 'ask'\nowner = 'x*'\neffects = ['run', 'net', 'run']", "approval.rule", "ask effects=net,run owner=x*"},
		{"[[approval.rule]]\naction = 'ask'\n[[approval.rule]]\naction = 'deny'", "approval.rule", "ask, deny"},
		{"[extensions]\nenabled = ['a', 'b', 'a']", "extensions.enabled", "a, b"},
		{"[extensions]\ndisabled = ['a']", "extensions.disabled", "a"},
		{"[extensions]\ndirs = ['/abs']", "extensions.dirs", "/abs"},
		{"[shell]\ndenied_commands = ['curl']", "shell.denied_commands", "curl"},
		{"[shell]\ndenied_flag_combos = [['-r', '-f'], ['--force']]", "shell.denied_flag_combos", "-r -f, --force"},
		{"[sandbox]\nisolation = 'process'", "sandbox.isolation", "process"},
		{"[sandbox]\ncall_timeout = '90s'", "sandbox.call_timeout", "1m30s"},
		{"[sandbox]\nload_timeout = '2h'", "sandbox.load_timeout", "2h"},
		{"[network]\nproxy = 'http://proxy.test:3128'", "network.proxy", "http://proxy.test:3128"},
		{"[network]\nproxy = 'socks5h://me:s3cret@[::1]:1080/'", "network.proxy", "socks5h://*********@[::1]:1080/"},
		{"[network]\nproxy = 'environment'", "network.proxy", "environment"},
		{"[network]\nproxy = ''", "network.proxy", ""},
		{"[network]\nno_proxy = ['a.test', '.b.test:80', '10.0.0.0/8', '*']", "network.no_proxy", "a.test, .b.test:80, 10.0.0.0/8, *"},
		{"[network]\nca_files = ['/etc/own.pem']", "network.ca_files", "/etc/own.pem"},
		{"[redaction]\nenabled = false", "redaction.enabled", "false"},
		{"[redaction]\ncustom_patterns = ['ACME-\\d+']", "redaction.custom_patterns", `ACME-\d+`},
		{"[memory]\nenabled = true", "memory.enabled", "true"},
		{"[log]\nlevel = 'off'", "log.level", "off"},
		{"[log]\nsession = false", "log.session", "false"},
		{"[log]\nmax_bytes = 1_000_000", "log.max_bytes", "1000000"},
		{"[secrets]\nstore = 'file'", "secrets.store", "file"},
		{"[settings.weather]\nunits = 'metric'", "settings.weather.units", "(a string)"},
		{"settings.weather.days = 3", "settings.weather.days", "(a number)"},
		{"settings = { 'a b' = { x = true } }", `settings."a b".x`, "(a boolean)"},
		{"\ufeff[log]\r\nlevel = 'warn'\r\n", "log.level", "warn"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && (tc.key == "extensions.dirs" || tc.key == "network.ca_files") {
				t.Skip("another form of absolute paths")
			}
			c, warnings := load(t, tc.text, "")
			require.Empty(t, warnings)
			require.Equal(t, tc.want, value(c, tc.key))
			for _, v := range c.Explain() {
				if v.Key == tc.key {
					require.Equal(t, config.FromUser, v.Origin.Source)
					require.NotZero(t, v.Origin.Line)
				} else {
					require.Equal(t, config.FromDefault, v.Origin.Source, v.Key)
				}
			}
		})
	}
}

func TestWhatIsWrongIsToldWithItsPlace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"[aproval]\n", `1:2: unknown key "aproval" (did you mean "approval"?)`},
		{"[approval]\n\nwrit = 'ask'", `3:1: unknown key "approval.writ" (did you mean "approval.write"?)`},
		{"[approval]\nreed.x = 'ask'", `2:1: unknown key "approval.reed" (did you mean "approval.read"?)`},
		{"level = 'info'", `1:1: unknown key "level" (did you mean "log.level"?)`},
		{"[zzz]\n", `1:2: unknown key "zzz"; known are approval, extensions, shell, sandbox, network, redaction, memory, log, secrets, settings`},
		{"[memory]\nqqqqqq = 1", `2:1: unknown key "memory.qqqqqq"; known are enabled`},
		{"[[approval.rule]]\naction = 'ask'\ntools = 'x'", `3:1: unknown key "approval.rule.tools" (did you mean "approval.rule.tool"?)`},
		{"[approval]\nwrite = 'always'", `2:9: approval.write: expected "auto", "ask" or "deny", got "always"`},
		{"[approval]\nwrite = true", `2:9: approval.write: expected "auto", "ask" or "deny", got true`},
		{"approval = 3", `1:1: approval: expected a table, [approval], got 3`},
		{"[[approval]]\nread = 'ask'", `1:3: approval: expected a table, [approval], got a list`},
		{"[approval]\nper_tool = 'ask'", `2:12: approval.per_tool: expected a table of tools, got "ask"`},
		{"[approval.per_tool]\nx = 1", `2:5: approval.per_tool.x: expected "auto", "ask" or "deny", got 1`},
		{"[approval.per_tool]\n'[' = 'ask'", `2:1: approval.per_tool: "[" is no pattern: expected a name in which * stands for any text and ? for one character`},
		{"[approval.per_tool]\n'' = 'ask'", `2:1: approval.per_tool: expected the name of a tool, got an empty one`},
		{"[approval]\nrule = { action = 'ask' }", `2:8: approval.rule: expected tables, [[approval.rule]], got a table`},
		{"[approval]\nrule = ['ask']", `2:9: approval.rule: expected tables, [[approval.rule]], got "ask" as item 1`},
		{"[approval]\nrule = [{ action = 'no' }]", `2:20: approval.rule.action: expected "auto", "ask" or "deny", got "no"`},
		{"[[approval.rule]]\ntool = 'x'", `1:12: approval.rule: action is missing: expected "auto", "ask" or "deny"`},
		{"[[approval.rule]]\naction = 'ask'\n[[approval.rule]]\naction = 'ask'\narg = 'x'", `5:1: approval.rule: arg needs match, the pattern of the argument`},
		{"[[approval.rule]]\naction = 'ask'\n[[approval.rule]]\nowner = 'x'", `3:12: approval.rule: action is missing`},
		{"[[approval.rule]]\naction = 'ask'\nmatch = 'x'", `3:1: approval.rule: match needs arg, the name of an argument`},
		{"[[approval.rule]]\naction = 'ask'\neffects = ['read', 'network']", `3:20: approval.rule.effects: expected "read", "write", "net" or "run", got "network"`},
		{"[[approval.rule]]\naction = 'ask'\neffects = []", `3:1: approval.rule.effects: expected a list with "read", "write", "net" or "run", got an empty list`},
		{"[[approval.rule]]\naction = 'ask'\ntool = ''", `3:8: approval.rule.tool: expected a text, got ""`},
		{"[[approval.rule]]\naction = 'ask'\nowner = '['", `3:9: approval.rule.owner: "[" is no pattern: expected a name in which * stands for any text and ? for one character`},
		{"[extensions]\nenabled = 'a'", `2:11: extensions.enabled: expected a list of texts such as ["a", "b"], got "a"`},
		{"[extensions]\nenabled = ['a',\n  3]", `3:3: extensions.enabled: expected a list of texts such as ["a", "b"], got 3 as item 2`},
		{"[extensions]\ndisabled = ['a', '']", `2:18: extensions.disabled: item 2 is empty`},
		{"[shell]\ndenied_flag_combos = ['-r']", `2:23: shell.denied_flag_combos: expected a list of lists such as [["--recurse", "--force"]], got "-r" as item 1`},
		{"[shell]\ndenied_flag_combos = [[]]", `2:1: shell.denied_flag_combos: expected a list of lists such as [["--recurse", "--force"]], got an empty list as item 1`},
		{"[sandbox]\ncall_timeout = 30", `2:16: sandbox.call_timeout: expected a duration such as "30s" or "1m30s", got 30`},
		{"[sandbox]\ncall_timeout = '-1s'", `2:16: sandbox.call_timeout: expected a duration such as "30s" or "1m30s", got "-1s"`},
		{"[sandbox]\nload_timeout = '0s'", `2:16: sandbox.load_timeout: expected a duration such as "30s" or "1m30s", got "0s"`},
		{"[sandbox]\nisolation = 'none'", `2:13: sandbox.isolation: expected "in-process" or "process", got "none"`},
		{"[network]\nproxy = 3128", `2:9: network.proxy: expected a URL such as "http://proxy.example:3128" or "socks5://127.0.0.1:1080", or "environment", got 3128`},
		{"[network]\nproxy = 'proxy.test:3128'", `2:9: network.proxy: expected a URL such as "http://proxy.example:3128" or "socks5://127.0.0.1:1080", or "environment", got no such URL`},
		{"[network]\nproxy = 'http://me:s3cret@:3128'", `or "environment", got a URL without host`},
		{"[network]\nproxy = 'ftp://me:s3cret@proxy.test'", `or "environment", got no such URL`},
		{"[network]\nproxy = 'http://me:s3c/ret@proxy.test'", `or "environment", got no such URL`},
		{"[network]\nproxy = 'http://me:s3c%ret@proxy.test'", `or "environment", got no such URL`},
		{"[network]\nproxy = 'http://me:s3cret@proxy.test/x'", `or "environment", got a URL with a path`},
		{"[network]\nproxy = http://me:s3cret@proxy.test", `2:9: `},
		{"[network]\nproxy = 'http://me:s3cret@proxy.test'\nprox = 1", `3:1: unknown key "network.prox" (did you mean "network.proxy"?)`},
		{"[network]\nno_proxy = ['a.test', 'http://me:s3cret@b.test']", `2:23: network.no_proxy: "http://*********@b.test" is no host: expected one such as example.org, .example.org, 10.0.0.0/8 or *`},
		{"[network]\nca_files = 'x'", `2:12: network.ca_files: expected a list of texts such as ["a", "b"], got "x"`},
		{"[redaction]\nenabled = 'false'", `2:11: redaction.enabled: expected true or false, got "false"`},
		{"[redaction]\ncustom_patterns = ['ok', 'a(b']", "2:26: redaction.custom_patterns: \"a(b\" is no regular expression in Go's syntax: missing closing ): `a(b`"},
		{"[redaction]\ncustom_patterns = ['a*']", `2:20: redaction.custom_patterns: "a*" matches the empty text, so it would match everywhere`},
		{"[log]\nmax_bytes = 1", `2:13: log.max_bytes: expected a whole number from 65536 to 1073741824, got 1`},
		{"[log]\nmax_bytes = 1e6", `2:13: log.max_bytes: expected a whole number from 65536 to 1073741824, got 1e+06`},
		{"[log]\nlevel = 1979-05-27", `2:9: log.level: expected "off", "error", "warn", "info" or "debug", got a date or time`},
		{"[secrets]\nstore = 'keychain'", `2:9: secrets.store: expected "auto" or "file", got "keychain"`},
		{"[secrets]\nstor = 'file'", `2:1: unknown key "secrets.stor" (did you mean "secrets.store"?)`},
		{"[setings.x]\ny = 1", `1:2: unknown key "setings" (did you mean "settings"?)`},
		{"settings = 'hunter2'", `1:1: settings: expected a table, [settings], got a text`},
		{"[[settings]]\nx = 1", `1:3: settings: expected a table, [settings], got a list`},
		{"[settings]\nweather = 'hunter2'", `2:1: settings.weather: expected a table with the settings of one extension, such as [settings.weather], got a text`},
		{"[settings]\nweather = 7", `got another value`},
		{"[settings.'']\nx = 1", `1:11: settings: expected the id of an extension, got an empty one`},
		{"[settings.weather]\n'a b' = 1", `2:1: settings.weather: expected the name of a setting, with 1–64 letters, digits, _ or -, starting with a letter`},
		{"[settings.weather]\nx = ['hunter2']", `2:1: settings.weather.x: expected a text, a number, true or false, got a list`},
		{"[settings.weather.x]\ny = 1", `settings.weather.x: expected a text, a number, true or false, got a table`},
		{"[settings.weather]\nx = inf", `2:5: settings.weather.x: expected a text, a number, true or false, got a number that is not finite`},
		{"[settings.weather]\nx = nan", `2:5: settings.weather.x: expected a text, a number, true or false, got a number that is not finite`},
		{"[settings.weather]\nx = 1979-05-27", `2:5: settings.weather.x: expected a text, a number, true or false, got a date or time`},
		{"[log]\nlevel = \n", `2:9: `},
		{"[log]\nlevel = 'info'\nlevel = 'warn'", `3:1: key level is already defined`},
		{"'é' = { 'ü' = nope }", `1:15: expected a value; text stands in quotes, such as "debug"`},
		{"[log]\nlevel = \"\xff\"", `2:10: invalid UTF-8`},
		{"a" + strings.Repeat(".a", 10) + " = 1", `1:17: a key of more than 8 parts`},
		{"a = " + strings.Repeat("[", 20) + strings.Repeat("]", 20), `a value that is nested more than 8 deep`},
		{"[extensions]\nenabled = [" + strings.Repeat("'a',", 1001) + "]", `2:1: extensions.enabled: 1001 items, which is more than 1000`},
	} {
		for _, whose := range []string{"user", "project"} {
			t.Run(whose+" "+tc.text[:min(len(tc.text), 40)], func(t *testing.T) {
				t.Parallel()
				user, project := tc.text, ""
				if whose == "project" {
					user, project = project, user
				}
				o := place(t, user, project)
				c, _, err := config.Load(o)
				require.Nil(t, c)
				var e *config.Error
				require.ErrorAs(t, err, &e)
				file := ".rho/config.toml"
				if whose == "user" {
					file = filepath.Join(o.Home, "config.toml")
				}
				require.Equal(t, file, e.Problems[0].File)
				require.Contains(t, e.Problems[0].String(), tc.want)
				require.True(t, strings.HasPrefix(err.Error(), file+":"), err)
				require.Contains(t, err.Error(), "\n  > ", "the lines around it are shown")
				require.NotContains(t, err.Error(), "s3c", "a password is shown")
			})
		}
	}
}

func TestAllThatIsWrongIsToldAtOnce(t *testing.T) {
	t.Parallel()
	_, _, err := config.Load(place(t, "[log]\nlevel = 1\nsession = 2\nmax_bytes = 3\nx = 4\ny = 5\nz = 6\n[memory]\nenabled = 7\n", ""))
	var e *config.Error
	require.ErrorAs(t, err, &e)
	require.Len(t, e.Problems, 7)
	for i, p := range e.Problems[1:] {
		require.GreaterOrEqual(t, p.Line, e.Problems[i].Line)
	}
	require.Contains(t, err.Error(), "\nand 2 more")
}

// TestAProjectMayOnlyNarrow holds one row per rule and direction. A row without
// why is taken, the others are ignored with a warning.
func TestAProjectMayOnlyNarrow(t *testing.T) {
	t.Parallel()
	const only, not = "may only narrow", "may not set it"
	for _, tc := range []struct{ name, user, project, key, want, why string }{
		{"ask for reads", "", "approval.read = 'ask'", "approval.read", "ask", ""},
		{"deny writes", "", "approval.write = 'deny'", "approval.write", "deny", ""},
		{"run writes", "", "approval.write = 'auto'", "approval.write", "ask", only},
		{"ask where it is denied", "approval.network = 'deny'", "approval.network = 'ask'", "approval.network", "deny", only},
		{"the same", "approval.destructive = 'auto'", "approval.destructive = 'auto'", "approval.destructive", "auto", ""},
		{"deny a tool", "approval.per_tool.x = 'auto'", "approval.per_tool.x = 'deny'", "approval.per_tool.x", "auto, deny", ""},
		{"ask for a tool", "", "approval.per_tool.x = 'ask'", "approval.per_tool.x", "ask", ""},
		{"ask for a tool that runs", "approval.destructive = 'deny'\napproval.per_tool.x = 'auto'", "approval.per_tool.x = 'ask'", "approval.per_tool.x", "auto, ask", ""},
		{"run a tool", "", "approval.per_tool.x = 'auto'", "approval.per_tool.x", "", "but not auto"},
		{"run what the user runs", "approval.per_tool.x = 'auto'", "approval.per_tool.x = 'auto'", "approval.per_tool.x", "auto", ""},
		{"ask for a denied tool", "approval.per_tool.x = 'deny'", "approval.per_tool.x = 'ask'", "approval.per_tool.x", "deny", "says deny to the same calls"},
		{"ask where the default is deny", "approval.destructive = 'deny'", "approval.per_tool.x = 'ask'", "approval.per_tool.x", "", "ask allows more than deny"},
		{"deny where the default is deny", "approval.destructive = 'deny'", "approval.per_tool.x = 'deny'", "approval.per_tool.x", "deny", ""},
		{"its own deny and ask", "", "approval.write = 'deny'\napproval.per_tool.x = 'ask'", "approval.per_tool.x", "ask", ""},
		{"a rule that denies", "", "[[approval.rule]]\naction = 'deny'\neffects = ['run']", "approval.rule", "deny effects=run", ""},
		{"a rule that runs", "", "[[approval.rule]]\naction = 'auto'\neffects = ['run']", "approval.rule", "", "but not auto"},
		{"a rule over the user's", "[[approval.rule]]\naction = 'auto'\ntool = 'x'", "[[approval.rule]]\naction = 'ask'\ntool = 'x'", "approval.rule", "auto tool=x, ask tool=x", ""},
		{"fewer extensions", "", "extensions.enabled = ['a']", "extensions.enabled", "a", ""},
		{"fewer of those enabled", "extensions.enabled = ['a', 'b']", "extensions.enabled = ['b']", "extensions.enabled", "b", ""},
		{"more than those enabled", "extensions.enabled = ['a', 'b']", "extensions.enabled = ['b', 'c']", "extensions.enabled", "b", `"c" is not among`},
		{"others than those enabled", "extensions.enabled = ['a', 'b']", "extensions.enabled = ['c']", "extensions.disabled", "a, b", `"c" is not among`},
		{"all of those enabled", "extensions.enabled = ['a', 'b']", "extensions.enabled = []", "extensions.enabled", "a, b", ""},
		{"one that is disabled", "extensions.disabled = ['a']", "extensions.enabled = ['a']", "extensions.disabled", "a", `"a" is disabled by your own`},
		{"disable more", "extensions.disabled = ['a']", "extensions.disabled = ['b', 'a']", "extensions.disabled", "a, b", ""},
		{"disable none", "extensions.disabled = ['a']", "extensions.disabled = []", "extensions.disabled", "a", ""},
		{"further folders", "", "extensions.dirs = ['x']", "extensions.dirs", "[]", not},
		{"deny commands", "shell.denied_commands = ['a']", "shell.denied_commands = ['b']", "shell.denied_commands", "a, b", ""},
		{"allow commands", "shell.denied_commands = ['a']", "shell.denied_commands = []", "shell.denied_commands", "a", ""},
		{"deny flags", "", "shell.denied_flag_combos = [['-r', '-f']]", "shell.denied_flag_combos", "-r -f", ""},
		{"isolate more", "sandbox.isolation = 'in-process'", "sandbox.isolation = 'process'", "sandbox.isolation", "process", ""},
		{"isolate less", "sandbox.isolation = 'process'", "sandbox.isolation = 'in-process'", "sandbox.isolation", "process", only},
		{"shorter calls", "", "sandbox.call_timeout = '5s'", "sandbox.call_timeout", "5s", ""},
		{"longer calls", "", "sandbox.call_timeout = '31s'", "sandbox.call_timeout", "30s", only},
		{"shorter loading", "", "sandbox.load_timeout = '1s'", "sandbox.load_timeout", "1s", ""},
		{"longer loading", "sandbox.load_timeout = '1s'", "sandbox.load_timeout = '2s'", "sandbox.load_timeout", "1s", only},
		{"a proxy", "", "network.proxy = 'http://me:s3cret@evil.test'", "network.proxy", "", not},
		{"the environment's proxy", "", "network.proxy = 'environment'", "network.proxy", "", not},
		{"another proxy", "network.proxy = 'http://a.test'", "network.proxy = 'http://evil.test'", "network.proxy", "http://a.test", not},
		{"no proxy", "network.proxy = 'http://a.test'", "network.proxy = ''", "network.proxy", "http://a.test", not},
		{"around the proxy", "", "network.no_proxy = ['*']", "network.no_proxy", "[]", not},
		{"another authority", "", "network.ca_files = ['evil.pem']", "network.ca_files", "[]", not},
		{"redact", "redaction.enabled = false", "redaction.enabled = true", "redaction.enabled", "true", ""},
		{"do not redact", "", "redaction.enabled = false", "redaction.enabled", "true", only},
		{"redact more", "redaction.custom_patterns = ['a']", "redaction.custom_patterns = ['b']", "redaction.custom_patterns", "a, b", ""},
		{"forget", "memory.enabled = true", "memory.enabled = false", "memory.enabled", "false", ""},
		{"remember", "", "memory.enabled = true", "memory.enabled", "false", only},
		{"say more", "", "log.level = 'debug'", "log.level", "debug", ""},
		{"say less", "", "log.level = 'off'", "log.level", "info", only},
		{"keep a session log", "log.session = false", "log.session = true", "log.session", "true", ""},
		{"keep no session log", "", "log.session = false", "log.session", "true", only},
		{"a larger log", "", "log.max_bytes = 100_000_000", "log.max_bytes", "10485760", not},
		{"secrets in a file", "", "secrets.store = 'file'", "secrets.store", "auto", not},
		{"secrets in the keychain", "secrets.store = 'file'", "secrets.store = 'auto'", "secrets.store", "file", not},
		{"a setting", "", "settings.weather.units = 'metric'", "settings.weather.units", "(a string)", ""},
		{"the same setting", "settings.weather.units = 'metric'", "settings.weather.units = 'metric'", "settings.weather.units", "(a string)", ""},
		{"a smaller log", "", "log.max_bytes = 100_000", "log.max_bytes", "10485760", not},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := place(t, tc.user, "# one line before\n"+tc.project)
			c, warnings, err := config.Load(o)
			require.NoError(t, err)
			require.Equal(t, tc.want, value(c, tc.key))
			if tc.why == "" {
				require.Empty(t, warnings)
				return
			}
			require.Len(t, warnings, 1)
			w := warnings[0]
			require.Contains(t, w.Why, tc.why)
			require.NotContains(t, w.String(), "s3cret")
			require.Contains(t, w.Why, "only your own configuration may, "+filepath.Join(o.Home, "config.toml"))
			require.Equal(t, ".rho/config.toml", w.File)
			require.GreaterOrEqual(t, w.Line, 2)
			require.NotZero(t, w.Column)
			require.Contains(t, w.String(), fmt.Sprintf(".rho/config.toml:%d:%d: %s is ignored: ", w.Line, w.Column, w.Key))
		})
	}
}

func TestEveryValueKnowsItsFileAndLine(t *testing.T) {
	t.Parallel()
	o := place(t, "[extensions]\ndisabled = [\n  'a',\n]\n[log]\nlevel = 'warn'\n", "extensions.disabled = ['b']\n\napproval.per_tool.x = 'deny'\n")
	o.Overrides = []config.Override{
		{Key: "sandbox.call_timeout", Value: "2s", Source: config.FromFlag, Name: "--timeout"},
		{Key: "extensions.dirs", Value: "some/where", Source: config.FromFlag, Name: "--extensions"},
	}
	c, _, err := config.Load(o)
	require.NoError(t, err)
	user := filepath.Join(o.Home, "config.toml")
	want := map[string]config.Origin{
		"extensions.disabled=a":      {Source: config.FromUser, File: user, Line: 3},
		"extensions.disabled=b":      {Source: config.FromProject, File: ".rho/config.toml", Line: 1},
		"log.level=warn":             {Source: config.FromUser, File: user, Line: 6},
		"approval.per_tool.x=deny":   {Source: config.FromProject, File: ".rho/config.toml", Line: 3},
		"sandbox.call_timeout=2s":    {Source: config.FromFlag, Name: "--timeout"},
		"extensions.dirs=some/where": {Source: config.FromFlag, Name: "--extensions"},
		"sandbox.isolation=process":  {Source: config.FromDefault},
	}
	last := ""
	for _, v := range c.Explain() {
		require.GreaterOrEqual(t, v.Key, last, "sorted")
		last = v.Key
		if w, ok := want[v.Key+"="+v.Value]; ok {
			require.Equal(t, w, v.Origin)
			delete(want, v.Key+"="+v.Value)
		}
	}
	require.Empty(t, want)
	require.Equal(t, config.FromFlag, c.Origin("sandbox.call_timeout").Source)
	require.Equal(t, []config.File{{Source: config.FromUser, Path: user, Found: true}, {Source: config.FromProject, Path: ".rho/config.toml", Found: true}}, c.Files())
}

func TestOverridesAreTrustedAndChecked(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ key, value, want, err string }{
		{"approval.write", "auto", "auto", ""},
		{"redaction.enabled", "false", "false", ""},
		{"log.max_bytes", "65536", "65536", ""},
		{"sandbox.call_timeout", "1h", "1h", ""},
		{"sandbox.call_timeout", "soon", "", `--x: expected a duration such as "30s" or "1m30s", got "soon"`},
		{"redaction.enabled", "maybe", "", `--x: expected true or false, got "maybe"`},
		{"log.max_bytes", "many", "", `--x: expected a whole number from 65536 to 1073741824, got "many"`},
		{"no.key", "", "", `--x: there is no key "no.key"`},
	} {
		o := place(t, "", "sandbox.call_timeout = '1s'")
		o.Overrides = []config.Override{{Key: tc.key, Value: tc.value, Source: config.FromFlag, Name: "--x"}}
		c, _, err := config.Load(o)
		if tc.err != "" {
			require.EqualError(t, err, tc.err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, tc.want, value(c, tc.key))
	}
}

func TestAFileThatWasNamedIsReadInsteadOfTheUsers(t *testing.T) {
	t.Parallel()
	o := place(t, "broken", "memory.enabled = true")
	o.File = filepath.Join(t.TempDir(), "other.toml")
	_, _, err := config.Load(o)
	require.ErrorContains(t, err, o.File+": cannot read the configuration: ")
	require.NoError(t, os.WriteFile(o.File, []byte("approval.write = 'auto'\nextensions.dirs = ['here', '~/there', '~x']\nnetwork.ca_files = ['own.pem', '~/own.pem']"), 0o600))
	c, warnings, err := config.Load(o)
	require.NoError(t, err)
	require.Equal(t, config.Auto, c.Approval.Write)
	require.Equal(t, config.Origin{Source: config.FromConfig, File: o.File, Line: 1}, c.Origin("approval.write"))
	require.Contains(t, warnings[0].Why, "only your own configuration may, "+o.File)
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	dir := filepath.Dir(o.File)
	require.Equal(t, []string{filepath.Join(dir, "here"), filepath.Join(home, "there"), filepath.Join(dir, "~x")}, c.Extensions.Dirs)
	require.Equal(t, []string{filepath.Join(dir, "own.pem"), filepath.Join(home, "own.pem")}, c.Network.CAFiles)
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, path string){
		"it is no regular file": func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o755)) },
		"it has 1048577 bytes, which is more than 1048576": func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("#", 1<<20+1)), 0o600))
		},
		"permission denied": func(t *testing.T, path string) {
			if os.Getuid() <= 0 {
				t.Skip("may read everything")
			}
			require.NoError(t, os.WriteFile(path, nil, 0o000))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := place(t, "", "")
			spoil(t, filepath.Join(o.Home, "config.toml"))
			_, _, err := config.Load(o)
			require.EqualError(t, err, filepath.Join(o.Home, "config.toml")+": cannot read the configuration: "+name)
			o = place(t, "", "")
			spoil(t, filepath.Join(o.Root, ".rho", "config.toml"))
			_, _, err = config.Load(o)
			require.EqualError(t, err, ".rho/config.toml: cannot read the configuration: "+name)
		})
	}
}

func TestAProjectsFileIsNoLinkOutOfIt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	for name, link := range map[string]func(o config.Options, dir string) error{
		"file": func(_ config.Options, dir string) error {
			return os.Symlink("../../home/config.toml", filepath.Join(dir, "config.toml"))
		},
		"abroad": func(_ config.Options, dir string) error {
			return os.Symlink("/etc/passwd", filepath.Join(dir, "config.toml"))
		},
		"gone": func(_ config.Options, dir string) error {
			return os.Symlink("nowhere", filepath.Join(dir, "config.toml"))
		},
		"folder": func(o config.Options, dir string) error {
			if err := os.Remove(dir); err != nil {
				return err
			}
			return os.Symlink(filepath.Join(o.Home, "sub"), dir)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := place(t, "memory.enabled = true", "")
			require.NoError(t, os.MkdirAll(filepath.Join(o.Home, "sub"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(o.Home, "sub", "config.toml"), nil, 0o600))
			o.Home = filepath.Join(o.Home, "none")
			require.NoError(t, link(config.Options{Home: filepath.Dir(o.Home)}, filepath.Join(o.Root, ".rho")))
			_, _, err := config.Load(o)
			require.ErrorContains(t, err, ".rho/config.toml: cannot read the configuration: ")
		})
	}
	o := place(t, "", "")
	require.NoError(t, os.WriteFile(filepath.Join(o.Root, "shared.toml"), []byte("log.level = 'debug'"), 0o600))
	require.NoError(t, os.Symlink("../shared.toml", filepath.Join(o.Root, ".rho", "config.toml")))
	c, _, err := config.Load(o)
	require.NoError(t, err)
	require.Equal(t, "debug", c.Log.Level)
}

func TestTheHomeDirectoryAsAProjectHasOneFile(t *testing.T) {
	t.Parallel()
	o := place(t, "", "approval.write = 'auto'")
	o.Home = filepath.Join(o.Root, ".rho")
	c, warnings, err := config.Load(o)
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Equal(t, config.Auto, c.Approval.Write)
	require.Len(t, c.Files(), 1)
}

func TestAFileThatWouldBusyTheParserIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	var keys strings.Builder
	for i := range 80_000 {
		fmt.Fprintf(&keys, "k%d=1\n", i)
	}
	for name, text := range map[string]string{
		"keys":     keys.String(),
		"tables":   strings.Repeat("[[approval.rule]]\n", 50_000),
		"parts":    strings.Repeat("a.", 1<<19-4) + "a=1",
		"nested":   "a=" + strings.Repeat("[", 1<<20-2),
		"patterns": "redaction.custom_patterns=[" + strings.Repeat("'x{900}',", 100_000) + "]",
		"items":    "extensions.disabled=[" + strings.Repeat("1,", 500_000) + "]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			_, _, err := config.Load(place(t, "", text))
			require.Error(t, err)
			require.Less(t, len(err.Error()), 4000)
			require.Less(t, time.Since(start), time.Minute) // quadratic work would take hours
		})
	}
}

// TestTheTableHasEveryField finds a field that no key sets.
func TestTheTableHasEveryField(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, k := range config.Keys() {
		known[strings.ReplaceAll(strings.ReplaceAll(k.Name, "_", ""), ".", " ")] = true
	}
	typ := reflect.TypeFor[config.Config]()
	for i := range typ.NumField() {
		section := typ.Field(i)
		if !section.IsExported() || section.Type.Kind() != reflect.Struct { // settings have names of others
			continue
		}
		for j := range section.Type.NumField() {
			name := strings.ToLower(section.Name + " " + section.Type.Field(j).Name)
			if name == "approval rules" {
				name = "approval rule"
			}
			require.True(t, known[name], name)
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, s := range []string{
		"", "[approval]\nread = 'ask'\n[approval.per_tool]\nx = 'auto'\n[[approval.rule]]\naction = 'deny'\narg = 'a'\nmatch = 'b*'\n",
		"[settings.x]\na = 1\n[settings.'y z']\nb = 'c'\n",
		"extensions = { enabled = ['a'], disabled = ['b'], dirs = ['c'] }\n", "[shell]\ndenied_flag_combos = [['a'], [1]]",
		"[sandbox]\ncall_timeout = '1ns'\nisolation = 'process'\n[redaction]\nenabled = false\ncustom_patterns = ['a']\n[memory]\nenabled = true",
		"[log]\nlevel = 'off'\nsession = false\nmax_bytes = 70000", "[network]\nproxy = 'http://u:p@h:1'\nno_proxy = ['*']\nca_files = ['a']", "[[approval.rule]]\n[approval.rule.x]\n[[a.b]]\n[a]\n", "a.b.c = 1\n[a]\nb = 2", "\"\\u0000\" = '''\n'''",
	} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		o := config.Options{Home: filepath.Join(dir, "home"), Root: filepath.Join(dir, "p"), Suggest: suggest.First, Frame: frame.Draw}
		write := func(path string) {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		}
		write(filepath.Join(o.Root, ".rho", "config.toml"))
		c, _, err := config.Load(o)
		if err == nil {
			requireNarrow(t, c)
		}
		// As the user's own it is read the same, and explains itself.
		o.File, o.Root = filepath.Join(dir, "own.toml"), ""
		write(o.File)
		c, warnings, userErr := config.Load(o)
		require.Equal(t, err == nil, userErr == nil)
		if userErr == nil {
			require.Empty(t, warnings)
			require.NotEmpty(t, c.Explain())
		}
	})
}

// requireNarrow checks that c allows no more than the defaults.
func requireNarrow(t *testing.T, c *config.Config) {
	t.Helper()
	d := config.Default()
	for _, a := range []config.Action{c.Approval.Write, c.Approval.Network, c.Approval.Destructive} {
		require.NotEqual(t, config.Auto, a)
	}
	for _, r := range c.Approval.Rules {
		require.NotEqual(t, config.Auto, r.Action)
	}
	require.Empty(t, c.Extensions.Dirs)
	require.Empty(t, c.Network)
	require.LessOrEqual(t, c.Sandbox.CallTimeout, d.Sandbox.CallTimeout)
	require.LessOrEqual(t, c.Sandbox.LoadTimeout, d.Sandbox.LoadTimeout)
	require.Positive(t, c.Sandbox.CallTimeout)
	require.True(t, c.Redaction.Enabled)
	require.False(t, c.Memory.Enabled)
	require.True(t, c.Log.Session)
	require.Contains(t, []string{"info", "debug"}, c.Log.Level)
	require.Equal(t, d.Log.MaxBytes, c.Log.MaxBytes)
}
