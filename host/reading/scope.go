package reading

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/unistring"
)

// scopes resolves names. Each name has a stack of the bindings that it has
// where the walk is.
type scopes struct {
	names map[unistring.String][]*node
	open  []unistring.String // declared in open scopes, innermost last
	last  int                // number of the newest scope
}

// resolve gives the binding that a name stands for, or nil for a global.
func (s *scopes) resolve(name unistring.String) *node {
	if l := s.names[name]; len(l) > 0 {
		return l[len(l)-1]
	}
	return nil
}

// leave closes all scopes since the mark that len(s.open) gave.
func (s *scopes) leave(mark int) {
	for _, name := range s.open[mark:] {
		l := s.names[name]
		s.names[name] = l[:len(l)-1]
	}
	s.open = s.open[:mark]
}

// declare adds a name to a scope. A second declaration in the same scope makes
// the binding one of whose value nothing is known.
func (f *flow) declare(scope int, name unistring.String) *node {
	if b := f.resolve(name); b != nil && (b.scope == scope || b.scope == f.params && b.scope != 0) {
		b.again, b.kind, b.shape = true, kindNone, shapeUnknown
		return b
	}
	b := f.graph.node()
	b.scope = scope
	b.host = f.found.called[name]
	f.names[name] = append(f.names[name], b)
	f.open = append(f.open, name)
	return b
}

// declareAll declares the names of a pattern.
func (f *flow) declareAll(scope int, target ast.Expression) {
	switch t := target.(type) {
	case *ast.Identifier:
		f.declare(scope, t.Name)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				f.declare(scope, p.Name.Name)
			case *ast.PropertyKeyed:
				f.declareAll(scope, p.Value)
			}
		}
		f.declareAll(scope, t.Rest)
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			f.declareAll(scope, e)
		}
		f.declareAll(scope, t.Rest)
	case *ast.AssignExpression:
		f.declareAll(scope, t.Left)
	case *ast.Binding:
		f.declareAll(scope, t.Target)
	}
}

// enter opens a scope for statements and for the var declarations of a
// function. The returned mark is for leave. A var in a function with a parameter
// of its name is that parameter.
func (f *flow) enter(vars []*ast.VariableDeclaration, list []ast.Statement) (mark int) {
	mark = len(f.open)
	f.last++
	scope := f.last
	var bindings []*ast.Binding
	for _, d := range vars {
		bindings = append(bindings, d.List...)
	}
	for _, st := range list {
		switch s := st.(type) {
		case *ast.LexicalDeclaration:
			bindings = append(bindings, s.List...)
		case *ast.FunctionDeclaration:
			f.code(scope, s.Function.Name.Name)
		case *ast.ClassDeclaration:
			f.code(scope, s.Class.Name.Name)
		}
	}
	for _, b := range bindings {
		f.declareAll(scope, b.Target)
	}
	f.params = 0
	for _, b := range bindings {
		f.begin(b)
	}
	return mark
}

// code declares the name of a function or class.
func (f *flow) code(scope int, name unistring.String) {
	if b := f.declare(scope, name); !b.again {
		b.shape, b.listed = shapeFunction, true
	}
}

// begin notes what a declared binding starts with, before any code that uses it
// is looked at.
func (f *flow) begin(b *ast.Binding) {
	if b.Initializer == nil {
		return
	}
	if id, ok := b.Target.(*ast.Identifier); ok {
		if n := f.resolve(id.Name); !n.again {
			n.shape, n.listed = f.shapeOf(id.Name, b.Initializer), true
			switch e := unwrapped(b.Initializer).(type) {
			case *ast.DotExpression:
				if simple(e.Left) {
					n.member = e.Identifier.Name.String()
				}
			case *ast.Identifier:
				n.copied = true
			}
		}
	}
	f.deep = !simple(b.Initializer)
	f.alias(b.Target, f.kindOf(b.Initializer))
	f.deep = false
}

// simple reports whether an expression is a name or this.
func simple(e ast.Expression) bool {
	switch unwrapped(e).(type) {
	case *ast.Identifier, *ast.ThisExpression:
		return true
	}
	return false
}

// alias gives a name, or the names of a pattern, the kind of what they are
// bound to.
func (f *flow) alias(target ast.Expression, k kind) {
	switch t := target.(type) {
	case *ast.Identifier:
		if n := f.resolve(t.Name); n != nil && k != kindNone && !n.again {
			n.kind = k
		}
	case *ast.AssignExpression:
		f.alias(t.Left, k)
	case *ast.Binding:
		f.alias(t.Target, k)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				f.takes(&p.Name, p.Name.Name.String(), k)
			case *ast.PropertyKeyed:
				if key, ok := constant(p.Key); ok {
					f.takes(p.Value, key, k)
				}
			}
		}
		if k == kindContext || k == kindContextName {
			f.alias(t.Rest, k)
		}
	}
}

// takes gives a target of a pattern the kind of the member that it is bound to.
func (f *flow) takes(target ast.Expression, key string, k kind) {
	if id, ok := target.(*ast.Identifier); ok {
		if n := f.resolve(id.Name); n != nil {
			n.listed = true
			if !f.deep {
				n.member = key
			}
		}
	}
	f.alias(target, k.member(key))
}

func (f *flow) shapeOf(name unistring.String, e ast.Expression) shape {
	switch e := e.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral:
		return shapeFunction
	case *ast.ArrayLiteral:
		return shapeCollection
	case *ast.ObjectLiteral:
		if len(e.Value) == 0 && strings.Contains(name.String(), "_exports") {
			return shapeLibrary // what the bundler fills with a module's exports
		}
	case *ast.NewExpression:
		if id, ok := e.Callee.(*ast.Identifier); ok && f.resolve(id.Name) == nil {
			switch id.Name {
			case "Map", "Set", "WeakMap", "WeakSet":
				return shapeCollection
			case "RegExp":
				return shapeResult
			}
		}
	case *ast.CallExpression:
		if id, ok := e.Callee.(*ast.Identifier); ok && id.Name == "__toESM" {
			return shapeLibrary
		}
		return shapeResult
	case *ast.RegExpLiteral:
		return shapeResult
	}
	return shapeUnknown
}
