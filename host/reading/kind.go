package reading

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/rho-ext/rho-ext/registry"
)

// kind is what an expression is known to stand for, as far as effects go.
type kind uint8

const (
	kindNone        kind = iota
	kindRho              // the global rho
	kindGlobal           // globalThis
	kindContext          // the ctx of a tool, hook or command
	kindContextName      // something that is called ctx or context
	kindFS               // the fs of such a ctx
	kindFSName           // something that is called fs
	kindProcess          // the global process
	kindEnv              // its env
	kindCode             // eval or Function, which run any text
)

const everyEffect = registry.EffectRead | registry.EffectWrite | registry.EffectNet | registry.EffectRun

// contextEffects are those of a ctx.
const contextEffects = registry.EffectRead | registry.EffectWrite | registry.EffectRun

var rhoEffects = map[string]registry.Effects{
	"readFile": registry.EffectRead, "writeFile": registry.EffectWrite,
	"runCommand": registry.EffectRun, "fetchUrl": registry.EffectNet,
}

var fsEffects = map[string]registry.Effects{
	"read": registry.EffectRead, "readBytes": registry.EffectRead, "list": registry.EffectRead,
	"stat": registry.EffectRead, "glob": registry.EffectRead,
	"write": registry.EffectWrite, "append": registry.EffectWrite, "remove": registry.EffectWrite,
	"rename": registry.EffectWrite, "mkdir": registry.EffectWrite,
}

// globalKind is the kind of a global, by its name.
func globalKind(name string) kind {
	switch name {
	case "rho":
		return kindRho
	case "globalThis", "self", "global", "window":
		return kindGlobal
	case "process":
		return kindProcess
	case "eval", "Function":
		return kindCode
	}
	return contextKind(name)
}

func contextKind(name string) kind {
	if name == "ctx" || name == "context" {
		return kindContextName
	}
	return kindNone
}

// member is the kind of a member of k.
func (k kind) member(name string) kind {
	switch {
	case k == kindGlobal:
		return globalKind(name)
	case k == kindProcess && name == "env":
		return kindEnv
	case name == "fs" && (k == kindContext || k == kindContextName):
		return kindFS
	case name == "fs":
		return kindFSName
	}
	return contextKind(name)
}

// kindOf finds what an expression stands for. It looks only a few levels deep:
// what is nested deeper counts as a value that goes anywhere.
func (f *flow) kindOf(e ast.Expression) kind { return f.kindWithin(e, 6) }

func (f *flow) kindWithin(e ast.Expression, levels int) kind {
	if levels == 0 {
		return kindNone
	}
	levels--
	switch e := e.(type) {
	case *ast.Identifier:
		name := e.Name.String()
		b := f.resolve(e.Name)
		switch {
		case b == nil:
			return globalKind(name)
		case b.kind != kindNone:
			return b.kind
		}
		return contextKind(name)
	case *ast.DotExpression:
		return f.kindWithin(e.Left, levels).member(e.Identifier.Name.String())
	case *ast.PrivateDotExpression:
		return contextKind(e.Identifier.Name.String())
	case *ast.BracketExpression:
		if name, ok := constant(e.Member); ok {
			return f.kindWithin(e.Left, levels).member(name)
		}
	case *ast.OptionalChain:
		return f.kindWithin(e.Expression, levels)
	case *ast.Optional:
		return f.kindWithin(e.Expression, levels)
	case *ast.AwaitExpression:
		return f.kindWithin(e.Argument, levels)
	case *ast.ConditionalExpression:
		return either(f.kindWithin(e.Consequent, levels), f.kindWithin(e.Alternate, levels))
	case *ast.BinaryExpression:
		switch e.Operator {
		case token.LOGICAL_OR, token.LOGICAL_AND, token.COALESCE:
			return either(f.kindWithin(e.Left, levels), f.kindWithin(e.Right, levels))
		}
	}
	return kindNone
}

// either is the kind of what is one or the other. Two different ones make a value
// that is not followed.
func either(a, b kind) kind {
	switch {
	case a == kindNone || a == b:
		return b
	case b == kindNone:
		return a
	}
	return kindNone
}

// constant gives the text that an expression always has.
func constant(e ast.Expression) (string, bool) { return constantWithin(e, 8) }

func constantWithin(e ast.Expression, levels int) (string, bool) {
	switch e := e.(type) {
	case *ast.StringLiteral:
		return e.Value.String(), true
	case *ast.NumberLiteral:
		return e.Literal, true
	case *ast.TemplateLiteral:
		if e.Tag == nil && len(e.Expressions) == 0 && len(e.Elements) == 1 {
			return e.Elements[0].Parsed.String(), true
		}
	case *ast.BinaryExpression:
		if e.Operator == token.PLUS && levels > 0 {
			if a, ok := constantWithin(e.Left, levels-1); ok {
				if b, ok := constantWithin(e.Right, levels-1); ok {
					return a + b, true
				}
			}
		}
	}
	return "", false
}

// unwrapped is e without the marks of optional chaining.
func unwrapped(e ast.Expression) ast.Expression {
	for {
		switch x := e.(type) {
		case *ast.OptionalChain:
			e = x.Expression
		case *ast.Optional:
			e = x.Expression
		default:
			return e
		}
	}
}
