package reading_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/reading"
)

func survey(t *testing.T, code string) *reading.Surveyed {
	t.Helper()
	s, f := reading.Parse("x.js", []byte(code), nil)
	require.Nil(t, f, "%+v", f)
	return reading.Survey(s)
}

func TestASurveyNamesGlobalsThatNobodyDeclaresOrAsksFor(t *testing.T) {
	t.Parallel()
	for code, want := range map[string][]string{
		`Intl.NumberFormat();`:                                     {"Intl"},
		`new WeakRef({});`:                                         {"WeakRef"},
		`const f = () => [crypto, Intl];`:                          {"crypto", "Intl"},
		`const Intl = {}; Intl.x();`:                               nil,
		`function f(Intl) { return Intl.x; }`:                      nil,
		`{ let crypto = 1; } crypto.x();`:                          {"crypto"},
		`if (typeof Intl !== "undefined") Intl.x();`:               nil,
		`const has = "Intl" in globalThis; Intl.x();`:              nil,
		`if (globalThis.Intl) Intl.x();`:                           nil,
		`globalThis.Intl = {}; Intl.x();`:                          nil,
		`try { Intl.x(); } catch { }`:                              nil,
		`try { a(); } catch { Intl.x(); } function a() {}`:         {"Intl"},
		`import_x.Intl; const import_x = {};`:                      nil,
		`const o = { Intl: 1, crypto() {} }; o.Intl; o.crypto();`:  nil,
		`class A { Intl = 1; m() { return this.Intl; } } new A();`: nil,
		`label: for (;;) break label;`:                             nil,
		`try { } catch (Intl) { Intl.x(); }`:                       nil,
		`const { a: Intl } = f(); Intl.x(); function f() {}`:       nil,
		`for (const Intl of []) Intl.x();`:                         nil,
	} {
		var got []string
		for _, n := range survey(t, code).Globals {
			if n.Name != "globalThis" {
				got = append(got, n.Name)
			}
		}
		assert.ElementsMatch(t, want, got, code)
	}
}

func TestASurveyNamesMembersOfGlobalsThatAreCalled(t *testing.T) {
	t.Parallel()
	for code, want := range map[string][]string{
		`Promise.withResolvers();`: {"Promise.withResolvers"},
		`const w = Promise.withResolvers ?? mine; function mine() {} w();`:                 nil,
		`Promise.withResolvers?.();`:                                                       nil,
		`if (typeof Object.groupBy === "function") Object.groupBy([], f); function f() {}`: nil,
		`Object.groupBy ||= f; Object.groupBy([]); function f() {}`:                        nil,
		`const Promise = { x() {} }; Promise.x();`:                                         nil,
		`process.exit(1);`:                                 {"process.exit"},
		`use(process.argv); function use() {}`:             {"process.argv"},
		`try { Promise.try(f); } catch {} function f() {}`: nil,
	} {
		var got []string
		for _, m := range survey(t, code).Members {
			got = append(got, m.Global+"."+m.Name)
		}
		assert.ElementsMatch(t, want, got, code)
	}
}

func TestASurveyKnowsWhichSettingsMayBeUsed(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		`f({ settings: { days: {} } }); function f() {}`:                                                                     false,
		`f({ settings: { days: {} }, execute: (a, ctx) => ctx.config.days }); function f() {}`:                               true,
		`f({ settings: { days: {} }, execute: (a, { config }) => config["days"] }); function f() {}`:                         true,
		`f({ settings: { days: {} }, execute: (a, { config: { days } }) => days }); function f() {}`:                         true,
		`f({ settings: { days: {} }, execute: (a, { config: c }) => c.days }); function f() {}`:                              true,
		`f({ settings: { days: {} }, execute: (a, ctx) => { const { days: d } = ctx.config; return d; } }); function f() {}`: true,
		`f({ settings: { days: {} }, execute: (a, ctx) => ctx.config.weeks }); function f() {}`:                              false,
	} {
		s := survey(t, code)
		if assert.NotNil(t, s.Names, code) {
			assert.Equal(t, want, s.Names["days"], code)
		}
	}
	for _, code := range []string{
		`f({ execute: (a, ctx) => JSON.stringify(ctx.config) }); function f() {}`,
		`f({ execute: (a, { config }) => Object.keys(config) }); function f() {}`,
		`f({ execute: (a, { config }) => config[a.name] }); function f() {}`,
		`f({ execute: (a, ctx) => { const { x, ...rest } = ctx.config; return rest; } }); function f() {}`,
		`f({ execute: (a, ctx) => { const c = ctx.config; return c[a]; } }); function f() {}`,
	} {
		assert.Nil(t, survey(t, code).Names, code)
	}
}

func TestASurveyNamesWhatIsOutside(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"fetch(`https://a.example.com/x/${1}`);":                    "url https://a.example.com/x/",
		"fetch(`https://${host}/x`); const host = 1;":               "",
		"fetch(`https://a.example.com${path}`); const path = 1;":    "", // may go on with the host's name
		`fetch("https://a.example.com/" + x); const x = 1;`:         "url https://a.example.com/",
		`rho.fetchUrl("https://a.example.com");`:                    "url https://a.example.com",
		`const { KEY } = process.env;`:                              "env KEY",
		`const k = process.env["KEY"];`:                             "env KEY",
		`const process = { env: {} }; process.env.KEY;`:             "",
		`rho.runCommand("git log");`:                                "program git log",
		`const f = (a, ctx) => ctx.exec("git", ["log"]);`:           "program git",
		`const f = (re) => re.exec("git");`:                         "",
		`const f = (a, ctx) => ctx.callTool("read_file", {});`:      "tool read_file",
		`const f = (a, { callTool }) => callTool("read_file", {});`: "tool read_file",
	} {
		got := ""
		for _, x := range survey(t, code).Targets {
			got += x.Kind + " " + x.Name
		}
		assert.Equal(t, want, got, code)
	}
}

func TestTextOnly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		source   string
		declared []string
		hidden   bool
		want     string
	}{
		{`(args) => args.name + args.trim()`, []string{"name"}, true, "args.trim()"},
		{`(args) => args.trim()`, []string{"trim"}, true, ""},
		{`(args) => JSON.parse(args).x`, nil, false, "JSON.parse(args)"},
		{`(args) => [JSON.parse(args).x, args.x]`, nil, true, ""}, // an object gives its text
		{`(args) => typeof args === "string" ? args.trim() : args.x`, nil, true, ""},
		{`(args) => { args = String(args); return args.trim(); }`, nil, true, ""},
		{`(args) => args.list.map((args) => args.trim())`, []string{"list"}, true, ""},
		{`(args) => args.list.map(({ args }) => args.trim())`, []string{"list"}, true, ""},
		{`({ text }) => text.trim()`, []string{"text"}, false, ""},
		{`() => "x".trim()`, nil, false, ""},
	} {
		assert.Equal(t, tt.want, reading.TextOnly(tt.source, tt.declared, tt.hidden), tt.source)
	}
}
