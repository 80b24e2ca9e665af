package sandbox

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// maxFrames is how much of a stack is kept.
const maxFrames = 16

// maxMessage bounds the text of a thrown error, in bytes.
const maxMessage = 64 << 10

// thrown makes a thrown value plain. ex may give a better stack, or be nil.
func (s *Sandbox) thrown(c *call, v goja.Value, ex *goja.Exception) *wire.Thrown {
	t := &wire.Thrown{Kind: registry.KindOther}
	d, err := s.glue.describe(goja.Undefined(), v)
	if err != nil {
		s.lost(c, err)
		t.Message = "an error that cannot be shown"
		return t
	}
	part := func(i int) string { return stringOr(d.ToObject(s.vm).Get(strconv.Itoa(i))) }
	t.Name, t.Message = part(0), part(1)
	if len(t.Message) > maxMessage {
		t.Message = strings.ToValidUTF8(t.Message[:maxMessage], "") + " …"
	}
	t.Stack = s.parseStack(part(2))
	t.Code, t.Hint = part(3), part(4)
	if !d.ToObject(s.vm).Get("7").ToBoolean() {
		t.Hint = "throw new Error(…) instead, so that the place is known"
	}
	if t.Hint == "" && t.Name == "ReferenceError" {
		t.Hint = absentHint(t.Message)
	}
	if part(8) == "true" { // a ToolError, made to be shown
		t.ForModel = t.Message
		if t.Hint != "" {
			t.ForModel += "\n" + t.Hint
		}
	}
	if kind := registry.Kind(part(5)); kind.Valid() {
		t.Kind = kind
	}
	switch part(6) {
	case "true":
		t.Retryable = registry.RetryYes
	case "false":
		t.Retryable = registry.RetryNo
	}
	if len(t.Stack) == 0 && ex != nil {
		t.Stack = s.frames(ex.Stack())
	}
	if kind := s.hostKind(c, v); kind != "" && t.Kind == registry.KindOther {
		t.Kind = kind
		if kind == registry.KindPermissionDenied {
			t.Retryable = registry.RetryNo
		}
		if t.Hint != "" && s.globals.Kind(v) == registry.KindPermissionDenied {
			t.ForModel = t.Message + ": " + t.Hint // the model can pass on what would grant it
		}
	}
	return t
}

var notDefined = regexp.MustCompile(`^(\w+) is not defined$`)

// absentHint says what to use instead of a global that other programs have.
func absentHint(message string) string {
	m := notDefined.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	switch m[1] {
	case "Deno", "Bun":
		return "the sandbox is no " + m[1] + ": see the globals rho and fetch, and the ctx of a tool"
	case "require", "module", "exports":
		return "extensions are ES modules: use import and export"
	case "__dirname", "__filename":
		return "use ctx.extensionDir, or import.meta.url"
	case "Buffer":
		return "use Uint8Array, TextEncoder and TextDecoder"
	case "global", "window":
		return "use globalThis"
	case "describe", "test", "it", "expect", "vi", "vitest", "beforeAll", "afterAll", "beforeEach", "afterEach":
		return `import it: import { ` + m[1] + ` } from "rho-ext/test"`
	case "jest":
		return `use vi: import { vi } from "rho-ext/test"`
	case "document", "localStorage", "XMLHttpRequest":
		return "the sandbox is no browser: it has no page and no storage"
	}
	return ""
}

// hostKind finds the kind of a refusal or failure of the host in an error and
// its causes: it ended the call, however the author wrapped it.
func (s *Sandbox) hostKind(c *call, v goja.Value) registry.Kind {
	for range 8 {
		if v == nil || goja.IsUndefined(v) {
			return ""
		}
		if kind := s.globals.Kind(v); kind != "" && kind != registry.KindOther {
			return kind
		}
		var err error
		if v, err = s.glue.causeOf(goja.Undefined(), v); err != nil {
			s.lost(c, err)
			return ""
		}
	}
	return ""
}

// lost deals with a value of c's whose own traps took the runtime down.
func (s *Sandbox) lost(c *call, err error) {
	if _, ok := err.(*goja.Exception); !ok {
		s.uncaught(c, err)
		s.turn.interrupt(c) // the frames below must not go on
	}
}

// frame is one line of the engine's stack text: at fn (file:line:col(pc)).
var frame = regexp.MustCompile(`(?m)^\s*at (?:(.*?) \()?(.+?):(\d+):(\d+)(?:\(\d+\))?\)?$`)

func (s *Sandbox) parseStack(stack string) []wire.Position {
	var out []wire.Position
	for _, m := range frame.FindAllStringSubmatch(stack, -1) {
		line, _ := strconv.Atoi(m[3])
		col, _ := strconv.Atoi(m[4])
		if out = appendFrame(out, m[1], m[2], line, col); len(out) == maxFrames {
			break
		}
	}
	return out
}

func (s *Sandbox) frames(stack []goja.StackFrame) []wire.Position {
	var out []wire.Position
	for _, f := range stack {
		p := f.Position()
		if out = appendFrame(out, f.FuncName(), p.Filename, p.Line, p.Column); len(out) == maxFrames {
			break
		}
	}
	return out
}

// appendFrame keeps frames of the author's files only: names that start with
// rho: are the sandbox's own, except the stand-ins of odd file names.
func appendFrame(out []wire.Position, fn, file string, line, col int) []wire.Position {
	if line < 1 || file == "" || file == "native" || file == scriptName || strings.HasPrefix(file, "rho:") || strings.HasPrefix(file, "<") {
		return out
	}
	if fn == "<anonymous>" {
		fn = ""
	}
	return append(out, wire.Position{File: file, Line: line, Column: col, Function: fn})
}

// stackText writes frames as the engine does, for errors that the host makes.
func (s *Sandbox) stackText(stack []goja.StackFrame) string {
	var b strings.Builder
	for _, p := range s.frames(stack) {
		b.WriteString("\tat ")
		if p.Function != "" {
			b.WriteString(p.Function + " (")
		}
		b.WriteString(p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column))
		if p.Function != "" {
			b.WriteByte(')')
		}
		b.WriteByte('\n')
	}
	return b.String()
}
