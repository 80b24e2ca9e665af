package jsapi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

// The web-platform-tests data lies beside the project; see README there.
const publicData = "../../shared/data"

func readPublicData(t *testing.T, name string, v any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(publicData, name))
	if os.IsNotExist(err) {
		t.Skipf("public test data is absent: no %s in %s", name, publicData)
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, v))
}

// callJSON calls a function of (string) with a JSON text.
func callJSON(t *testing.T, r *realm, fn string, arg any) string {
	t.Helper()
	b, err := json.Marshal(arg)
	require.NoError(t, err)
	f, ok := goja.AssertFunction(r.eval("(" + fn + ")"))
	require.True(t, ok)
	v, err := f(goja.Undefined(), r.vm.ToValue(string(b)))
	require.NoError(t, err)
	return v.String()
}

func TestPublicURLParsingCases(t *testing.T) {
	t.Parallel()
	const want = 864 // of 869; the rest is spaces at the end of an opaque path, in the parser library
	var raw []json.RawMessage
	readPublicData(t, "urltestdata.json", &raw)
	cases := []json.RawMessage{}
	for _, c := range raw {
		if c[0] == '{' {
			cases = append(cases, c)
		}
	}
	got := callJSON(t, newRealm(t), `json => {
		const bad = [];
		let ok = 0;
		for (const c of JSON.parse(json)) {
			let u;
			try { u = new URL(c.input, c.base ?? undefined) } catch (e) {
				if (!(e instanceof TypeError)) bad.push("no TypeError for " + c.input);
				if (c.failure) ok++; else bad.push("refused " + JSON.stringify(c.input));
				continue;
			}
			if (c.failure) { bad.push("accepted " + JSON.stringify(c.input)); continue }
			const wrong = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"]
				.filter(k => k in c && u[k] !== c[k]);
			if (wrong.length === 0) ok++;
			else bad.push(wrong.map(k => k + ": " + JSON.stringify(c.input) + " gives " + JSON.stringify(u[k]) + ", not " + JSON.stringify(c[k])).join("; "));
		}
		return JSON.stringify({ ok, bad });
	}`, cases)
	requirePinned(t, got, want, len(cases))
}

func TestPublicURLSetterCases(t *testing.T) {
	t.Parallel()
	const want = 266 // of 274; the rest as above
	var groups map[string]json.RawMessage
	readPublicData(t, "setters_tests.json", &groups)
	delete(groups, "comment")
	got := callJSON(t, newRealm(t), `json => {
		const bad = [];
		let ok = 0, all = 0;
		for (const [part, cases] of Object.entries(JSON.parse(json))) {
			for (const c of cases) {
				all++;
				const u = new URL(c.href);
				u[part] = c.new_value;
				const wrong = Object.keys(c.expected).filter(k => u[k] !== c.expected[k]);
				if (wrong.length === 0) ok++;
				else bad.push(part + " of " + c.href + " = " + JSON.stringify(c.new_value) + ": " + wrong.map(k => k + " is " + JSON.stringify(u[k]) + ", not " + JSON.stringify(c.expected[k])).join("; "));
			}
		}
		return JSON.stringify({ ok, all, bad });
	}`, groups)
	requirePinned(t, got, want, 0)
}

// requirePinned compares with the count that is known to pass, so that both a
// loss and a gain are noticed.
func requirePinned(t *testing.T, result string, want, all int) {
	t.Helper()
	var r struct {
		OK, All int
		Bad     []string
	}
	require.NoError(t, json.Unmarshal([]byte(result), &r))
	if all == 0 {
		all = r.All
	}
	for _, b := range r.Bad {
		t.Log(b)
	}
	require.Equal(t, want, r.OK, "of %d", all)
}

func TestAnAbsurdURLIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	require.Equal(t, "false", r.async(`return URL.canParse("http://" + "@".repeat(100000))`))
	require.Equal(t, "false", r.async(`return URL.canParse("/x", "http://" + "@".repeat(100000))`))
	require.Equal(t, "true", r.async(`return URL.canParse("http://h/?" + "@".repeat(100000))`))
}
