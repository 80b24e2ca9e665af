package reading

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/unistring"
)

// call walks a call, or a new. statement says that nobody uses the result.
func (f *flow) call(e, callee ast.Expression, args []ast.Expression, statement bool) {
	var given *node
	if !plain(args) {
		given = f.graph.node()
		f.edge(given)
	}
	switch c := unwrapped(callee).(type) {
	case *ast.Identifier:
		f.callName(c, args, given, statement)
	case *ast.DotExpression:
		if f.getter(c, args, e) {
			return
		}
		f.callMember(c, c.Left, c.Identifier.Name.String(), args, given, statement)
	case *ast.BracketExpression:
		name, _ := constant(c.Member)
		f.callMember(c, c.Left, name, args, given, statement)
	default:
		made := f.graph.node()
		f.edge(made)
		if given != nil {
			given.wraps = made
			made.args = given
		}
		f.as(made, func() {
			f.named = made
			f.walk(callee)
		})
		for _, a := range args {
			f.stored(a, made, 3) // (function (ns) { ns.x = … })(ns ||= {})
		}
	}
	if given == nil {
		for _, a := range args {
			f.walk(a)
		}
		return
	}
	f.as(given, func() {
		for _, a := range args {
			f.walk(a)
		}
	})
	if !statement {
		return
	}
	var filler *node
	if id, ok := callee.(*ast.Identifier); ok && directed[id.Name.String()] {
		args = args[:1]
	} else if ok && f.atTop() {
		filler = f.resolve(id.Name) // fill(api) may fill it from its own code
	}
	for _, a := range args {
		f.stored(a, given, 3)
		if id, ok := a.(*ast.Identifier); ok && filler != nil {
			if b := f.resolve(id.Name); b != nil && !b.held {
				touch(b, filler)
			}
		}
	}
}

// atTop reports whether the code is that of a module, not of a function in it.
func (f *flow) atTop() bool { return f.fn == nil || f.fn.module }

// plain reports whether arguments are nothing but literals.
func plain(args []ast.Expression) bool {
	for _, a := range args {
		switch a.(type) {
		case *ast.StringLiteral, *ast.NumberLiteral, *ast.BooleanLiteral, *ast.NullLiteral, *ast.RegExpLiteral:
		default:
			return false
		}
	}
	return true
}

// stored notes that a function may store what else it is given into one of its
// arguments.
func (f *flow) stored(e ast.Expression, given *node, levels int) {
	if levels == 0 {
		return
	}
	switch e := e.(type) {
	case *ast.Identifier:
		touch(f.resolve(e.Name), given)
	case *ast.SpreadElement:
		f.stored(e.Expression, given, levels-1)
	case *ast.ArrayLiteral:
		for _, v := range e.Value {
			f.stored(v, given, levels-1)
		}
	case *ast.ObjectLiteral:
		if f.found.literals[e] != nil {
			return // a tool, whose parts are not meant
		}
		for _, p := range e.Value {
			if _, v, _ := property(p); v != nil {
				f.stored(v, given, levels-1)
			}
		}
	case *ast.DotExpression:
		if id, _ := rootOf(e); id != nil {
			touch(f.resolve(id.Name), given)
		}
	case *ast.BinaryExpression:
		f.stored(e.Left, given, levels-1)
		f.stored(e.Right, given, levels-1)
	case *ast.AssignExpression:
		f.stored(e.Left, given, levels-1)
	}
}

// callName is a call of a function by its name.
func (f *flow) callName(id *ast.Identifier, args []ast.Expression, given *node, statement bool) {
	f.identifier(id, true)
	if id.Name == "__commonJS" || id.Name == "__esm" {
		f.modules(args)
	}
	b := f.resolve(id.Name)
	if b == nil || given == nil {
		return
	}
	if !directed[id.Name.String()] {
		given.wraps = b
	}
	if b.args == nil {
		b.args = f.graph.node()
	}
	b.args.edges = append(b.args.edges, given)
	if statement && f.atTop() && b.shape != shapeFunction {
		touch(b, given) // whatever it is may keep what it gets
	}
}

// modules notes the functions that the bundler puts around a module.
func (f *flow) modules(args []ast.Expression) {
	for _, a := range args {
		if o, ok := a.(*ast.ObjectLiteral); ok {
			for _, p := range o.Value {
				if p, ok := p.(*ast.PropertyKeyed); ok {
					f.module[p.Value] = true
				}
			}
		}
	}
}

// callMember is a call of a method.
func (f *flow) callMember(c, left ast.Expression, name string, args []ast.Expression, given *node, statement bool) {
	each := eachMethods[name]
	walk := func() {
		k := kindNone
		if b, ok := c.(*ast.BracketExpression); ok {
			k = f.bracket(b, true)
		} else {
			k = f.member(left, name, true)
		}
		f.escape(k, left.Idx0())
	}
	id, through := rootOf(left)
	if given == nil || id == nil {
		if given != nil && each { // [tool].map(wrap)
			f.part(walk).wraps = given
		} else {
			walk()
		}
		return
	}
	walk()
	b := f.resolve(id.Name)
	if b == nil {
		f.callGlobal(id.Name, left, name, args, given)
		return
	}
	if b.shape != shapeCollection {
		given.wraps = b
	}
	switch {
	case each:
		b.eaches = append(b.eaches, given)
		if !through && b.shape == shapeUnknown {
			touch(b, given)
		}
	case b.shape != shapeLibrary || statement:
		touch(b, given)
	}
}

// callGlobal is a call of a method of a global.
func (f *flow) callGlobal(global unistring.String, left ast.Expression, name string, args []ast.Expression, given *node) {
	if storing[global.String()][name] && len(args) > 0 {
		given.wraps = given // what is assigned may wrap what it is assigned to
		if id, _ := rootOf(args[0]); id == nil {
			return
		} else if b := f.resolve(id.Name); b != nil {
			touch(b, given)
		} else {
			touch(f.graph.ambient, given)
		}
		return
	}
	// globalThis.handlers.push(…), but not globalThis.console.log(…).
	if d, ok := unwrapped(left).(*ast.DotExpression); ok && f.kindOf(d.Left) == kindGlobal {
		switch c := d.Identifier.Name.String(); c {
		case "console", "performance", "process", "rho", "crypto":
		default:
			if c[0] >= 'a' && c[0] <= 'z' {
				touch(f.graph.ambient, given)
			}
		}
	}
}
