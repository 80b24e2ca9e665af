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
	if json.Valid(src) {
		return Syntax{Nodes: jsonNodes(src)}
	}
	var whole any
	err := json.Unmarshal(src, &whole)
	var syntax *json.SyntaxError
	at := len(src)
	if errors.As(err, &syntax) && syntax.Offset < int64(len(src)) {
		at = max(int(syntax.Offset)-1, 0)
	}
	before := src[:at]
	e := &SyntaxError{Line: bytes.Count(before, []byte{'\n'}) + 1, Column: len(before) - bytes.LastIndexByte(before, '\n')}
	if err != nil {
		e.Message = err.Error()
	}
	return Syntax{Err: e}
}

// jsonNodes finds the objects and arrays of a valid text.
func jsonNodes(src []byte) []SyntaxNode {
	var nodes []SyntaxNode
	var open []int // nodes that have not ended
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
		case '{':
			open = append(open, len(nodes))
			nodes = append(nodes, SyntaxNode{Kind: "object", Start: i})
		case '[':
			open = append(open, len(nodes))
			nodes = append(nodes, SyntaxNode{Kind: "array", Start: i})
		case '}', ']':
			if n := len(open); n > 0 {
				nodes[open[n-1]].End = i + 1
				open = open[:n-1]
			}
		}
	}
	return nodes
}

type tomlChecker struct{}

// CheckSyntax implements SyntaxChecker.
func (tomlChecker) CheckSyntax(_ string, src []byte) (s Syntax) {
	if len(src) > maxTOML || nestsDeeply(src) {
		return Syntax{} // its parser recurses, and takes its time with long keys
	}
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

// maxTOML is how large a file in TOML may be to be checked.
const maxTOML = 256 << 10

// maxBrackets bounds how deep a text can nest, whatever of it is in strings.
const maxBrackets = 20_000

// nestsDeeply reports whether a text may nest too deeply for a parser that
// recurses.
func nestsDeeply(src []byte) bool {
	return bytes.Count(src, []byte{'['})+bytes.Count(src, []byte{'{'}) > maxBrackets
}
