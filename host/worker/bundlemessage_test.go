package worker

import (
	"bufio"
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/wire"
)

func crossed(t testing.TB, f *frame, err error) *frame {
	t.Helper()
	require.NoError(t, err)
	var pipe bytes.Buffer
	_, err = f.write(&pipe, nil)
	require.NoError(t, err)
	out := &frame{}
	require.NoError(t, out.read(bufio.NewReader(&pipe)))
	return out
}

func TestBuildsSurviveThePipe(t *testing.T) {
	t.Parallel()
	o := bundle.Options{ID: "a\xffb", Entry: "/p/\xfe/ext.ts", Root: "/p/\xfe", Limit: "", Timeout: 3 * time.Second, Details: true}
	f, err := buildFrame(7, o)
	f = crossed(t, f, err)
	got, err := f.buildOptions(nil)
	require.NoError(t, err)
	require.Equal(t, o, got)
	require.Equal(t, uint64(7), f.ID)

	for _, out := range []bundle.Outcome{
		{Script: []byte("s\xff"), SourceMap: []byte("{}"), Hash: "h", Graph: bundle.Graph{Inputs: []string{"/p/\xfe", ""}},
			Sources: map[string]string{"ext.ts": "\xff\x00", "": "empty"}, Aliases: map[string]string{"a": "b"}, Meta: []byte("{}"), Map: []byte("m")},
		{Sources: map[string]string{}, Aliases: map[string]string{}, Unfinished: true, Failures: []wire.Failure{
			{Stage: wire.StageBundle, Position: wire.Position{File: "\xfe.ts", Line: 3, Column: 4}, Message: "\xff", Hint: "h"},
			{Stage: wire.StageResolve},
		}},
	} {
		f, err := builtFrame(9, out)
		got, err := crossed(t, f, err).outcome()
		require.NoError(t, err)
		require.Equal(t, out, got)
	}
}

// What a bundler says is not believed.
func TestAForgedBundleIsAnError(t *testing.T) {
	t.Parallel()
	o := single(t, "export default 1")
	made, err := bundle.Build(o)
	require.NoError(t, err)
	real := bundle.OutcomeOf(made, nil)
	_, err = real.Result(o)
	require.NoError(t, err)
	for name, forge := range map[string]func(*bundle.Outcome){
		"nothing":                  func(out *bundle.Outcome) { *out = bundle.Outcome{} },
		"no script":                func(out *bundle.Outcome) { out.Script = nil },
		"no hash":                  func(out *bundle.Outcome) { out.Hash = "" },
		"no inputs":                func(out *bundle.Outcome) { out.Inputs = nil },
		"an input of the system":   func(out *bundle.Outcome) { out.Inputs = append(out.Inputs, "/etc/passwd") },
		"an input by way of ..":    func(out *bundle.Outcome) { out.Inputs = []string{o.Root + "/../secret"} },
		"an input that is no path": func(out *bundle.Outcome) { out.Inputs = []string{"ext.ts"} },
	} {
		forged := real
		forge(&forged)
		_, err := forged.Result(o)
		require.Error(t, err, name)
		require.NotErrorAs(t, err, new(*bundle.Failures), name)
	}
	for name, parts := range map[string][][]byte{
		"no JSON":          {[]byte("{")},
		"a list cut off":   {[]byte("{}"), nil, nil, {200}},
		"a length too far": {[]byte("{}"), nil, nil, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
		"too few texts":    {[]byte(`{"Failures":[{}]}`), nil, nil, pack("a", "b")},
		"half a pair":      {[]byte("{}"), nil, nil, nil, nil, pack("a")},
	} {
		_, err := (&frame{header: header{Kind: kindBuilt}, parts: parts}).outcome()
		require.Error(t, err, name)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(pack("a", "", "bc"))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		texts, err := unpack(data)
		if err != nil {
			return
		}
		again, err := unpack(pack(texts...))
		require.NoError(t, err)
		require.Equal(t, texts, again)
	})
}
