package jsapi

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGuardsRefuseWhatWouldEndTheProcess(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ code, want string }{
		"deep JSON":                        {`JSON.parse("[".repeat(1e6))`, "RangeError: JSON.parse: the text is nested too deeply"},
		"deep JSON of an object":           {`JSON.parse({ toString: () => '{"a":'.repeat(1e6) })`, "RangeError: JSON.parse: the text is nested too deeply"},
		"deep JSON behind a quoted quote":  {`JSON.parse('["\\\\\\"",' + "[".repeat(1e6))`, "RangeError: JSON.parse: the text is nested too deeply"},
		"an array that holds itself":       {`const a = []; a[0] = a; a.flat(Infinity)`, "RangeError: flat: it is nested more than 1000 levels deep, or holds itself"},
		"apply to a length that lies":      {`Math.max.apply(null, { length: 2 ** 31 })`, "RangeError: apply: more than 1000000 arguments"},
		"apply to a long array":            {`Math.max.apply(null, new Array(2 ** 31))`, "RangeError: apply: more than 1000000 arguments"},
		"apply to a length that changes":   {`let n = 0; Math.max.apply(null, new Proxy([], { get: (t, k) => k === "length" ? (n++ ? 2 ** 31 : 3) : 1 }))`, "1"},
		"a terabyte by repeat":             {`"x".repeat(2 ** 40)`, "RangeError: Invalid string length"},
		"a terabyte by padStart":           {`"x".padStart(2 ** 40)`, "RangeError: Invalid string length"},
		"a terabyte by padEnd":             {`"x".padEnd(2 ** 40, "ab")`, "RangeError: Invalid string length"},
		"eval of deep source":              {`eval("[".repeat(1e6))`, "SyntaxError: the source is nested too deeply: more than 1000 levels"},
		"indirect eval":                    {`(0, eval)("(".repeat(1e6))`, "SyntaxError: the source is nested too deeply: more than 1000 levels"},
		"Function":                         {`Function("(".repeat(1e6))`, "SyntaxError: the source is nested too deeply: more than 1000 levels"},
		"new Function":                     {`new Function("a", "return " + "!".repeat(1e6) + "a")`, "SyntaxError: the source is nested too deeply: more than 1000 operators in a row"},
		"Function by parts":                {`Function(...Array.from({ length: 2000 }, (_, i) => "a" + i + "=["), "")`, "SyntaxError: the source is nested too deeply: more than 1000 levels"},
		"Function behind another iterator": {`Array.prototype[Symbol.iterator] = function* () { yield "(".repeat(1e6) }; String(new Function("return 1")())`, "1"},
		"the constructor of a function":    {`(() => 1).constructor("(".repeat(1e6))`, "SyntaxError: the source is nested too deeply: more than 1000 levels"},
		"of an asynchronous one":           {`(async () => 1).constructor("(".repeat(1e6))`, "SyntaxError: the source is nested too deeply: more than 1000 levels"},
		"of a generator":                   {`(function* () {}).constructor("(".repeat(1e6))`, "SyntaxError: the source is nested too deeply: more than 1000 levels"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := time.Now()
			require.Equal(t, c.want, newRealm(t).eval(`(() => { try { return String((() => { `+returning(c.code)+` })()) } catch (e) { return String(e) } })()`).String())
			require.Less(t, time.Since(begin), 10*time.Second)
		})
	}
}

// returning makes the last statement of code a return.
func returning(code string) string {
	i := strings.LastIndex(code, "; ")
	if i < 0 {
		return "return " + code
	}
	return code[:i+2] + "return " + code[i+2:]
}

func TestGuardsChangeNothingElse(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		`JSON.stringify(JSON.parse('{"a":[1,{"b":"[[[["}]}'))`:             `{"a":[1,{"b":"[[[["}]}`,
		`JSON.stringify(JSON.parse("[1,2]", (k, v) => k === "0" ? 5 : v))`: `[5,2]`,
		`JSON.parse("")`:       `SyntaxError`,
		`JSON.parse(Symbol())`: `TypeError`,
		`JSON.parse(null) + "" + JSON.parse.name + JSON.parse.length`:                `nullparse2`,
		`JSON.stringify([1, [2, [3, [4]]]].flat())`:                                  `[1,2,[3,[4]]]`,
		`JSON.stringify([1, [2, [3, , [4]]]].flat(2))`:                               `[1,2,3,[4]]`,
		`JSON.stringify([1, [2, [3, [4]]]].flat(Infinity))`:                          `[1,2,3,4]`,
		`JSON.stringify([1, [2]].flat(0))`:                                           `[1,[2]]`,
		`JSON.stringify(Array.prototype.flat.call({ length: 1, 0: [1, [2]] }, 3))`:   `[1,2]`,
		`Array.prototype.flat.length`:                                                `0`,
		`Math.max.apply(null, [1, 3, 2])`:                                            `3`,
		`Math.max.apply(null)`:                                                       `-Infinity`,
		`Math.max.apply(null, 5)`:                                                    `TypeError`,
		`Math.max.apply(null, { length: 2, 0: 1, 1: 7 })`:                            `7`,
		`(function () { return this.x + arguments.length }).apply({ x: 1 }, [1, 2])`: `3`,
		`"ab".repeat(3)`:                                                 `ababab`,
		`"ab".repeat(-1)`:                                                `RangeError`,
		`"ab".repeat(Infinity)`:                                          `RangeError`,
		`"".repeat(2 ** 28)`:                                             ``,
		`String.prototype.repeat.call(12, 2)`:                            `1212`,
		`String.prototype.repeat.call(null, 2)`:                          `TypeError`,
		`"a".padStart(3, "xy") + "a".padEnd(3) + "|"`:                    `xyaa  |`,
		`"a".padStart(-1) + "a".padEnd()`:                                `aa`,
		`eval("1 + 1")`:                                                  `2`,
		`eval(5)`:                                                        `5`,
		`eval("var x9 = 3"); globalThis.x9`:                              `3`,
		`Function("a", "b", "return a + b")(1, 2)`:                       `3`,
		`new Function("return 7")()`:                                     `7`,
		`(() => 1) instanceof Function`:                                  `true`,
		`Function.prototype.constructor === Function`:                    `true`,
		`(() => 1).constructor === Function`:                             `true`,
		`Function.name + Function.length`:                                `Function1`,
		`(function* () {}).constructor("yield 4")().next().value`:        `4`,
		`(async () => 1).constructor.name`:                               `AsyncFunction`,
		`Object.keys(JSON).length + Object.keys(Array.prototype).length`: `0`,
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, newRealm(t).eval(`(() => { try { return String((() => { `+returning(code)+` })()) } catch (e) { return e.name } })()`).String())
		})
	}
}
