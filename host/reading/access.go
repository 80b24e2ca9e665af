package reading

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"github.com/rho-ext/rho-ext/registry"
)

// identifier is a name that is used as a value or, with callee, is called.
func (f *flow) identifier(id *ast.Identifier, callee bool) {
	if b := f.resolve(id.Name); b != nil {
		f.edge(b)
	} else {
		f.freed(id)
		switch id.Name {
		case "fetch":
			f.effect(registry.EffectNet, "fetch", id.Idx, callee)
		case "arguments":
			fn := f.fn
			for fn != nil && fn.arrow {
				fn = fn.up
			}
			if fn != nil && fn.context {
				f.fact(fact{kind: factHandsOn}, false)
			}
		}
	}
	f.escape(f.kindOf(id), id.Idx)
}

// freed notes a name that nothing declares.
func (f *flow) freed(id *ast.Identifier) {
	if f.free != nil && f.resolve(id.Name) == nil {
		f.free[id.Idx] = true
	}
}

// escape notes that a thing of a kind goes where it cannot be followed.
func (f *flow) escape(k kind, at file.Idx) {
	switch k {
	case kindRho:
		f.fact(fact{kind: factWhole, effects: everyEffect, name: "rho", at: at}, false)
	case kindContext:
		f.fact(fact{kind: factHandsOn, at: at}, false)
	case kindFS:
		f.effect(registry.EffectRead|registry.EffectWrite, "ctx.fs", at, false)
	case kindFSName:
		f.fact(fact{kind: factEscaped, effects: registry.EffectRead | registry.EffectWrite, name: "ctx.fs", at: at}, false)
	case kindGlobal, kindProcess, kindEnv, kindCode:
		f.fact(fact{kind: factComputed, at: at}, false)
	}
}

// computed is an access to a member of e, which is of kind k, whose name cannot
// be read.
func (f *flow) computed(k kind, e ast.Node, at file.Idx) {
	if d, ok := e.(*ast.DotExpression); ok && k == kindContextName && d.Identifier.Name == "context" {
		return // most of those are lists
	}
	switch k {
	case kindContext:
		f.effect(contextEffects, "ctx[…]", at, false)
		f.fact(fact{kind: factCallTool, name: "ctx[…]", at: at}, false)
	case kindContextName:
		f.fact(fact{kind: factEscaped, effects: contextEffects, name: "ctx[…]", at: at}, false)
	default:
		f.escape(k, at)
	}
}

// memberFacts gives what it means to use a member of a thing of kind k.
func memberFacts(k kind, name string, at file.Idx) (fact, bool) {
	effect := func(e registry.Effects, of string) (fact, bool) {
		return fact{kind: factEffect, effects: e, name: of + name, at: at}, e != 0
	}
	switch k {
	case kindRho:
		return effect(rhoEffects[name], "rho.")
	case kindGlobal:
		if name == "fetch" {
			return effect(registry.EffectNet, "")
		}
		return fact{}, false
	case kindCode:
		return fact{kind: factComputed, at: at}, name == "call" || name == "apply" || name == "bind"
	case kindFS, kindFSName:
		return effect(fsEffects[name], "ctx.fs.")
	case kindEnv:
		return fact{kind: factEnv, name: name, at: at}, true
	case kindContext, kindContextName:
		if name == "exec" {
			return effect(registry.EffectRun, "ctx.")
		}
	}
	if name == "callTool" {
		return fact{kind: factCallTool, name: "ctx.callTool", at: at}, true
	}
	return fact{}, false
}

// member is the use of a member by its name. It gives the kind of the member.
func (f *flow) member(left ast.Expression, name string, callee bool) kind {
	k := f.kindOf(left)
	f.consume(left)
	if x, ok := memberFacts(k, name, 0); ok {
		x.at = left.Idx0()
		f.fact(x, callee)
	} else if name == "exec" && k == kindNone {
		f.perhapsContext(left)
	}
	return k.member(name)
}

// perhapsContext looks at the receiver of a method exec. Regular expressions
// have one, so it counts only where a ctx was handed on: then for parameters and
// for members that one was stored into.
func (f *flow) perhapsContext(left ast.Expression) {
	x := fact{kind: factEscaped, effects: registry.EffectRun, name: "ctx.exec", at: left.Idx0()}
	switch e := unwrapped(left).(type) {
	case *ast.Identifier:
		b := f.resolve(e.Name)
		switch {
		case b == nil:
			return
		case b.param != nil || !b.listed || b.copied:
		case b.member != "":
			x.kind, x.name = factMember, b.member
		default:
			return
		}
		f.fact(x, false)
	case *ast.DotExpression:
		if simple(e.Left) { // not this.rules.text
			x.kind, x.name = factMember, e.Identifier.Name.String()
			f.fact(x, false)
		}
	case *ast.PrivateDotExpression:
		x.kind, x.name = factMember, "#"+e.Identifier.Name.String()
		f.fact(x, false)
	case *ast.BracketExpression:
		if name, ok := constant(e.Member); ok {
			x.kind, x.name = factMember, name
			f.fact(x, false)
		}
		if id, ok := e.Left.(*ast.Identifier); ok {
			if b := f.resolve(id.Name); b != nil && b.param != nil || b == nil && id.Name == "arguments" {
				x.kind, x.name = factEscaped, "ctx.exec"
				f.fact(x, false)
			}
		}
	}
}

// stores notes that a member gets a parameter or a ctx for its value.
func (f *flow) stores(name string, value ast.Expression) {
	id, ok := value.(*ast.Identifier)
	if !ok || name == "" {
		return
	}
	b := f.resolve(id.Name)
	if k := f.kindOf(id); k == kindContext || k == kindContextName || b != nil && b.param != nil {
		f.fact(fact{kind: factStores, name: name}, false)
	}
}

func (f *flow) bracket(e *ast.BracketExpression, callee bool) kind {
	if name, ok := constant(e.Member); ok {
		return f.member(e.Left, name, callee)
	}
	f.computed(f.kindOf(e.Left), e.Left, e.Idx0())
	f.consume(e.Left)
	f.walk(e.Member)
	return kindNone
}

// consume walks an expression that, if it is one of a known kind, does not go
// anywhere as a value.
func (f *flow) consume(e ast.Expression) {
	if f.kindOf(e) == kindNone {
		f.walk(e)
		return
	}
	switch e := e.(type) {
	case *ast.Identifier:
		f.edge(f.resolve(e.Name))
		f.freed(e)
	case *ast.DotExpression:
		f.consume(e.Left)
	case *ast.PrivateDotExpression:
		f.walk(e.Left)
	case *ast.BracketExpression:
		f.consume(e.Left)
	case *ast.OptionalChain:
		f.consume(e.Expression)
	case *ast.Optional:
		f.consume(e.Expression)
	case *ast.AwaitExpression:
		f.consume(e.Argument)
	case *ast.ConditionalExpression:
		f.test(e.Test)
		f.consume(e.Consequent)
		f.consume(e.Alternate)
	case *ast.BinaryExpression:
		f.consume(e.Left)
		f.consume(e.Right)
	}
}

// test walks an expression of which only the truth, type or likeness to another
// is asked.
func (f *flow) test(e ast.Expression) {
	switch x := unwrapped(e).(type) {
	case *ast.Identifier:
		if x.Name == "fetch" && f.resolve(x.Name) == nil {
			return
		}
	case *ast.DotExpression:
		if k := f.kindOf(x.Left); k != kindNone && k != kindEnv && f.kindOf(x) == kindNone {
			f.consume(x.Left)
			return
		}
	}
	f.consume(e)
}
