// Package otel records the calls that go through a door as OpenTelemetry spans,
// with the attributes of the semantic conventions for generative AI.
//
// What a call says of itself is recorded always: the tool, the call's id, how
// it ended, the kind of failure. What it is about, its arguments and its result,
// is recorded only where [Options.RecordContent] asks for it, and then redacted
// and bounded.
package otel

import (
	"context"
	"unicode/utf8"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/rho-ext/rho-ext/registry"
)

// Scope is the name of the instrumentation scope.
const Scope = "github.com/rho-ext/rho-ext/registry/otel"

// The attributes of a span. All but the last two are of the semantic
// conventions.
const (
	OperationName   = attribute.Key("gen_ai.operation.name") // execute_tool
	ToolName        = attribute.Key("gen_ai.tool.name")
	ToolCallID      = attribute.Key("gen_ai.tool.call.id")
	ToolType        = attribute.Key("gen_ai.tool.type") // function
	ToolDescription = attribute.Key("gen_ai.tool.description")
	ToolArguments   = attribute.Key("gen_ai.tool.call.arguments")
	ToolResult      = attribute.Key("gen_ai.tool.call.result")
	ErrorType       = attribute.Key("error.type")           // a registry.Kind
	ToolOutcome     = attribute.Key("rho_ext.tool.outcome") // a registry.Status
	ToolAttempts    = attribute.Key("rho_ext.tool.attempts")
)

// DefaultMaxBytes is the default of [Options.MaxBytes].
const DefaultMaxBytes = 8 << 10

// limits of what is recorded always
const (
	maxID          = 256
	maxDescription = 1 << 10
)

// Options configure the middleware. The zero value is fine.
type Options struct {
	// TracerProvider makes the tracer; nil means the global one.
	TracerProvider trace.TracerProvider
	// Registry, where set, is where descriptions of the tools come from.
	Registry *registry.Registry
	// RecordContent records arguments and results, and the messages of
	// failures. It needs a Redactor.
	RecordContent bool
	// Redactor takes secrets out of whatever a caller can put into a span,
	// also the name of a tool that does not exist. It may be nil without
	// RecordContent.
	Redactor registry.Redactor
	// MaxBytes bounds the arguments and the result, each; zero means the
	// default.
	MaxBytes int
}

// Middleware makes one span of each call, execute_tool NAME, whatever comes of
// it. Calls that its tool makes become children. It must be outside of hooks
// that take something out of the arguments or the result, as all middleware of
// a door is. It panics where RecordContent has no Redactor.
func Middleware(o Options) registry.Middleware {
	if o.RecordContent && o.Redactor == nil {
		panic("otel: Options.RecordContent needs an Options.Redactor")
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	provider := o.TracerProvider
	if provider == nil {
		provider = otel.GetTracerProvider()
	}
	r := &recorder{Options: o, tracer: provider.Tracer(Scope)}
	return func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, req registry.Request) *registry.Outcome {
			return r.call(ctx, req, next)
		}
	}
}

type recorder struct {
	Options
	tracer trace.Tracer
}

func (r *recorder) call(ctx context.Context, req registry.Request, next registry.Handler) *registry.Outcome {
	title, attributes := r.start(req)
	ctx, span := r.tracer.Start(ctx, title, trace.WithSpanKind(trace.SpanKindInternal), trace.WithAttributes(attributes...))
	returned := false
	defer func() {
		if !returned { // a panic, which goes on, in other middleware
			span.SetAttributes(ErrorType.String("panic"), ToolOutcome.String(string(registry.StatusError)))
			span.SetStatus(codes.Error, "panic")
		}
		span.End()
	}()
	out := next(ctx, req)
	if span.IsRecording() && out != nil {
		r.end(span, req, out)
	}
	returned = true
	return out
}

// start is what is known of a call before it runs.
func (r *recorder) start(req registry.Request) (title string, attributes []attribute.KeyValue) {
	title = "execute_tool"
	attributes = append(make([]attribute.KeyValue, 0, 4), OperationName.String("execute_tool"), ToolType.String("function"))
	if isName(req.Tool) {
		name := r.clean(req.Tool, maxID)
		title += " " + name
		attributes = append(attributes, ToolName.String(name))
	}
	if r.Registry != nil {
		if e, ok := r.Registry.Snapshot().Lookup(req.Tool); ok {
			attributes = append(attributes, ToolDescription.String(r.clean(describe(e.Tool), maxDescription)))
		}
	}
	return title, attributes
}

// end is what is known of a call afterwards.
func (r *recorder) end(span trace.Span, req registry.Request, out *registry.Outcome) {
	id := out.CallID
	if id == "" {
		id = req.ID
	}
	span.SetAttributes(ToolOutcome.String(string(out.Status)))
	if id != "" {
		span.SetAttributes(ToolCallID.String(r.clean(id, maxID)))
	}
	if out.Attempts > 1 {
		span.SetAttributes(ToolAttempts.Int(out.Attempts))
	}
	if out.Status == registry.StatusError || out.Status == registry.StatusDenied {
		kind, message := registry.KindOther, ""
		if f := out.Failure; f != nil {
			message = f.Message
			if f.Kind.Valid() {
				kind = f.Kind
			}
		}
		description := string(kind)
		if r.RecordContent && message != "" {
			description += ": " + r.clean(message, r.MaxBytes)
		}
		span.SetAttributes(ErrorType.String(string(kind)))
		span.SetStatus(codes.Error, description)
	}
	if r.RecordContent {
		// The effective arguments: what a hook took out of them was never here.
		if len(out.Arguments) > 0 {
			span.SetAttributes(ToolArguments.String(r.clean(string(out.Arguments), r.MaxBytes)))
		}
		span.SetAttributes(ToolResult.String(r.clean(out.Text, r.MaxBytes)))
	}
}

// describe is a tool's description; it may panic.
func describe(t registry.Tool) (text string) {
	defer func() { _ = recover() }()
	return t.Description()
}

// clean redacts a text and bounds it.
func (r *recorder) clean(text string, max int) (clean string) {
	defer func() {
		if recover() != nil { // in the redactor
			clean = "[not recorded: redaction failed]"
		}
	}()
	if r.Redactor != nil {
		text = r.Redactor.Redact(text)
	}
	if len(text) <= max {
		return text
	}
	const mark = "…"
	max -= len(mark)
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max] + mark
}

// isName says that a tool may have that name. Others are what a model made up,
// and no name for a span.
func isName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '_' || c == '-'):
		default:
			return false
		}
	}
	return true
}
