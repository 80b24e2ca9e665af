package reading

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// statement walks statements, and whatever needs no care.
func (f *flow) statement(n ast.Node) {
	switch s := n.(type) {
	case *ast.ExpressionStatement:
		f.expression(s.Expression)
	case *ast.VariableStatement:
		f.bindings(s.List)
	case *ast.LexicalDeclaration:
		f.bindings(s.List)
	case *ast.ForLoopInitializerVarDeclList:
		f.bindings(s.List)
	case *ast.FunctionDeclaration:
		b := f.resolve(s.Function.Name.Name)
		f.as(b, func() {
			f.named = b
			f.walk(s.Function)
		})
	case *ast.ClassDeclaration:
		b := f.resolve(s.Class.Name.Name)
		f.edge(b) // its static members run where it stands
		f.as(b, func() {
			f.named = b
			f.walk(s.Class)
		})
	case *ast.BlockStatement:
		f.block(nil, s.List)
	case *ast.ReturnStatement:
		f.result(s.Argument)
	case *ast.IfStatement:
		f.test(s.Test)
		f.walk(s.Consequent)
		if s.Alternate != nil {
			f.walk(s.Alternate)
		}
	case *ast.LabelledStatement:
		f.walk(s.Statement)
	case *ast.BranchStatement:
	case *ast.SwitchStatement:
		f.walk(s.Discriminant)
		var all []ast.Statement
		for _, c := range s.Body {
			all = append(all, c.Consequent...)
		}
		mark := f.enter(nil, all)
		for _, c := range s.Body {
			children(c, f.walk)
		}
		f.leave(mark)
	case *ast.CatchStatement:
		mark := len(f.open)
		f.last++
		if s.Parameter != nil {
			f.declareAll(f.last, s.Parameter)
			f.pattern(s.Parameter, kindNone, nil, true)
		}
		f.walk(s.Body)
		f.leave(mark)
	case *ast.ForStatement:
		mark := len(f.open)
		if l, ok := s.Initializer.(*ast.ForLoopInitializerLexicalDecl); ok {
			mark = f.enter(nil, []ast.Statement{&l.LexicalDeclaration})
		}
		children(s, f.walk)
		f.leave(mark)
	case *ast.ForOfStatement:
		f.loop(s.Into, s.Source, s.Body)
	case *ast.ForInStatement:
		f.loop(s.Into, s.Source, s.Body)
	default:
		children(n, f.walk)
	}
}

func (f *flow) block(vars []*ast.VariableDeclaration, list []ast.Statement) {
	mark := f.enter(vars, list)
	for _, st := range list {
		f.walk(st)
	}
	f.leave(mark)
}

// expression walks an expression statement. A call whose result nobody uses is
// made for what it does: it may store what it is given.
func (f *flow) expression(e ast.Expression) {
	switch x := e.(type) {
	case *ast.CallExpression:
		f.call(x, x.Callee, x.ArgumentList, true)
	case *ast.AwaitExpression:
		f.expression(x.Argument)
	case *ast.OptionalChain:
		f.expression(x.Expression)
	case *ast.UnaryExpression:
		if x.Operator == token.VOID {
			f.expression(x.Operand)
			return
		}
		f.walk(e)
	case *ast.SequenceExpression:
		for _, x := range x.Sequence {
			f.expression(x)
		}
	case *ast.BinaryExpression:
		if x.Operator == token.LOGICAL_AND || x.Operator == token.LOGICAL_OR || x.Operator == token.COALESCE {
			f.test(x.Left)
			f.expression(x.Right)
			return
		}
		f.walk(e)
	default:
		f.walk(e)
	}
}

func (f *flow) loop(into ast.ForInto, source ast.Expression, body ast.Statement) {
	from := f.part(func() { f.walk(source) })
	mark := len(f.open)
	switch i := into.(type) {
	case *ast.ForDeclaration:
		f.last++
		f.declareAll(f.last, i.Target)
		f.pattern(i.Target, kindNone, from, true)
	case *ast.ForIntoVar:
		f.pattern(i.Binding.Target, kindNone, from, true)
	case *ast.ForIntoExpression:
		f.pattern(i.Expression, kindNone, from, false)
	}
	f.walk(body)
	f.leave(mark)
}

func (f *flow) bindings(list []*ast.Binding) {
	for _, b := range list {
		f.binding(b)
	}
}

func (f *flow) binding(b *ast.Binding) {
	if b.Initializer == nil {
		return
	}
	k := f.kindOf(b.Initializer)
	id, ok := b.Target.(*ast.Identifier)
	if !ok {
		from := f.part(func() {
			if k != kindNone {
				f.consume(b.Initializer)
			} else {
				f.walk(b.Initializer)
			}
		})
		f.pattern(b.Target, k, from, true)
		return
	}
	n := f.resolve(id.Name)
	switch b.Initializer.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral: // runs when it is called
	default:
		f.edge(n)
	}
	f.as(n, func() {
		f.named = n
		if k != kindNone && n.kind == k {
			f.consume(b.Initializer)
		} else {
			f.walk(b.Initializer)
		}
	})
	f.hold(n, b.Initializer)
}

// hold notes that a binding is a literal that the host calls, perhaps passed
// through a function such as defineTool.
func (f *flow) hold(n *node, e ast.Expression) {
	switch e := e.(type) {
	case *ast.ObjectLiteral:
		if r := f.found.literals[e]; r != nil {
			r.held, n.held = n, true
		}
	case *ast.CallExpression:
		for _, a := range e.ArgumentList {
			f.hold(n, a)
		}
	}
}
