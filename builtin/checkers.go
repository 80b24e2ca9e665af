package builtin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"

	"github.com/pelletier/go-toml/v2"
)

// ownCheckers are those for the languages that need nothing of the host.
func ownCheckers() map[string]SyntaxChecker {
	return map[string]SyntaxChecker{".go": goChecker{}, ".json": jsonChecker{}, ".toml": tomlChecker{}}
}

type goChecker struct{}

// CheckSyntax implements SyntaxChecker.
func (goChecker) CheckSyntax(name string, src []byte) Syntax {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
	if err != nil {
		var list scanner.ErrorList
		if errors.As(err, &list) && len(list) > 0 {
			return Syntax{Err: &SyntaxError{Line: list[0].Pos.Line, Column: list[0].Pos.Column, Message: list[0].Msg}}
		}
		return Syntax{Err: &SyntaxError{Message: err.Error()}}
	}
	var nodes []SyntaxNode
	ast.Inspect(file, func(n ast.Node) bool {
		if kind := goKind(n); kind != "" {
			nodes = append(nodes, SyntaxNode{Kind: kind, Start: set.Position(n.Pos()).Offset, End: set.Position(n.End()).Offset})
		}
		return true
	})
	return Syntax{Nodes: nodes}
}

// goKind names the nodes that a person would name.
func goKind(n ast.Node) string {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return "function declaration"
	case *ast.FuncLit:
		return "function literal"
	case *ast.GenDecl:
		return n.Tok.String() + " declaration"
	case *ast.StructType:
		return "struct type"
	case *ast.InterfaceType:
		return "interface type"
	case *ast.CompositeLit:
		return "composite literal"
	case *ast.CallExpr:
		return "call"
	case *ast.IfStmt:
		return "if statement"
	case *ast.ForStmt, *ast.RangeStmt:
		return "for statement"
	case *ast.SwitchStmt, *ast.TypeSwitchStmt:
		return "switch statement"
	case *ast.SelectStmt:
		return "select statement"
	case *ast.BasicLit:
		return "literal"
	}
	return ""
}

type jsonChecker struct{}

// CheckSyntax implements SyntaxChecker.
func (jsonChecker) CheckSyntax(_ string, src []byte) Syntax {
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	var nodes []SyntaxNode
	var open []int // nodes that have not ended
	values := 0
	for {
		t, err := dec.Token()
		end := int(dec.InputOffset())
		switch {
		case err == io.EOF && len(open) == 0 && values > 0:
			if values > 1 {
				return Syntax{Err: &SyntaxError{Message: "there is more than one value"}}
			}
			return Syntax{Nodes: nodes}
		case err != nil:
			return Syntax{Err: jsonError(src, end, err)}
		}
		if len(open) == 0 {
			values++
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			kind := "object"
			if t == json.Delim('[') {
				kind = "array"
			}
			open = append(open, len(nodes))
			nodes = append(nodes, SyntaxNode{Kind: kind, Start: end - 1})
		case json.Delim('}'), json.Delim(']'):
			nodes[open[len(open)-1]].End = end
			open = open[:len(open)-1]
		}
	}
}

// jsonError places an error. The decoder of tokens lets pass what the whole
// text does not, so that the text itself is asked first.
func jsonError(src []byte, at int, err error) *SyntaxError {
	var whole any
	if werr := json.Unmarshal(src, &whole); werr != nil {
		err = werr
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = max(int(syntax.Offset)-1, 0)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err, at = errors.New("the text ends too early"), len(src)
	}
	before := src[:min(at, len(src))]
	return &SyntaxError{
		Line:   bytes.Count(before, []byte{'\n'}) + 1,
		Column: len(before) - bytes.LastIndexByte(before, '\n'), Message: err.Error(),
	}
}

type tomlChecker struct{}

// CheckSyntax implements SyntaxChecker.
func (tomlChecker) CheckSyntax(_ string, src []byte) (s Syntax) {
	defer func() {
		if v := recover(); v != nil { // what is given to it may be anything
			s = Syntax{Err: &SyntaxError{Message: fmt.Sprint(v)}}
		}
	}()
	var into map[string]any
	err := toml.Unmarshal(src, &into)
	if err == nil {
		return Syntax{Nodes: tomlNodes(src)}
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, column := decode.Position()
		return Syntax{Err: &SyntaxError{Line: row, Column: column, Message: decode.Error()}}
	}
	return Syntax{Err: &SyntaxError{Message: err.Error()}}
}
