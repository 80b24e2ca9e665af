package registry

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOutcomeAsJSON(t *testing.T) {
	o := Outcome{CallID: "c", Tool: "t", Status: StatusSuccess, Text: "a > b", Duration: 1500 * time.Microsecond}
	const want = `{"callId":"c","tool":"t","status":"success","text":"a > b","isError":false,"truncated":false,"uses":[],"durationMs":1.5}`

	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode(&o))
	require.Equal(t, want+"\n", b.String(), "the encoder decides what is escaped")

	for _, v := range []any{o, &o} {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		require.JSONEq(t, want, string(text))
	}
	require.Nil(t, o.Uses, "the outcome itself is not changed")
}
