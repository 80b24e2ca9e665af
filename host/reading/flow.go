package reading

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"

	"github.com/rho-ext/rho-ext/registry"
)

// flow walks a script and builds its graph. It recurses as deep as walk does,
// which has refused what is too deep.
type flow struct {
	scopes
	graph graph
	found *found
	place
	params int               // the scope of the parameters of the function that begins
	module map[ast.Node]bool // functions whose bodies are modules
	deep   bool              // a pattern takes members out of more than a name
	hosts  map[ast.Node]int  // functions that the host calls → which parameter is ctx
	free   map[file.Idx]bool // where names are that nothing declares; nil: not wanted
}

// place is where the walk is.
type place struct {
	owner  *node // what the code belongs to
	runs   *node // what runs it when it is reached
	fn     *routine
	nested bool  // in a function: not a part of the owner's value
	root   *root // the innermost
	outer  bool  // this is not root's
	named  *node // the binding that the expression is the value of
}

// read builds the graph of a script.
func read(prg *ast.Program, found *found) *graph {
	f := newFlow(prg, found)
	f.all(prg)
	return &f.graph
}

func newFlow(prg *ast.Program, found *found) *flow {
	f := &flow{found: found, module: map[ast.Node]bool{}, hosts: map[ast.Node]int{}}
	f.names = map[unistring.String][]*node{}
	f.owner = f.graph.node()
	f.runs = f.owner
	f.graph.ambient = f.graph.node()
	if len(prg.Body) == 1 { // the bundler's async function around everything
		if st, ok := prg.Body[0].(*ast.ExpressionStatement); ok {
			if c, ok := st.Expression.(*ast.CallExpression); ok && len(c.ArgumentList) == 0 {
				f.module[c.Callee] = true
			}
		}
	}
	return f
}

func (f *flow) all(prg *ast.Program) {
	f.enter(prg.DeclarationList, prg.Body)
	for _, st := range prg.Body {
		f.walk(st)
	}
}

// edge notes that the owner mentions n.
func (f *flow) edge(n *node) {
	o := f.owner
	if n == nil || n == o || n.from == o && (n.fromValue || f.nested) {
		return
	}
	n.from, n.fromValue = o, !f.nested
	o.edges = append(o.edges, n)
	if !f.nested {
		n.holders = append(n.holders, o)
	}
}

// touch notes that n is stored into b.
func touch(b, n *node) {
	if b != nil && n != nil && b != n {
		b.touches = append(b.touches, n)
		n.holders = append(n.holders, b)
	}
}

// as walks with another owner, whose value the walked code is.
func (f *flow) as(owner *node, walk func()) {
	saved := f.place
	f.owner, f.nested, f.named = owner, false, nil
	walk()
	f.place = saved
}

// part makes a node for a part of the owner's code and walks it.
func (f *flow) part(walk func()) *node {
	n := f.graph.node()
	f.edge(n)
	f.as(n, walk)
	return n
}

// fact notes something that the code does. With callee, it calls what it names:
// then the one who runs the code does it, and a value that is made there does not
// carry it on.
func (f *flow) fact(x fact, callee bool) {
	n := f.owner
	if callee {
		n = f.runs
	}
	n.facts = append(n.facts, x)
}

func (f *flow) effect(e registry.Effects, name string, at file.Idx, callee bool) {
	f.fact(fact{kind: factEffect, effects: e, name: name, at: at}, callee)
}

func (f *flow) walk(n ast.Node) {
	named := f.named
	f.named = nil
	switch e := n.(type) {
	case *ast.Identifier:
		f.identifier(e, false)
	case *ast.DotExpression:
		k := f.member(e.Left, e.Identifier.Name.String(), false)
		f.escape(k, e.Identifier.Idx)
	case *ast.BracketExpression:
		k := f.bracket(e, false)
		f.escape(k, e.LeftBracket)
	case *ast.CallExpression:
		f.call(e, e.Callee, e.ArgumentList, false)
	case *ast.NewExpression:
		f.call(e, e.Callee, e.ArgumentList, false)
	case *ast.AssignExpression:
		f.assign(e)
	case *ast.ObjectLiteral:
		f.object(e)
	case *ast.FunctionLiteral:
		f.function(e, named, &routine{}, e.Name, e.ParameterList, e.Body, e.DeclarationList)
	case *ast.ArrowFunctionLiteral:
		f.function(e, named, &routine{arrow: true}, nil, e.ParameterList, e.Body, e.DeclarationList)
	case *ast.ClassLiteral:
		f.class(e, named)
	case *ast.ThisExpression, *ast.SuperExpression:
		if f.root != nil && f.outer {
			for fn := f.root.fn; fn != nil; fn = fn.up {
				f.root.open = f.root.open || !fn.known
			}
		}
	case *ast.UnaryExpression:
		switch e.Operator {
		case token.TYPEOF, token.NOT, token.VOID, token.DELETE:
			f.test(e.Operand)
		default:
			f.walk(e.Operand)
		}
	case *ast.BinaryExpression:
		f.binary(e)
	case *ast.ConditionalExpression:
		f.test(e.Test)
		f.walk(e.Consequent)
		f.walk(e.Alternate)
	case *ast.ExpressionBody:
		f.result(e.Expression)
	case *ast.PropertyShort:
		f.identifier(&e.Name, false)
		if e.Initializer != nil {
			f.walk(e.Initializer)
		}
	case *ast.MetaProperty, *ast.PrivateIdentifier, nil:
	default:
		f.statement(n)
	}
}

func (f *flow) binary(e *ast.BinaryExpression) {
	switch {
	case e.Operator == token.LOGICAL_AND:
		f.test(e.Left)
		f.walk(e.Right)
	case e.Comparison, e.Operator == token.IN, e.Operator == token.INSTANCEOF:
		f.test(e.Left)
		f.test(e.Right)
	default:
		f.walk(e.Left)
		f.walk(e.Right)
	}
}

// result walks what a function returns, which is a part of its value.
func (f *flow) result(e ast.Expression) {
	if e == nil {
		return
	}
	saved := f.nested
	f.nested = false
	f.walk(e)
	f.nested = saved
}
