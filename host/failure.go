package host

import (
	"fmt"
	"path/filepath"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/frame"
	"github.com/rho-ext/rho-ext/registry"
)

// Failure says why an extension did not load, for people and programs.
type Failure struct {
	Extension string     `json:"extension"`
	Stage     wire.Stage `json:"stage"`
	// File is relative to the project's root where it lies inside, with
	// forward slashes.
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`   // 1-based; 0 is unknown
	Column  int    `json:"column,omitempty"` // 1-based
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Frame is a few source lines around the place, ready to print.
	Frame string `json:"frame,omitempty"`
}

// Error is the failure in one line: file:line:column, then the message.
func (f *Failure) Error() string {
	place := f.Extension
	if f.File != "" {
		place = (&registry.Location{File: f.File, Line: f.Line, Column: f.Column}).String()
	}
	return fmt.Sprintf("%s: %s", place, f.Message)
}

// sources finds the text and the path behind a name of a source map.
type sources interface {
	Path(name string) string
	Source(name string) (text string, ok bool)
}

// place resolves positions that a sandbox or the bundler reports.
type place struct {
	root    string // the project's
	sources sources
}

// show is the name of a file as people see it.
func (p place) show(name string) string {
	path := p.sources.Path(name)
	if path == "" {
		return name
	}
	return showPath(p.root, path)
}

func showPath(root, path string) string {
	if rel, err := filepath.Rel(root, path); root != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// frame draws the source around a position, or gives "" where that is not part
// of the bundle. Positions come from processes that run what others wrote, so
// they decide about no file to read.
func (p place) frame(pos wire.Position) string {
	text, ok := p.sources.Source(pos.File)
	if !ok {
		return ""
	}
	return frame.Draw(text, pos.Line, pos.Column)
}

// location makes a position of a running call presentable.
func (p place) location(stack []wire.Position) *registry.Location {
	if len(stack) == 0 {
		return nil
	}
	top := stack[0]
	loc := &registry.Location{File: p.show(top.File), Line: top.Line, Column: top.Column, Frame: p.frame(top)}
	for _, pos := range stack[1:] {
		line := fmt.Sprintf("%s:%d:%d", p.show(pos.File), pos.Line, pos.Column)
		if pos.Function != "" {
			line = pos.Function + " (" + line + ")"
		}
		loc.Stack = append(loc.Stack, line)
	}
	return loc
}

func (p place) failure(id string, f wire.Failure) Failure {
	out := Failure{Extension: id, Stage: f.Stage, Message: f.Message, Hint: f.Hint}
	if f.Position.File != "" {
		out.File = p.show(f.Position.File)
		out.Line, out.Column = f.Position.Line, f.Position.Column
		if f.Position.Line > 0 {
			out.Frame = p.frame(f.Position)
		}
	}
	return out
}
