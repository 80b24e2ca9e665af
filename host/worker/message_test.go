package worker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// through sends a frame through a pipe.
func through(t testing.TB, f *frame, err error) *frame {
	t.Helper()
	require.NoError(t, err)
	var pipe bytes.Buffer
	_, err = f.write(&pipe, nil)
	require.NoError(t, err)
	got := &frame{}
	require.NoError(t, got.read(bufio.NewReader(&pipe)))
	return got
}

func TestRequestsSurviveThePipe(t *testing.T) {
	t.Parallel()
	args := json.RawMessage("{\"a\" :  1.50}\n")
	for _, req := range []wire.CallRequest{
		{}, {ID: "c", Tool: "t", Args: args, Model: "m", Values: map[string]json.RawMessage{"k": json.RawMessage(`[1]`)}},
	} {
		f, err := callFrame(3, 4, req)
		f = through(t, f, err)
		got, err := f.callRequest()
		require.NoError(t, err)
		require.Equal(t, req, got, "arguments keep their every byte")
		require.Equal(t, []uint64{3, 4}, []uint64{f.ID, f.Sandbox})
	}
	for _, req := range []wire.LoadRequest{
		{}, {Extension: "e", Script: []byte{0, 255}, SourceMap: []byte("{}"), Hash: "h", Limits: wire.Limits{Grace: 5}},
	} {
		f, err := loadFrame(1, 2, req)
		got, err := through(t, f, err).loadRequest()
		require.NoError(t, err)
		require.Equal(t, req, got)
	}
	for _, req := range []wire.Request{
		{Op: wire.OpConfig}, {Call: "c", Tool: "t", Op: wire.OpExec, As: "x", Data: args, Payload: []byte{}},
	} {
		f, err := doFrame(1, 2, req)
		got, err := through(t, f, err).request()
		require.NoError(t, err)
		require.Equal(t, req, got)
	}
}

func TestAnswersSurviveThePipe(t *testing.T) {
	t.Parallel()
	known := &wire.Error{Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Message: "m", Code: "c", Hint: "h"}
	for _, resp := range []wire.Response{{}, {Data: json.RawMessage("[ 1]"), Payload: []byte{0}, Stream: 1 << 60}, {Payload: []byte{}}} {
		got, err := through(t, answerFrame(1, resp, nil), nil).answer()
		require.NoError(t, err)
		require.Equal(t, resp, got)
	}
	for _, c := range []struct{ sent, want error }{
		{known, known}, {fmt.Errorf("x: %w", known), known}, {io.EOF, io.EOF},
		{context.Canceled, context.Canceled}, {fmt.Errorf("x: %w", context.DeadlineExceeded), context.DeadlineExceeded},
		{errors.New("text"), &wire.Error{Kind: registry.KindOther, Name: "Error", Message: "text"}},
	} {
		_, err := through(t, answerFrame(1, wire.Response{}, c.sent), nil).answer()
		require.Equal(t, c.want, err)
	}
}

func TestResultsSurviveThePipe(t *testing.T) {
	t.Parallel()
	many := make([]registry.Block, rawBlocks+1)
	for i := range many {
		many[i] = registry.Block{Type: registry.BlockText, Text: fmt.Sprint(i)}
	}
	for _, res := range []wire.CallResult{
		{Lost: true, Culprit: "x"},
		{Thrown: &wire.Thrown{Kind: registry.KindTimeout, Stack: []wire.Position{{File: "x.ts", Line: 1}}, Retryable: registry.RetryNo}, Guilty: true},
		{Value: &wire.Value{}},
		{Value: &wire.Value{Content: many}},
		{Value: &wire.Value{IsError: true, Structured: json.RawMessage(`{ "a":1}`), Details: json.RawMessage("null"), Content: []registry.Block{
			{Type: registry.BlockText, Text: "a\x00\"é\u2028"}, {Type: registry.BlockText}, {Type: registry.BlockJSON, JSON: json.RawMessage("[1 ]")},
			{Type: registry.BlockImage, Data: []byte{0, 255}, MIMEType: "image/png"}, {Type: registry.BlockImage, URL: "https://example.org/"}}}},
	} {
		sent, err := json.Marshal(res)
		require.NoError(t, err)
		f, err := resultFrame(1, res)
		got, err := through(t, f, err).callResult()
		require.NoError(t, err)
		require.Equal(t, res, got)
		after, err := json.Marshal(res)
		require.NoError(t, err)
		require.JSONEq(t, string(sent), string(after), "the result that was sent is as before")
	}
	for _, res := range []wire.LoadResult{{}, {Failure: &wire.Failure{Stage: wire.StageBundle}}, {Manifest: wire.Manifest{Name: "n", Tools: []wire.Tool{{Name: "t", Risk: registry.Read, Parameters: json.RawMessage("{}")}}}}} {
		f, err := loadedFrame(1, res, nil)
		got, err := through(t, f, err).loadResult()
		require.NoError(t, err)
		require.Equal(t, res, got)
	}
	f, err := loadedFrame(1, wire.LoadResult{}, errors.New("no"))
	_, err = through(t, f, err).loadResult()
	require.EqualError(t, err, "no")
}

func TestAForgedResultIsAnError(t *testing.T) {
	t.Parallel()
	for _, parts := range [][]string{
		{}, {"{"}, {"{}"}, {`{"Lost":true,"Thrown":{}}`}, {`{"Value":{}}`, "{"}, {`{"Value":{}}`, "{}", "x"},
		{`{"Value":{"Content":[{"type":"json"}]}}`, "1", "1", "["}, {`{"Value":{"Content":7}}`},
	} {
		f := &frame{}
		for _, p := range parts {
			f.parts = append(f.parts, []byte(p))
		}
		_, err := f.callResult()
		require.Error(t, err, "%q", parts)
	}
	f := &frame{parts: [][]byte{[]byte(`{"Thrown":{"Kind":"forged"}}`)}}
	res, err := f.callResult()
	require.NoError(t, err)
	require.Equal(t, registry.KindOther, res.Thrown.Kind)
}
