package exttest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// maxBody bounds the body of a mocked request.
const maxBody = 10 << 20

// RoundTrip implements [http.RoundTripper]: the mocks of the test that runs
// answer in place of the network.
func (w *world) RoundTrip(req *http.Request) (*http.Response, error) {
	t := w.test.Load()
	if t == nil {
		return nil, errors.New("the test has ended")
	}
	// The target's path is kept to the letter, in URL.Opaque.
	out := wire.TestFetchRequest{URL: req.URL.Scheme + "://" + req.Host + req.URL.RequestURI(), Method: req.Method}
	for name, values := range req.Header {
		for _, v := range values {
			out.Headers = append(out.Headers, [2]string{strings.ToLower(name), v})
		}
	}
	var body []byte
	if req.Body != nil {
		defer req.Body.Close()
		var err error
		if body, err = io.ReadAll(io.LimitReader(req.Body, maxBody)); err != nil {
			return nil, err
		}
	}
	res, err := t.exchange(req.Context(), out, body)
	if err != nil {
		return nil, err
	}
	h := http.Header{}
	for _, pair := range res.headers {
		h.Add(pair[0], pair[1])
	}
	status := res.text
	if status == "" {
		status = http.StatusText(res.status)
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", res.status, status), StatusCode: res.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(bytes.NewReader(res.body)), ContentLength: int64(len(res.body)), Request: req,
	}, nil
}

// fetch serves fetch of modules that the test file imports.
func (t *testRun) fetch(ctx context.Context, req wire.Request) (wire.Response, error) {
	var f wire.FetchRequest
	if err := json.Unmarshal(req.Data, &f); err != nil {
		return wire.Response{}, err
	}
	res, err := t.exchange(ctx, wire.TestFetchRequest{URL: f.URL, Method: f.Method, Headers: f.Headers}, req.Payload)
	if err != nil {
		return wire.Response{}, &wire.Error{Kind: registry.KindNetwork, Name: "TypeError", Message: "fetch failed: " + err.Error()}
	}
	text := res.text
	if text == "" {
		text = http.StatusText(res.status)
	}
	data, err := json.Marshal(wire.FetchResponse{Status: res.status, StatusText: text, URL: f.URL, Headers: res.headers})
	if err != nil || f.Whole {
		return wire.Response{Data: data, Payload: res.body}, err
	}
	return wire.Response{Data: data, Stream: t.file.broker.open(res.body)}, nil
}

// reply is what a mock, or the network, answers.
type reply struct {
	status  int
	text    string
	headers [][2]string
	body    []byte
}

// exchange asks the mocks of the test.
func (t *testRun) exchange(ctx context.Context, req wire.TestFetchRequest, body []byte) (*reply, error) {
	req.Test, req.Body = t.node.ID, base64.StdEncoding.EncodeToString(body)
	args, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	sb, _, err := t.file.live(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.file.opts.Timeout, wire.ErrDeadline)
	defer cancel()
	got := sb.Call(ctx, wire.CallRequest{ID: fmt.Sprintf("%s.fetch%d", t.id, serial.Add(1)), Run: wire.RunTest, Tool: wire.TestFetch, Args: args})
	var res wire.TestFetchResponse
	switch {
	case got.Thrown != nil:
		return nil, errors.New("the mock threw: " + got.Thrown.Message)
	case got.Value == nil:
		return nil, errors.New("the test file went away")
	}
	if err := json.Unmarshal(got.Value.Structured, &res); err != nil {
		return nil, err
	}
	switch {
	case res.Unmatched != "":
		t.mu.Lock()
		t.unasked = append(t.unasked, res.Unmatched)
		t.mu.Unlock()
		return nil, errors.New(res.Unmatched)
	case res.Error != "":
		return nil, errors.New(res.Error)
	case res.Pass != "":
		return t.record(ctx, res.Pass, req, body)
	}
	data, err := base64.StdEncoding.DecodeString(res.Body)
	return &reply{status: res.Status, text: res.StatusText, headers: res.Headers, body: data}, err
}

// record lets a request through to the network and keeps what comes of it.
func (t *testRun) record(ctx context.Context, name string, req wire.TestFetchRequest, body []byte) (*reply, error) {
	if !t.file.opts.Record {
		return nil, errors.New("nothing is recorded in this run")
	}
	begin := time.Now()
	res, err := t.file.runner.net.Fetch(ctx, wire.FetchRequest{URL: req.URL, Method: req.Method, Headers: req.Headers, Redirect: "manual"}, body)
	if err != nil {
		var we *wire.Error
		if errors.As(err, &we) && we.Kind == registry.KindPermissionDenied {
			err = fmt.Errorf("%s; to record it, add %s", we.Message, strings.TrimPrefix(we.Hint, "run with "))
			t.mu.Lock()
			t.unasked = append(t.unasked, err.Error())
			t.mu.Unlock()
		}
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, permission.DefaultMaxBody))
	if err != nil {
		return nil, err
	}
	out := &reply{status: res.Status, text: res.StatusText, headers: res.Headers, body: data}
	if err := t.file.tape(name).add(req, body, out); err != nil {
		return nil, err
	}
	t.log(Log{Level: "info", Message: fmt.Sprintf("recorded %s %s: %d in %v", req.Method, withoutQuery(req.URL), out.status, time.Since(begin).Round(time.Millisecond))})
	return out, nil
}

func withoutQuery(url string) string {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	return url
}
