package jsapi

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dop251/goja"
	"golang.org/x/text/encoding/unicode"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// startExec starts a program: (port, command, args, cwd, timeoutMs, input,
// stream) → [promise of an end or of a stream, cancel].
func startExec(g *Globals, c goja.FunctionCall) goja.Value {
	e := wire.ExecRequest{Command: c.Argument(1).String(), Args: stringsOf(c.Argument(2)), Stream: c.Argument(6).ToBoolean()}
	if cwd := c.Argument(3); !goja.IsUndefined(cwd) {
		e.Cwd = cwd.String()
	}
	if ms := c.Argument(4); !goja.IsUndefined(ms) {
		e.TimeoutMS = ms.ToFloat()
	}
	promise, cancel := g.ask(portOf(c), wire.Request{Op: wire.OpExec, As: "ctx.exec", Payload: payload(c.Argument(5))}, e,
		func(g *Globals, res wire.Response) (goja.Value, error) {
			if res.Stream != 0 {
				return g.vm.ToValue(int64(res.Stream)), nil
			}
			return g.execEnd(res.Data, nil)
		})
	return g.vm.NewArray(promise, func(goja.FunctionCall) goja.Value {
		cancel()
		return goja.Undefined()
	})
}

// execEnd gives [stdout, stderr, exitCode, signal, timedOut, truncated].
func (g *Globals) execEnd(data json.RawMessage, col *collector) (goja.Value, error) {
	var r wire.ExecResponse
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if col != nil {
		r.Stdout, r.Stderr = col.out.kept.String(), col.err.kept.String()
		r.Truncated = r.Truncated || col.out.full || col.err.full
	}
	return g.vm.NewArray(r.Stdout, r.Stderr, r.ExitCode, r.Signal, r.TimedOut, r.Truncated), nil
}

// maxCollected bounds the text of each stream that is kept beside what the
// callbacks get, in bytes.
const maxCollected = 256 << 10

// collector decodes what a program writes, and keeps the head of it.
type collector struct{ out, err output }

type output struct {
	decoder decoder
	kept    strings.Builder
	full    bool // something was left out
}

// newCollector: () → collector.
func newCollector(g *Globals, _ goja.FunctionCall) goja.Value {
	col := &collector{}
	for _, o := range []*output{&col.out, &col.err} {
		o.decoder = decoder{name: "utf-8", t: unicode.UTF8.NewDecoder().Transformer, ignoreBOM: true}
	}
	return g.vm.ToValue(col)
}

// take decodes the next bytes; a character that is cut waits for its rest.
func (o *output) take(b []byte, more bool) string {
	text, _ := o.decoder.decode(b, more)
	switch left := maxCollected - o.kept.Len(); {
	case o.full || text == "":
	case len(text) <= left:
		o.kept.WriteString(text)
	default:
		o.full = true
		o.kept.WriteString(strings.ToValidUTF8(text[:left], ""))
	}
	return text
}

// pullPiece asks for the next frame: (port, stream) → promise of Uint8Array or
// null.
func pullPiece(_ *Globals, c goja.FunctionCall) goja.Value {
	return portOf(c).Read(wire.Stream(c.Argument(1).ToInteger()), 64<<10)
}

// closePieces gives the program up: (port, stream).
func closePieces(_ *Globals, c goja.FunctionCall) goja.Value {
	portOf(c).CloseStream(wire.Stream(c.Argument(1).ToInteger()))
	return goja.Undefined()
}

// takePiece reads a frame: (collector, Uint8Array or null) → [kind, text], or
// [3, rest of stdout, rest of stderr, end].
func takePiece(g *Globals, c goja.FunctionCall) goja.Value {
	col := c.Argument(0).Export().(*collector)
	frame := bytesArg(c, 1)
	if len(frame) == 0 {
		panic(g.badFrame("the output ended before the program did"))
	}
	kind, b := frame[0], frame[1:]
	switch kind {
	case wire.FrameStdout:
		return g.vm.NewArray(kind, col.out.take(b, true))
	case wire.FrameStderr:
		return g.vm.NewArray(kind, col.err.take(b, true))
	case wire.FrameEnd:
		restOut, restErr := col.out.take(nil, false), col.err.take(nil, false)
		end, err := g.execEnd(b, col)
		if err != nil {
			panic(g.badFrame(err.Error()))
		}
		return g.vm.NewArray(kind, restOut, restErr, end)
	default:
		panic(g.badFrame(fmt.Sprintf("a piece of unknown kind %d", kind)))
	}
}

func (g *Globals) badFrame(what string) *goja.Object {
	return g.Error(&wire.Error{Kind: registry.KindOther, Name: "Error", Message: "ctx.exec: " + what}, "")
}
