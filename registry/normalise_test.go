package registry

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNormaliseTakes(t *testing.T) {
	for _, c := range []struct{ about, in, want string }{
		{"nothing", "", `{}`},
		{"white space", " \n\t", `{}`},
		{"null", "null", `{}`},
		{"an object", `{"b":1,"a":2}`, `{"b":1,"a":2}`},
		{"space around it", " {\"a\": 1 }\n", `{"a": 1 }`},
		{"a string that holds an object", `"{\"a\":\"x\\ny\"}"`, `{"a":"x\ny"}`},
		{"an empty string", `""`, `{}`},
		{"a string that holds null", `"null"`, `{}`},
		{"integers beyond 2^53", `{"n":9007199254740993}`, `{"n":9007199254740993}`},
		{"the last of equal keys, at the first's place", `{"a":1,"b":{"x":1,"x":2},"a":{"y":[{"k":1,"k":2}]}}`,
			`{"a":{"y":[{"k":2}]},"b":{"x":2}}`},
		{"equal keys that are written differently", `{"a":1,"\u0061":2}`, `{"a":2}`},
		{"bytes that are not UTF-8", "{\"a\":\"x\xffy\"}", "{\"a\":\"x\uFFFDy\"}"},
		{"surrogates", `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d\ude00"}`},
		{"200 levels", `{"a":` + strings.Repeat("[", 199) + strings.Repeat("]", 199) + `}`,
			`{"a":` + strings.Repeat("[", 199) + strings.Repeat("]", 199) + `}`},
	} {
		t.Run(c.about, func(t *testing.T) {
			doc, err := normalise(json.RawMessage(c.in))
			require.NoError(t, err)
			assert.Equal(t, c.want, doc.text)
			assert.Equal(t, c.want, func() string { d, _ := normalise(json.RawMessage(doc.text)); return d.text }(), "idempotent")
		})
	}
}

func TestNormaliseRefuses(t *testing.T) {
	for _, c := range []struct{ about, in, want string }{
		{"an array", `[1,2]`, "got an array of 2 items"},
		{"a number", `42`, "got 42"},
		{"a string", `"hello"`, "got a string that does not hold one: expected a value, got 'h' at byte 0"},
		{"a string in a string", `"\"{}\""`, `got "{}"`},
		{"a string with an array", `"[1]"`, "got an array of 1 item"},
		{"something after it", `{"a":1} x`, "unexpected 'x' after the value at byte 8"},
		{"a second object", `{}{}`, "unexpected '{' after the value at byte 2"},
		{"half of it", `{"a":`, "unexpected end of text at byte 5"},
		{"a trailing comma", `{"a":1,}`, "expected a quoted key, got '}' at byte 7"},
		{"single quotes", `{'a':1}`, "expected a quoted key, got '\\'' at byte 1"},
		{"no colon", `{"a" 1}`, `expected ":" after the key, got '1' at byte 5`},
		{"a raw newline in a string", "{\"a\":\"x\ny\"}", `the control character '\n' in a string`},
		{"a bad escape", `{"a":"\x"}`, "invalid escape at byte 5"},
		{"an open string", `{"a":"x`, "unexpected end of text in a string at byte 7"},
		{"a leading zero", `{"a":01}`, "no leading zero at byte 5"},
		{"a lonely minus", `{"a":-}`, "not a number"},
		{"no digit after the point", `{"a":1.}`, "after the decimal point"},
		{"no digit in the exponent", `{"a":1e+}`, "in the exponent"},
		{"NaN", `{"a":NaN}`, "expected a value, got 'N' at byte 5"},
		{"201 levels", `{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, "nested deeper than 200 levels at byte 204"},
		{"a megabyte of brackets", strings.Repeat("[", 1<<20), "nested deeper than 200"},
		{"an enormous exponent", `{"a":1e999999999}`, "exponent beyond 400"},
		{"an enormous number", `{"a":` + strings.Repeat("9", 2000) + `}`, "more than 1000 characters"},
		{"too much", `{"a":"` + strings.Repeat("x", 16<<20) + `"}`, "more than 16 MiB"},
		{"too many values", `{"a":[` + strings.Repeat("0,", 1<<20) + `0]}`, "more than 1048576 values"},
	} {
		t.Run(c.about, func(t *testing.T) {
			_, err := normalise(json.RawMessage(c.in))
			var args *ArgumentError
			require.ErrorAs(t, err, &args)
			assert.Contains(t, err.Error(), c.want)
			assert.True(t, strings.HasPrefix(err.Error(), "invalid arguments: expected a JSON object, got "))
			assert.Less(t, len(err.Error()), 300)
		})
	}
}

func FuzzNormalise(f *testing.F) {
	for _, s := range []string{``, `null`, `{}`, `"{}"`, `{"a":[1,{"b":null}],"a":2}`, `{"a":1e5,"b":-0.5}`, `{"\u00e9":"\ud800"}`,
		"{\"a\":\"\xff\"}", `{"a":1}x`, `[[[[`, `{"a":"\"}"}`, `{"a" : [ ] , "b" : { } }`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := normalise(raw)
		if err != nil {
			return
		}
		if !json.Valid([]byte(doc.text)) {
			t.Fatalf("%q became invalid JSON %q", raw, doc.text)
		}
		var theirs any
		dec := json.NewDecoder(strings.NewReader(doc.text))
		dec.UseNumber()
		if err := dec.Decode(&theirs); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(theirs, doc.value) {
			t.Fatalf("%q: the text is %#v, the value %#v", raw, theirs, doc.value)
		}
		again, err := normalise([]byte(doc.text))
		if err != nil || again.text != doc.text {
			t.Fatalf("%q: not idempotent: %q, %v", doc.text, again.text, err)
		}
	})
}
