package reading

import "github.com/dop251/goja/ast"

// function walks a function: its parameters, then its body.
func (f *flow) function(lit ast.Node, named *node, fn *routine, name *ast.Identifier, params *ast.ParameterList, body ast.Node, vars []*ast.VariableDeclaration) {
	saved := f.place
	mark := len(f.open)
	fn.up, fn.binding, fn.module = f.fn, named, f.module[lit]
	fn.known = fn.module
	position, called := f.hosts[lit]
	if named != nil && named.host != 0 && !called {
		position, called = named.host-1, true
	}
	fn.context = called
	f.fn, f.nested, f.runs = fn, true, f.owner
	f.outer = f.outer && fn.arrow
	if name != nil && named == nil {
		f.last++
		fn.binding = f.declare(f.last, name.Name)
		fn.binding.edges = append(fn.binding.edges, f.owner)
	} else if name != nil {
		// Its own name inside is that of the binding it belongs to.
		f.names[name.Name] = append(f.names[name.Name], named)
		f.open = append(f.open, name.Name)
	}
	f.last++
	scope, first := f.last, len(f.open)
	for _, p := range params.List {
		f.declareAll(scope, p.Target)
	}
	f.declareAll(scope, params.Rest)
	for _, name := range f.open[first:] {
		f.resolve(name).param = fn
	}
	for i, p := range params.List {
		k := kindNone
		if p.Initializer != nil {
			k = f.kindOf(p.Initializer)
		}
		if called && i == position {
			k = kindContext
		}
		f.alias(p.Target, k)
	}
	for i, p := range params.List {
		f.parameter(p, called && i == position)
	}
	if params.Rest != nil {
		f.pattern(params.Rest, kindNone, nil, true)
		if called && position >= len(params.List) {
			f.fact(fact{kind: factHandsOn}, false)
		}
	}
	f.params = scope
	switch b := body.(type) {
	case *ast.BlockStatement:
		f.block(vars, b.List)
	default:
		f.enter(vars, nil)
		f.walk(b)
	}
	f.leave(mark)
	f.place = saved
}

func (f *flow) parameter(p *ast.Binding, context bool) {
	k := kindNone
	var from *node
	if p.Initializer != nil {
		k = f.kindOf(p.Initializer)
		from = f.part(func() {
			if id, ok := p.Target.(*ast.Identifier); ok && k != kindNone && f.resolve(id.Name).kind == k {
				f.consume(p.Initializer)
			} else if _, ok := p.Target.(*ast.ObjectPattern); ok && k != kindNone && !context {
				f.consume(p.Initializer)
			} else {
				f.walk(p.Initializer)
			}
		})
	}
	if context {
		k = kindContext
	}
	f.pattern(p.Target, k, from, true)
}

func (f *flow) class(c *ast.ClassLiteral, named *node) {
	saved := f.place
	mark := len(f.open)
	if c.Name != nil && f.resolve(c.Name.Name) != named {
		f.last++
		self := f.declare(f.last, c.Name.Name)
		self.edges = append(self.edges, f.owner)
		if named == nil {
			named = self
		}
	}
	if c.SuperClass != nil {
		f.walk(c.SuperClass)
	}
	f.nested, f.runs, f.outer = true, f.owner, false
	for _, el := range c.Body {
		switch el := el.(type) {
		case *ast.MethodDefinition:
			key, _ := f.key(el.Key, el.Computed)
			if i, ok := hostMembers[key]; ok {
				f.hosts[el.Body] = i
			}
			if key == "constructor" {
				f.named = named
			}
			f.walk(el.Body)
		case *ast.FieldDefinition:
			key, _ := f.key(el.Key, el.Computed)
			if el.Initializer != nil {
				f.hostFunction(key, el.Initializer)
				f.stores(key, el.Initializer)
				f.result(el.Initializer)
			}
		case *ast.ClassStaticBlock:
			f.block(el.DeclarationList, el.Block.List)
		}
	}
	f.leave(mark)
	f.place = saved
}

// key walks the key of a member and gives its name, where that is a constant.
func (f *flow) key(e ast.Expression, computed bool) (string, bool) {
	name, ok := constant(e)
	if !ok && computed {
		f.walk(e)
	}
	return name, ok
}

// hostMembers are the members that the host calls, and which of the parameters
// is the ctx.
var hostMembers = map[string]int{
	"execute": 1, "onToolCall": 1, "onToolResult": 1, "onBeforeModel": 1, "onLoad": 0,
}

// hostFunction notes that the host calls the value of a member.
func (f *flow) hostFunction(key string, value ast.Expression) {
	position, ok := hostMembers[key]
	if !ok {
		return
	}
	f.givesContext(value, position)
}

func (f *flow) givesContext(value ast.Expression, position int) {
	switch v := value.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		f.hosts[v] = position
	case *ast.Identifier:
		// Functions by that name were found before. What else it may be is
		// called with a ctx that cannot be followed.
		if b := f.resolve(v.Name); b == nil || b.shape != shapeFunction {
			f.fact(fact{kind: factHandsOn}, false)
		}
	default:
		f.fact(fact{kind: factHandsOn}, false)
	}
}
