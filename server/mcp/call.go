package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"path"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rho-ext/rho-ext/internal/relay"
	"github.com/rho-ext/rho-ext/registry"
)

// call answers tools/call. Whatever happens in the tool is a result; the
// protocol's own errors are left to the SDK.
func (s *Server) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if run, ok := s.runs.Load(req.Session); ok { // the SDK goes on with calls when the server is told to end
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(run.(context.Context), cancel)()
	}
	r := registry.Request{Tool: req.Params.Name, Arguments: req.Params.Arguments}
	if token := req.Params.GetProgressToken(); token != nil {
		reports := progressTo(ctx, req.Session, token)
		defer reports.Close() // every report comes before the result
		r.Progress = reports.Send
	}
	d := &dialog{session: req.Session, sent: req.Params.Arguments, answers: req.Params.InputResponses}
	out := s.door.Call(context.WithValue(ctx, dialogKey{}, d), r)
	if d.asked != nil && out.Status == registry.StatusSkipped {
		return inputRequest(d.asked), nil
	}
	return resultOf(out, s.hasOutputSchema(out.Tool)), nil
}

func (s *Server) hasOutputSchema(tool string) bool {
	e, _ := s.registry.Snapshot().Lookup(tool)
	return isObjectSchema(e.Info.OutputSchema)
}

// progressQueue is how many reports can wait for a slow client.
const progressQueue = 64

// progressTo sends reports to a client. MCP wants numbers that rise, so a
// report that says no more than a message counts one further.
func progressTo(ctx context.Context, session *sdk.ServerSession, token any) *relay.Relay[registry.Progress] {
	last := math.Inf(-1)
	return relay.New(progressQueue, func(p registry.Progress) {
		switch {
		case p.Done > last:
			last = p.Done
		case p.Total == 0:
			last++
		default:
			last = math.Nextafter(last, math.Inf(1))
		}
		// A client that is gone misses nothing.
		_ = session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token,
			Message:       p.Message,
			Progress:      last,
			Total:         p.Total,
		})
	})
}

// resultOf shows an outcome as MCP does. Structured content that is too large
// for a model is left out, unless the tool promises it by an output schema:
// then clients take its absence for a fault.
func resultOf(out *registry.Outcome, promised bool) *sdk.CallToolResult {
	res := &sdk.CallToolResult{IsError: out.IsError, Meta: metaOf(out)}
	for _, b := range out.Content {
		res.Content = append(res.Content, contentOf(b))
	}
	if isObject(out.Structured) && (promised || !out.StructuredOmitted) {
		res.StructuredContent = out.Structured
	}
	return res
}

func contentOf(b registry.Block) sdk.Content {
	switch {
	case b.Type == registry.BlockJSON:
		return &sdk.TextContent{Text: string(b.JSON)}
	case b.Type == registry.BlockImage && b.URL != "":
		return &sdk.ResourceLink{URI: b.URL, Name: linkName(b.URL), MIMEType: b.MIMEType}
	case b.Type == registry.BlockImage:
		return &sdk.ImageContent{Data: b.Data, MIMEType: b.MIMEType}
	default:
		return &sdk.TextContent{Text: b.Text}
	}
}

// linkName is the last part of a URL's path, for a link must have a name.
func linkName(url string) string {
	url, _, _ = strings.Cut(url, "?")
	if name := path.Base(url); name != "." && name != "/" {
		return name
	}
	return "image"
}

// metaOf is what a program needs to tell one failure from another.
func metaOf(out *registry.Outcome) sdk.Meta {
	m := sdk.Meta{
		metaPrefix + "callId":     out.CallID,
		metaPrefix + "status":     out.Status,
		metaPrefix + "durationMs": float64(out.Duration.Microseconds()) / 1000,
	}
	if out.Truncated {
		m[metaPrefix+"truncated"] = true
	}
	if f := out.Failure; f != nil {
		kind := map[string]any{"kind": f.Kind, "retryable": f.Retryable}
		if f.Code != "" {
			kind["code"] = f.Code
		}
		if f.Hint != "" {
			kind["hint"] = f.Hint
		}
		m[metaPrefix+"failure"] = kind
	}
	return m
}

// isObject reports whether valid JSON is an object.
func isObject(v json.RawMessage) bool {
	return bytes.HasPrefix(bytes.TrimLeft(v, " \t\r\n"), []byte("{"))
}
