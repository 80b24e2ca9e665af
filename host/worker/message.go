package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// A message is a struct of package wire in JSON, with its large members taken
// out and put beside it as they are. Members that are added to those structs
// need nothing here.

func loadFrame(id, sandbox uint64, req wire.LoadRequest) (*frame, error) {
	script, sourceMap := req.Script, req.SourceMap
	req.Script, req.SourceMap = nil, nil
	return message(header{Kind: kindLoad, ID: id, Sandbox: sandbox}, req, script, sourceMap)
}

func (f *frame) loadRequest() (req wire.LoadRequest, err error) {
	err = json.Unmarshal(f.part(0), &req)
	req.Script, req.SourceMap = f.part(1), f.part(2)
	return req, err
}

func callFrame(id, sandbox uint64, req wire.CallRequest) (*frame, error) {
	args := req.Args
	req.Args = nil
	return message(header{Kind: kindCall, ID: id, Sandbox: sandbox}, req, args)
}

func (f *frame) callRequest() (req wire.CallRequest, err error) {
	err = json.Unmarshal(f.part(0), &req)
	req.Args = f.part(1)
	return req, err
}

func doFrame(id, sandbox uint64, req wire.Request) (*frame, error) {
	data, payload := req.Data, req.Payload
	req.Data, req.Payload = nil, nil
	return message(header{Kind: kindDo, ID: id, Sandbox: sandbox}, req, data, payload)
}

func (f *frame) request() (req wire.Request, err error) {
	err = json.Unmarshal(f.part(0), &req)
	req.Data, req.Payload = f.part(1), f.part(2)
	return req, err
}

// answerFrame answers a request or a read. An error keeps what the sandbox
// looks at: a [wire.Error], the end of the context, the end of the stream.
func answerFrame(id uint64, resp wire.Response, err error) *frame {
	f := &frame{header: header{Kind: kindAnswer, ID: id, Stream: uint64(resp.Stream)}, parts: [][]byte{nil, resp.Data, resp.Payload}}
	if err == nil {
		return f
	}
	var known *wire.Error
	switch {
	case errors.Is(err, io.EOF):
		f.Flag = flagEOF
	case errors.As(err, &known):
		f.parts[0], _ = json.Marshal(known) // strings only
	case errors.Is(err, context.DeadlineExceeded):
		f.Flag = flagDeadline
	case errors.Is(err, context.Canceled):
		f.Flag = flagCanceled
	default:
		f.parts[0], _ = json.Marshal(wire.Error{Kind: registry.KindOther, Name: "Error", Message: err.Error()})
	}
	return f
}

func (f *frame) answer() (wire.Response, error) {
	resp := wire.Response{Data: f.part(1), Payload: f.part(2), Stream: wire.Stream(f.Stream)}
	switch f.Flag {
	case flagEOF:
		return resp, io.EOF
	case flagDeadline:
		return resp, context.DeadlineExceeded
	case flagCanceled, flagEnded:
		return resp, context.Canceled
	}
	if text := f.part(0); text != nil {
		e := &wire.Error{}
		if err := json.Unmarshal(text, e); err != nil {
			return resp, err
		}
		return resp, e
	}
	return resp, nil
}

// rawBlocks is how many content blocks travel as they are; more are rare, and
// go in JSON.
const rawBlocks = 1000

func resultFrame(id uint64, res wire.CallResult) (*frame, error) {
	head := header{Kind: kindResult, ID: id}
	if res.Value == nil {
		return message(head, res)
	}
	v := *res.Value
	raw := [][]byte{v.Structured, v.Details}
	v.Structured, v.Details = nil, nil
	if len(v.Content) <= rawBlocks {
		v.Content = slices.Clone(v.Content)
		for i := range v.Content {
			raw = append(raw, takeRaw(&v.Content[i]))
		}
	}
	res.Value = &v
	return message(head, res, raw...)
}

// takeRaw takes the large member out of a block.
func takeRaw(b *registry.Block) (raw []byte) {
	switch b.Type {
	case registry.BlockText:
		raw, b.Text = []byte(b.Text), ""
	case registry.BlockJSON:
		raw, b.JSON = b.JSON, nil
	case registry.BlockImage:
		raw, b.Data = b.Data, nil
	}
	return raw
}

// callResult reads a result and checks what others rely on: the worker may have
// been taken over.
func (f *frame) callResult() (res wire.CallResult, err error) {
	if err := json.Unmarshal(f.part(0), &res); err != nil {
		return res, err
	}
	if t := res.Thrown; t != nil && !t.Kind.Valid() {
		t.Kind = registry.KindOther
	}
	v := res.Value
	ends := 0
	for _, is := range []bool{v != nil, res.Thrown != nil, res.Lost} {
		if is {
			ends++
		}
	}
	switch {
	case ends != 1:
		return res, fmt.Errorf("a result with %d ends", ends)
	case v == nil:
		return res, nil
	}
	v.Structured, v.Details = f.part(1), f.part(2)
	for i := range v.Content {
		b := &v.Content[i]
		if len(v.Content) <= rawBlocks {
			switch raw := f.part(3 + i); b.Type {
			case registry.BlockText:
				b.Text = string(raw)
			case registry.BlockJSON:
				b.JSON = raw
			case registry.BlockImage:
				b.Data = raw
			}
		}
		if b.JSON != nil && !json.Valid(b.JSON) {
			return res, errors.New("a JSON block that is no JSON")
		}
	}
	if v.Structured != nil && !json.Valid(v.Structured) || v.Details != nil && !json.Valid(v.Details) {
		return res, errors.New("a structured result that is no JSON")
	}
	return res, nil
}

func loadedFrame(id uint64, res wire.LoadResult, err error) (*frame, error) {
	var text []byte
	if err != nil {
		text = []byte(err.Error())
	}
	return message(header{Kind: kindLoaded, ID: id}, res, text)
}

func (f *frame) loadResult() (res wire.LoadResult, err error) {
	if err := json.Unmarshal(f.part(0), &res); err != nil {
		return res, fmt.Errorf("%w: %w", errFrame, err)
	}
	if text := f.part(1); text != nil {
		return res, errors.New(string(text))
	}
	return res, nil
}

// message makes a frame of a struct and the raw bytes that belong to it.
func message(h header, v any, raw ...[]byte) (*frame, error) {
	text, err := json.Marshal(v)
	return &frame{header: h, parts: append([][]byte{text}, raw...)}, err
}

// causeFlag tells a context's cause.
func causeFlag(cause error) string {
	switch {
	case errors.Is(cause, wire.ErrDeadline), errors.Is(cause, context.DeadlineExceeded):
		return flagDeadline
	case errors.Is(cause, wire.ErrClosed):
		return flagClosed
	default:
		return flagCanceled
	}
}

func flagCause(flag string) error {
	switch flag {
	case flagDeadline:
		return wire.ErrDeadline
	case flagClosed:
		return wire.ErrClosed
	default:
		return context.Canceled
	}
}
