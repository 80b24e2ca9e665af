package reading

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"

	"github.com/rho-ext/rho-ext/host/wire"
)

// Script is a parsed bundle and what was read from it.
type Script struct {
	// AST is ready to be compiled.
	AST *ast.Program
	// Uses are those of the whole script.
	Uses Uses
	// Tools are the object literals that look like tools, in source order.
	Tools []ToolLiteral
	// Unfinished are literals that look like tools but have no function.
	Unfinished []ToolLiteral
	// Manifest is the literal that holds the tools, if there is one.
	Manifest ToolLiteral
	// Hooks and Commands are the uses of those whose literals are visible, by
	// their names.
	Hooks, Commands map[string]Uses
}

// ToolLiteral is an object literal with an execute member, or the manifest.
type ToolLiteral struct {
	Name string // empty where it is not a string literal
	At   wire.Position
	Keys map[string]wire.Position // where each literal key stands
	// Uses are those of the tool alone where all that can become of the literal
	// is visible, else those of the whole script. The manifest has none.
	Uses Uses

	apart bool // its uses are its own
}

// Parse parses and reads a bundle. name is what positions without a mapping
// show.
func Parse(name string, script, sourceMap []byte) (*Script, *wire.Failure) {
	src := string(script)
	if len(sourceMap) > 0 {
		src += "\n//# sourceMappingURL=map"
	}
	var prg *ast.Program
	err := guarded(func() (err error) {
		prg, err = goja.Parse(name, src, parser.WithSourceMapLoader(func(string) ([]byte, error) { return sourceMap, nil }))
		return err
	})
	if err != nil {
		return nil, SyntaxFailure(err)
	}
	s := &Script{AST: prg}
	r := &reader{script: s, file: prg.File, found: newFound()}
	if err := walk(prg, r.visit); err != nil {
		return nil, &wire.Failure{Stage: wire.StageBundle, Message: err.Error(), Hint: "generated code like this belongs in a data file"}
	}
	if r.failure != nil {
		return nil, r.failure
	}
	r.found.settle()
	r.spread(read(prg, r.found))
	return s, nil
}

// guarded runs the engine's parser, which panics on some broken code.
func guarded(parse func() error) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("the engine's parser panicked: %v", x)
		}
	}()
	return parse()
}

// The engine puts the place into the text of its errors: the parser before the
// message, the compiler behind it.
var (
	parsedAt   = regexp.MustCompile(`^(\S+): Line (\d+):(\d+) (.*?)(?: \(and \d+ more errors\))?$`)
	compiledAt = regexp.MustCompile(`^(.*) at (\S+):(\d+):(\d+)$`)
)

// SyntaxFailure turns an error of the engine's parser or compiler into a
// failure.
func SyntaxFailure(err error) *wire.Failure {
	text := strings.TrimPrefix(err.Error(), "SyntaxError: ")
	f := &wire.Failure{Stage: wire.StageBundle, Message: text, Hint: "the engine does not know this syntax or regular expression"}
	if m := parsedAt.FindStringSubmatch(text); m != nil {
		f.Message = m[4]
		f.Position = wire.Position{File: m[1], Line: atoi(m[2]), Column: atoi(m[3])}
	} else if m := compiledAt.FindStringSubmatch(text); m != nil {
		f.Message = m[1]
		f.Position = wire.Position{File: m[2], Line: atoi(m[3]), Column: atoi(m[4])}
	}
	return f
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// reader collects what walk passes it.
type reader struct {
	script    *Script
	file      *file.File
	constants constants
	found     *found
	failure   *wire.Failure
}

func (r *reader) at(idx file.Idx) wire.Position {
	p := r.file.Position(int(idx) - r.file.Base())
	return wire.Position{File: p.Filename, Line: p.Line, Column: p.Column}
}

func (r *reader) visit(n ast.Node) bool {
	switch e := n.(type) {
	case *ast.BinaryExpression:
		if r.failure == nil && !r.constants.bounded(e) {
			r.failure = &wire.Failure{
				Stage: wire.StageBundle, Position: r.at(e.Idx0()),
				Message: fmt.Sprintf("the BigInt constant is too large: more than %d bits, or more than %d with all others", maxConstantBits, maxAllBits),
				Hint:    "compute it when the tool runs",
			}
		}
	case *ast.ObjectLiteral:
		r.object(e)
	}
	r.found.visit(n)
	return true
}

// object notes a literal that defines a tool or a manifest.
func (r *reader) object(o *ast.ObjectLiteral) {
	keys := map[string]wire.Position{}
	name := ""
	exports := len(o.Value) > 0 // the bundler's list of a module's exports
	for _, p := range o.Value {
		k, v, pos := property(p)
		if _, ok := v.(*ast.ArrowFunctionLiteral); !ok {
			exports = false
		}
		if k == "" {
			continue
		}
		keys[k] = r.at(pos)
		if s, ok := v.(*ast.StringLiteral); ok && k == "name" {
			name = s.Value.String()
		}
	}
	lit := ToolLiteral{Name: name, At: r.at(o.Idx0()), Keys: keys}
	has := func(key string) bool { _, ok := keys[key]; return ok }
	if !has("execute") && name != "" && (has("run") || has("handler")) {
		r.found.literals[o] = &root{kind: rootCommand, name: name}
	}
	switch {
	case has("execute"):
		r.found.literals[o] = &root{kind: rootTool, name: name, index: len(r.script.Tools)}
		r.script.Tools = append(r.script.Tools, lit)
	case has("tools") && !exports:
		// One with a name is more likely the manifest.
		if m := r.script.Manifest; m.At.Line == 0 || m.Keys["name"].Line == 0 && has("name") {
			r.script.Manifest = lit
		}
	case has("name") && (has("risk") || has("parameters")):
		r.script.Unfinished = append(r.script.Unfinished, lit)
	}
}

// property gives a property's literal key, its value and its place.
func property(p ast.Property) (key string, value ast.Expression, at file.Idx) {
	switch p := p.(type) {
	case *ast.PropertyKeyed:
		if s, ok := p.Key.(*ast.StringLiteral); ok && !p.Computed {
			return s.Value.String(), p.Value, s.Idx0()
		}
	case *ast.PropertyShort:
		return p.Name.Name.String(), &p.Name, p.Name.Idx0()
	}
	return "", nil, 0
}
