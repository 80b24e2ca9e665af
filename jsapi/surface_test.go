package jsapi

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// global is one global as JavaScript sees it.
type global struct {
	Kind    string   `json:"kind"`    // function, class, object
	Members []string `json:"members"` // of the object, or of the class's prototype
	Statics []string `json:"statics"`
}

// walkGlobals looks at every global of a real runtime.
func walkGlobals(t *testing.T) map[string]global {
	t.Helper()
	names, err := json.Marshal(Names())
	require.NoError(t, err)
	out := newRealm(t).eval(`(() => {
		const out = {}, own = (o, skip) => Object.getOwnPropertyNames(o).filter(k => !skip.includes(k)).sort();
		for (const name of ` + string(names) + `) {
			const v = globalThis[name];
			if (typeof v !== "function") out[name] = { kind: "object", members: name === "self" ? [] : [...new Set([...own(v, []), ...(name === "performance" ? own(Object.getPrototypeOf(v), ["constructor"]) : [])])].sort(), statics: [] };
			else if (v.prototype === undefined || own(v.prototype, ["constructor"]).length === 0) out[name] = { kind: "function", members: [], statics: own(v, ["length", "name", "prototype"]) };
			else out[name] = { kind: "class", members: own(v.prototype, ["constructor"]), statics: own(v, ["length", "name", "prototype"]) };
		}
		return JSON.stringify(out);
	})()`).String()
	var globals map[string]global
	require.NoError(t, json.Unmarshal([]byte(out), &globals))
	return globals
}

func TestSurfaceIsAsRecorded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	globals := walkGlobals(t)
	for _, name := range Names() {
		g := globals[name]
		b.WriteString(g.Kind + " " + name + "\n")
		for _, m := range g.Statics {
			b.WriteString("  static " + m + "\n")
		}
		for _, m := range g.Members {
			b.WriteString("  " + m + "\n")
		}
	}
	b.WriteString("module rho-ext\n")
	r, mod := newModule(t)
	for _, name := range exportsOf(t) {
		b.WriteString("  " + name + "\n")
	}
	require.NoError(t, r.vm.Set("m", mod))
	b.WriteString("  s: " + r.eval(`Object.keys(m.s).join(" ")`).String() + "\n")
	b.WriteString("  schema: " + r.eval(`Object.getOwnPropertyNames(Object.getPrototypeOf(m.s.string())).filter(k => k !== "constructor").join(" ")`).String() + "\n")

	b.WriteString("ctx.fs: " + strings.Join(keysOf(t, "fs"), " ") + "\n")
	b.WriteString("ctx.state: " + strings.Join(keysOf(t, "state"), " ") + "\n")

	b.WriteString("module rho-ext/test\n")
	lib := newTestRig(t)
	for _, name := range testExports(t) {
		b.WriteString("  " + name + "\n")
	}
	b.WriteString("  vi: " + lib.eval(`use("testing/vi").names().sort().join(" ")`).String() + "\n")
	b.WriteString("  without: " + lib.eval(`[...use("testing/module").absent(), ...use("testing/vi").absent().map((n) => "vi." + n)].sort().join(" ")`).String() + "\n")

	const golden = "testdata/surface.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(), "run go test -update if this is meant, and mention it in the types")
}

func TestTypesDeclareExactlyWhatExists(t *testing.T) {
	t.Parallel()
	declared := []string{}
	for _, m := range regexp.MustCompile(`(?m)^declare (?:var|const|function) (\w+)`).FindAllStringSubmatch(Types, -1) {
		declared = append(declared, m[1])
	}
	slices.Sort(declared)
	require.Equal(t, Names(), slices.Compact(declared)) // overloads are one name

	constant := regexp.MustCompile(`^[A-Z_]+$`)
	noConstants := func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), constant.MatchString)
	}
	for name, g := range walkGlobals(t) {
		if g.Kind == "function" || name == "self" {
			continue
		}
		members := noConstants(g.Members)
		body, extends := typeBlock(`interface ` + name + `(?:<[^{]*>)?(?: extends (\w+)[^{]*)? \{`)
		if body == "" {
			body, _ = typeBlock(`declare (?:var|const) ` + name + `: \{`)
		} else {
			statics, _ := typeBlock(`declare var ` + name + `: \{`)
			if name == "console" || name == "performance" {
				statics = ""
			}
			require.ElementsMatch(t, noConstants(g.Statics), without(noConstants(membersOf(statics)), "new", "prototype"), "statics of %s", name)
		}
		if name == "console" || name == "performance" {
			body, _ = typeBlock(`interface ` + strings.ToUpper(name[:1]) + name[1:] + ` \{`)
		}
		want := noConstants(membersOf(body))
		if extends == "Body" {
			shared, _ := typeBlock(`interface Body \{`)
			want = append(want, membersOf(shared)...)
		}
		if name == "DOMException" {
			want = without(want, "message") // an own property, as of every error
		}
		require.ElementsMatch(t, members, want, "members of %s", name)
	}

	for member, name := range map[string]string{"fs": "Files", "state": "State"} {
		block, _ := typeBlock(`  export interface ` + name + ` \{`)
		require.ElementsMatch(t, keysOf(t, member), membersOf(block), name)
	}

	require.ElementsMatch(t, exportsOf(t), declaredBy("rho-ext"))
}

// declaredBy lists the values that a module exports, by its types.
func declaredBy(module string) []string {
	_, text, _ := strings.Cut(Types, `declare module "`+module+`" {`)
	text, _, _ = strings.Cut(text, "\n}\n")
	names := []string{}
	for _, m := range regexp.MustCompile(`(?m)^  export (?:const|class|function) (\w+)`).FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// keysOf lists what a member of a real ctx has, in order.
func keysOf(t *testing.T, member string) []string {
	t.Helper()
	r := newRealm(t)
	m, err := r.g.Member(member, r)
	require.NoError(t, err)
	return m.(*goja.Object).Keys()
}

// typeBlock gives the lines of a declaration, and what it extends. head begins
// with the indent.
func typeBlock(head string) (body, extends string) {
	m := regexp.MustCompile(`(?ms)^` + head + `\n(.*?)^ *\};?$`).FindStringSubmatch(Types)
	if m == nil {
		return "", ""
	}
	if len(m) == 3 {
		return m[2], m[1]
	}
	return m[1], ""
}

func membersOf(body string) []string {
	names := []string{}
	indent := body[:len(body)-len(strings.TrimLeft(body, " "))] // deeper ones are members of members
	for _, m := range regexp.MustCompile(`(?m)^`+indent+`(?:readonly )?(\w+)\b`).FindAllStringSubmatch(body, -1) {
		names = append(names, m[1])
	}
	return names
}

func without(names []string, drop ...string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return slices.Contains(drop, n) })
}
