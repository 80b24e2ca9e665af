package reading

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// assign walks an assignment: what is on the right is stored on the left, where
// others find it.
func (f *flow) assign(e *ast.AssignExpression) {
	key := ""
	switch l := e.Left.(type) {
	case *ast.DotExpression:
		key = l.Identifier.Name.String()
	case *ast.BracketExpression:
		key, _ = constant(l.Member)
	case *ast.PrivateDotExpression:
		key = "#" + l.Identifier.Name.String()
	}
	f.hostFunction(key, e.Right)
	f.stores(key, e.Right)
	k := kindNone
	var named *node
	switch l := e.Left.(type) {
	case *ast.Identifier:
		named = f.resolve(l.Name)
	case *ast.ObjectPattern:
		k = f.kindOf(e.Right)
	}
	from := f.part(func() {
		f.named = named
		if k != kindNone {
			f.consume(e.Right)
		} else {
			f.walk(e.Right)
		}
	})
	if named != nil {
		f.hold(named, e.Right)
	}
	f.pattern(e.Left, k, from, false)
}

// pattern binds a target, or stores into it: what comes from a value of kind k
// and is made by the code of from. declared says that the target is a new name.
func (f *flow) pattern(target ast.Expression, k kind, from *node, declared bool) {
	switch t := target.(type) {
	case *ast.Identifier:
		f.bind(t, k, from, declared)
	case *ast.Binding:
		f.withDefault(t.Target, t.Initializer, k, from, declared)
	case *ast.AssignExpression:
		f.withDefault(t.Left, t.Right, k, from, declared)
	case *ast.DotExpression:
		f.consume(t.Left)
		f.store(t, t.Identifier.Name.String(), from)
	case *ast.BracketExpression:
		f.consume(t.Left)
		f.walk(t.Member)
		name, _ := constant(t.Member)
		f.store(t, name, from)
	case *ast.PrivateDotExpression:
		f.walk(t.Left)
		f.store(t, "", from)
	case *ast.ArrayPattern:
		f.escape(k, t.Idx0())
		for _, e := range t.Elements {
			f.pattern(e, kindNone, from, declared)
		}
		f.pattern(t.Rest, kindNone, from, declared)
	case *ast.ObjectPattern:
		f.objectPattern(t, k, from, declared)
	}
}

func (f *flow) bind(id *ast.Identifier, k kind, from *node, declared bool) {
	b := f.resolve(id.Name)
	switch {
	case b == nil:
		touch(f.graph.ambient, from)
	case declared:
		f.as(b, func() { f.edge(from) })
	default:
		touch(b, from)
	}
	if b == nil || b.kind != k {
		f.escape(k, id.Idx)
	}
}

func (f *flow) withDefault(target, value ast.Expression, k kind, from *node, declared bool) {
	if value != nil {
		made := f.part(func() { f.walk(value) })
		f.pattern(target, kindNone, made, declared)
	}
	f.pattern(target, k, from, declared)
}

// store notes an assignment to a member.
func (f *flow) store(target ast.Expression, name string, from *node) {
	id, _ := rootOf(target)
	if id == nil || from == nil {
		return // this, or what a literal makes: the owner has it
	}
	b := f.resolve(id.Name)
	if b == nil {
		touch(f.graph.ambient, from) // Array.prototype.x = …
		return
	}
	touch(b, from)
	if name == "execute" {
		b.recast = append(b.recast, from)
	}
}

func (f *flow) objectPattern(t *ast.ObjectPattern, k kind, from *node, declared bool) {
	for _, p := range t.Properties {
		switch p := p.(type) {
		case *ast.PropertyShort:
			name := p.Name.Name.String()
			f.taken(&p.Name, k, name, p.Name.Idx)
			f.withDefault(&p.Name, p.Initializer, k.member(name), from, declared)
		case *ast.PropertyKeyed:
			name, ok := f.key(p.Key, p.Computed)
			if !ok {
				f.computed(k, t, p.Key.Idx0())
				f.pattern(p.Value, kindNone, from, declared)
				continue
			}
			f.taken(p.Value, k, name, p.Key.Idx0())
			f.pattern(p.Value, k.member(name), from, declared)
		}
	}
	if t.Rest == nil {
		return
	}
	id, ok := t.Rest.(*ast.Identifier)
	if !ok {
		f.escape(k, t.Rest.Idx0())
		f.pattern(t.Rest, kindNone, from, declared)
		return
	}
	if k == kindContext || k == kindContextName {
		f.bind(id, k, from, declared)
		return
	}
	// Everything that is left, for whoever uses the name.
	f.bind(id, kindNone, from, declared)
	if b := f.resolve(id.Name); b != nil {
		f.as(b, func() { f.escape(k, id.Idx) })
	} else {
		f.escape(k, id.Idx)
	}
}

// taken notes that a pattern takes a member out of a thing of kind k. Only who
// uses the new name uses the member.
func (f *flow) taken(target ast.Expression, k kind, name string, at file.Idx) {
	x, ok := memberFacts(k, name, at)
	if !ok && name == "exec" && k == kindNone {
		x, ok = fact{kind: factEscaped, effects: contextEffects & rhoEffects["runCommand"], name: "ctx.exec", at: at}, true
	}
	if !ok {
		return
	}
	if x.kind == factEnv {
		f.fact(x, true) // read here and now
	}
	for {
		switch t := target.(type) {
		case *ast.AssignExpression:
			target = t.Left
			continue
		case *ast.Binding:
			target = t.Target
			continue
		case *ast.Identifier:
			if b := f.resolve(t.Name); b != nil {
				b.facts = append(b.facts, x)
				return
			}
		}
		break
	}
	f.fact(x, false)
}
