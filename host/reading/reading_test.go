package reading

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
)

func TestToolLiteralsAndTheManifestArePlaced(t *testing.T) {
	t.Parallel()
	s, fail := Parse("x.js", []byte("var a = {\n  name: 'one',\n  risk: 'read',\n  execute() {} };\nvar m = { tools: [a, { name: n, execute: f }] }"), nil)
	require.Nil(t, fail)
	require.Len(t, s.Tools, 2)
	require.Equal(t, "one", s.Tools[0].Name)
	require.Equal(t, wire.Position{File: "x.js", Line: 3, Column: 3}, s.Tools[0].Keys["risk"])
	require.Empty(t, s.Tools[1].Name)
	require.Equal(t, 5, s.Manifest.At.Line)
}

func TestConstantsThatWouldHangTheCompilerAreRefused(t *testing.T) {
	t.Parallel()
	for src, ok := range map[string]bool{
		`2n ** 64n`: true, `1n << 64n`: true, `2n ** 3n ** 2n`: true, `(-2n) ** 5n`: true, `1n ** 99999999999999n`: true,
		`2n ** -1n`: true, `2 ** 1e9`: true, `x ** 99999999999999n`: true, `2n * 3n + 4n - 5n`: true,
		`2n ** (2n ** 34n)`: false, `1n << 99999999999n`: false, `3n ** 9999999n`: false, `(2n ** 1000000n) * (2n ** 1000000n)`: false,
		`f(() => 2n ** 99999999n)`: false, `-(7n ** 7777777n)`: false, `2n ** (1n << 40n)`: false,
		`2n ** ((2n ** 34n) / 1n)`: false, `2n ** ((2n ** 34n) | 0n)`: false, `2n ** ~(-(2n ** 34n))`: false, `1n >> -99999999999n`: false,
		`2n ** (0 || 2n ** 34n)`: false, `2n ** (null ?? 2n ** 34n)`: false, `2n ** (2n ** 34n` + strings.Repeat(" + 0n", 200) + `)`: false,
		`[` + strings.Repeat(`1n << 131071n, `, 1000) + `1n]`:                                        false,
		`[` + strings.Repeat(`2n ** 256n - 1n, `, 1000) + `0xffffffffffffffffn >> 32n, 2n ** 4096n]`: true, `x / 2n ** 34n`: true, `1n < 99999999999n`: true, `5n && 3n`: true,
	} {
		_, fail := Parse("x.js", []byte("function f(x) { return "+src+" }"), nil)
		if ok {
			require.Nil(t, fail, src)
			continue
		}
		require.NotNil(t, fail, src)
		require.Contains(t, fail.Message, "BigInt constant", src)
		require.Equal(t, 1, fail.Position.Line)
	}
}

func TestALongChainIsRefusedAndNotWalked(t *testing.T) {
	t.Parallel()
	_, fail := Parse("x.js", []byte("x = "+strings.Repeat("1+", 200_000)+"1"), nil)
	require.NotNil(t, fail)
	require.Contains(t, fail.Message, "nested too deeply")
	_, fail = Parse("x.js", []byte("x = "+strings.Repeat("a+", 3_000)+"1"), nil)
	require.Nil(t, fail)
}

func TestCodeThatPanicsTheEnginesParserIsAFailure(t *testing.T) {
	t.Parallel()
	_, fail := Parse("x.js", []byte("({a([...["), nil)
	require.NotNil(t, fail)
	require.Contains(t, fail.Message, "parser panicked")
	require.False(t, TextUse("0([...[", nil))
}

func TestSyntaxTheEngineLacksIsPlaced(t *testing.T) {
	t.Parallel()
	_, fail := Parse("x.js", []byte("ok();\nfor await (const x of y) {}"), nil)
	require.NotNil(t, fail)
	require.Equal(t, wire.StageBundle, fail.Stage)
	require.Equal(t, 2, fail.Position.Line)
	require.NotEmpty(t, fail.Hint)
}

func TestTextUse(t *testing.T) {
	t.Parallel()
	declared := []string{"name", "length"}
	for src, want := range map[string]bool{
		`(args) => JSON.parse(args)`:                         true,
		`async (args) => JSON.parse(args || "")`:             true,
		`async execute(a) { return a.trim() }`:               true,
		`function (a) { return a.slice(1) }`:                 true,
		`(args) => args.name`:                                false,
		`(args) => args.length`:                              false, // a declared parameter
		`(args) => JSON.parse(args).x + args.name`:           false,
		`({ name }) => JSON.parse(name)`:                     false,
		`(args) => { const { x } = args; JSON.parse(args) }`: false,
		`() => JSON.parse("{}")`:                             false,
		`(args) => JSON.parse(other)`:                        false,
		`function () { [native code] }`:                      false,
		`not a function`:                                     false,
	} {
		require.Equal(t, want, TextUse(src, declared), src)
	}
}
