package reading

import (
	"github.com/dop251/goja/ast"

	"github.com/rho-ext/rho-ext/registry"
)

// mentions gives the effects that one node names. A mention counts, not only a
// call: a function passed on is used somewhere.
func mentions(n ast.Node) registry.Effects {
	switch e := n.(type) {
	case *ast.Identifier:
		return global(e.Name.String())
	case *ast.DotExpression:
		if isGlobalObject(e.Left) {
			return global(e.Identifier.Name.String())
		}
		if id, ok := e.Left.(*ast.Identifier); ok && id.Name == "rho" {
			return rhoMember(e.Identifier.Name.String())
		}
	case *ast.BracketExpression:
		s, ok := e.Member.(*ast.StringLiteral)
		if !ok {
			return 0
		}
		if isGlobalObject(e.Left) {
			return global(s.Value.String())
		}
		if id, ok := e.Left.(*ast.Identifier); ok && id.Name == "rho" {
			return rhoMember(s.Value.String())
		}
	case *ast.ObjectPattern:
		var out registry.Effects
		for _, p := range e.Properties {
			k, _, _ := property(p)
			out |= global(k) | rhoMember(k)
		}
		return out
	}
	return 0
}

func isGlobalObject(e ast.Expression) bool {
	id, ok := e.(*ast.Identifier)
	return ok && (id.Name == "globalThis" || id.Name == "self")
}

func global(name string) registry.Effects {
	if name == "fetch" {
		return registry.EffectNet
	}
	return 0
}

func rhoMember(name string) registry.Effects {
	if name == "readFile" {
		return registry.EffectRead
	}
	return 0
}
