package reading

import (
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/token"
)

// textMembers are the members that only a string has, of those that old-style
// functions use on their argument.
var textMembers = []string{
	"length", "trim", "trimStart", "trimEnd", "startsWith", "endsWith", "slice", "substring", "substr",
	"indexOf", "lastIndexOf", "includes", "split", "replace", "replaceAll", "match", "matchAll", "search",
	"charAt", "charCodeAt", "codePointAt", "toLowerCase", "toUpperCase", "at", "padStart", "padEnd", "concat",
}

// TextUse reports whether a function's source treats its bare first parameter
// as text (gives it to JSON.parse, or uses it as a string) and reads none of
// the declared parameters from it: the form of tools written for the JSON text
// of their arguments.
func TextUse(source string, declared []string) bool {
	u := textUseOf(source, declared)
	return u.text && !u.object
}

// TextOnly says what a function that gets an object does with its bare first
// parameter that only works on a text, or "". hidden says that the object gives
// its JSON text when it is made a text.
func TextOnly(source string, declared []string, hidden bool) string {
	u := textUseOf(source, declared)
	switch {
	case u.asks:
		return ""
	case u.method != "":
		return u.method
	case !hidden && u.parses:
		return "JSON.parse(" + u.param.Name.String() + ")"
	}
	return ""
}

func textUseOf(source string, declared []string) (u textUse) {
	params, body := function(source)
	if params == nil || len(params.List) == 0 {
		return u
	}
	id, ok := params.List[0].Target.(*ast.Identifier)
	if !ok {
		return u
	}
	u = textUse{param: id, declared: declared}
	if err := walk(body, u.visit); err != nil {
		return textUse{}
	}
	return u
}

// function parses the source of one function, in each of the forms that
// toString gives it.
func function(source string) (*ast.ParameterList, ast.Node) {
	for _, src := range []string{
		"(" + source + ")", "({" + source + "})",
		"(" + source + "))", "({" + source + ")})", // the engine drops an arrow's last bracket
	} {
		var prg *ast.Program
		if err := guarded(func() (err error) {
			prg, err = parser.ParseFile(nil, "", src, 0, parser.WithDisableSourceMaps)
			return err
		}); err != nil {
			continue
		}
		var params *ast.ParameterList
		var body ast.Node
		_ = walk(prg, func(n ast.Node) bool {
			if params != nil {
				return false
			}
			switch f := n.(type) {
			case *ast.FunctionLiteral:
				params, body = f.ParameterList, f.Body
			case *ast.ArrowFunctionLiteral:
				params, body = f.ParameterList, f.Body
			}
			return params == nil
		})
		return params, body
	}
	return nil, nil
}

type textUse struct {
	param        *ast.Identifier
	declared     []string
	text, object bool
	parses       bool   // JSON.parse is given it
	method       string // such as args.trim(), of texts
	asks         bool   // its type is asked for, or it is assigned to
}

func (u *textUse) isParam(e ast.Expression) bool {
	id, ok := e.(*ast.Identifier)
	return ok && id.Name == u.param.Name
}

func (u *textUse) visit(n ast.Node) bool {
	switch e := n.(type) {
	case *ast.UnaryExpression:
		u.asks = u.asks || e.Operator == token.TYPEOF && u.isParam(e.Operand)
	case *ast.CallExpression:
		if d, ok := e.Callee.(*ast.DotExpression); ok && u.isParam(d.Left) && u.method == "" {
			if name := d.Identifier.Name.String(); !slices.Contains(u.declared, name) && slices.Contains(textMembers, name) {
				u.method = u.param.Name.String() + "." + name + "()"
			}
		}
		if isJSONParse(e.Callee) && len(e.ArgumentList) > 0 {
			_ = walk(e.ArgumentList[0], func(m ast.Node) bool {
				if x, ok := m.(ast.Expression); ok && u.isParam(x) {
					u.text = true
					u.parses = true
				}
				return true
			})
		}
	case *ast.DotExpression:
		if !u.isParam(e.Left) {
			return true
		}
		name := e.Identifier.Name.String()
		if !slices.Contains(u.declared, name) && slices.Contains(textMembers, name) {
			u.text = true
		} else {
			u.object = true
		}
	case *ast.PropertyShort:
		u.asks = u.asks || e.Name.Name == u.param.Name // another of its name, perhaps
	case *ast.Binding:
		u.asks = u.asks || u.isParam(e.Target)
		if _, ok := e.Target.(*ast.ObjectPattern); ok && u.isParam(e.Initializer) {
			u.object = true
		}
	case *ast.AssignExpression:
		u.asks = u.asks || u.isParam(e.Left)
		if _, ok := e.Left.(*ast.ObjectPattern); ok && u.isParam(e.Right) {
			u.object = true
		}
	}
	return true
}

func isJSONParse(e ast.Expression) bool {
	d, ok := e.(*ast.DotExpression)
	if !ok || d.Identifier.Name != "parse" {
		return false
	}
	id, ok := d.Left.(*ast.Identifier)
	return ok && id.Name == "JSON"
}
