package sandbox

import (
	"encoding/json"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

func TestFromJSONBuildsWhatJSONParseBuilds(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		`{}`, `[]`, `""`, `0`, `-0`, `-1.5e3`, `9007199254740993`, `true`, `false`, `null`,
		` { "a" : [ 1 , { "b" : "x\n\"\\\u00e9\ud83d\ude00" } ] , "" : null } `,
		`{"z":1,"a":2,"z":3,"__proto__":{"x":1}}`, `["é","☃","😀"]`, `[[[[]]],{}]`,
	} {
		vm := goja.New()
		require.NoError(t, vm.Set("text", src))
		got, err := fromJSON(vm, []byte(src))
		require.NoError(t, err, src)
		require.NoError(t, vm.Set("got", got))
		same, err := vm.RunString(`JSON.stringify(got) === JSON.stringify(JSON.parse(text)) && Object.is(got, -0) === Object.is(JSON.parse(text), -0)`)
		require.NoError(t, err)
		require.True(t, same.ToBoolean(), src)
	}
}

func FuzzFromJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x",null]}`, `"\ud800"`, `[1,]`, `{"a"}`, `-`, `1.2.3`, `"\`, `nul`, `{"a":1}x`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		vm := goja.New()
		v, err := fromJSON(vm, data)
		if !json.Valid(data) {
			return // it may be lenient, but must not panic or hang
		}
		if err != nil {
			require.Contains(t, err.Error(), "nested more than", "valid JSON is read")
			return
		}
		require.NotNil(t, v)
	})
}
