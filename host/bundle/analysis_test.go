package bundle

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnAnalysisNamesWhatABundleIsMadeOf(t *testing.T) {
	t.Parallel()
	o := project(t, map[string]string{
		"ext/ext.ts":                    `import { big } from "big"; import { b } from "./lib/b"; import { s } from "virtual"; import x from "@org/x/sub.js"; export default [big, b, s, x]`,
		"ext/lib/b.ts":                  `import x from "@org/x/sub.js"; export const b = "bbb" + x`,
		"ext/lib/unused.ts":             `export const no = 1`,
		"node_modules/big/package.json": `{"main":"main.js"}`,
		"node_modules/big/main.js":      `import { more } from "./more.js"; export const big = "` + long + `" + more`,
		"node_modules/big/more.js":      `export const more = "m"`,
		"node_modules/@org/x/sub.js":    `export default "ü"`,
		"node_modules/@org/x/other.js":  `export default 2`,
	})
	o.Modules = map[string]string{"virtual": "export const s = 5"}
	plain, err := Build(o)
	require.NoError(t, err)
	_, err = plain.Analysis()
	require.ErrorContains(t, err, "without details")
	require.Nil(t, plain.Map)

	o.Details = true
	b, err := Build(o)
	require.NoError(t, err)
	require.Equal(t, plain.Script, b.Script, "looking at it changes nothing")
	a, err := b.Analysis()
	require.NoError(t, err)
	require.Equal(t, len(b.Script), a.Bytes)
	var names []string
	sum := 0
	for _, in := range a.Inputs {
		names = append(names, in.Name)
		sum += in.Bytes
	}
	require.ElementsMatch(t, []string{"ext.ts", "lib/b.ts", "rho:virtual", "../node_modules/big/main.js", "../node_modules/big/more.js", "../node_modules/@org/x/sub.js"}, names)
	require.Equal(t, "../node_modules/big/main.js", names[0], "the largest is first")
	require.Less(t, sum, a.Bytes)
	require.Greater(t, sum, len(long))
	require.Equal(t, "big", a.Packages[0].Name)
	require.Equal(t, 2, a.Packages[0].Files)
	require.Equal(t, []string{"ext.ts"}, a.Packages[0].By, "not its own modules")
	require.Equal(t, "@org/x", a.Packages[1].Name)
	require.Equal(t, []string{"ext.ts", "lib/b.ts"}, a.Packages[1].By)

	var m struct {
		Sources        []string
		SourcesContent []string
	}
	require.NoError(t, json.Unmarshal(b.Map, &m))
	require.Len(t, m.SourcesContent, len(m.Sources))
}

const long = "a text that takes more room than all of the other modules of this bundle have together, whatever is put around it by the bundler"

func TestAnAnalysisOfNonsenseIsAnError(t *testing.T) {
	t.Parallel()
	for _, meta := range []string{"", "{", "{}", "[]", `{"outputs":{}}`, `{"outputs":{"ext.js":7}}`} {
		_, err := (&Bundle{Meta: []byte(meta)}).Analysis()
		require.Error(t, err, meta)
	}
	a, err := (&Bundle{Meta: []byte(`{"outputs":{"ext.js":{"inputs":{"a/node_modules/":{"bytesInOutput":-1},"node_modules/@x":{},"b":{}}}}}`)}).Analysis()
	require.NoError(t, err)
	require.Len(t, a.Inputs, 3)
}
