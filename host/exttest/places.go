package exttest

import (
	"fmt"
	"strings"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/frame"
)

// sources finds the text and the path behind a name of a source map.
type sources interface {
	Path(name string) string
	Source(name string) (text string, ok bool)
}

// place makes positions presentable.
type place struct {
	root    string
	sources sources
}

func (p place) show(name string) string {
	if path := p.sources.Path(name); path != "" {
		return shown(p.root, path)
	}
	return name
}

func (p place) frame(pos wire.Position) string {
	text, ok := p.sources.Source(pos.File)
	if !ok {
		return ""
	}
	return frame.Draw(text, pos.Line, pos.Column)
}

func (p place) failure(file File, f wire.Failure) *host.Failure {
	out := &host.Failure{Extension: file.Extension, Stage: f.Stage, Message: f.Message, Hint: f.Hint, File: file.Name}
	if f.Position.File != "" {
		out.File, out.Line, out.Column = p.show(f.Position.File), f.Position.Line, f.Position.Column
		out.Frame = p.frame(f.Position)
	}
	return out
}

// maxMessage bounds the text of one error, in bytes.
const maxMessage = 8 << 10

func bounded(text string) string {
	if len(text) <= maxMessage {
		return text
	}
	return strings.ToValidUTF8(text[:maxMessage], "") + fmt.Sprintf(" … (%d bytes)", len(text))
}

// failed makes an error of a test presentable.
func (p place) failed(e wire.TestError) Error {
	out := Error{Name: e.Name, Message: bounded(e.Message), Hint: e.Hint, In: e.In, Diff: e.Diff, Expected: e.Expected, Actual: e.Actual}
	for i, pos := range e.Stack {
		at := fmt.Sprintf("%s:%d:%d", p.show(pos.File), pos.Line, pos.Column)
		if i == 0 {
			out.File, out.Line, out.Column, out.Frame = p.show(pos.File), pos.Line, pos.Column, p.frame(pos)
			continue
		}
		if pos.Function != "" {
			at = pos.Function + " (" + at + ")"
		}
		out.Stack = append(out.Stack, at)
	}
	if e.Cause != nil {
		cause := p.failed(*e.Cause)
		out.Cause = &cause
	}
	return out
}
