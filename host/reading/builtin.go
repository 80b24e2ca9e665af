package reading

import "github.com/dop251/goja/ast"

// eachMethods look at what they are called on, and call what they are given
// there and then.
var eachMethods = names("map", "forEach", "filter", "find", "findIndex", "findLast", "findLastIndex", "some", "every",
	"reduce", "reduceRight", "flatMap", "sort", "toSorted", "then", "catch", "finally", "get", "has", "at", "includes",
	"indexOf", "join", "slice", "keys", "values", "entries", "toString")

// directed are helpers of the bundler that store into their first argument.
var directed = names("__export", "__reExport", "__copyProps", "__publicField", "__defProp")

// storing are the functions of the language that do, by object and name.
var storing = map[string]map[string]bool{
	"Object":  names("assign", "defineProperty", "defineProperties", "setPrototypeOf"),
	"Reflect": names("set", "defineProperty", "setPrototypeOf"),
}

// getting are those that read a member by its name.
var getting = map[string]map[string]bool{
	"Object":  names("getOwnPropertyDescriptor"),
	"Reflect": names("get", "getOwnPropertyDescriptor"),
}

func names(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, name := range list {
		m[name] = true
	}
	return m
}

// getter is Reflect.get(globalThis, "fetch") and the like, which it walks.
func (f *flow) getter(c *ast.DotExpression, args []ast.Expression, e ast.Expression) bool {
	id, ok := c.Left.(*ast.Identifier)
	if !ok || len(args) < 2 || f.resolve(id.Name) != nil || !getting[id.Name.String()][c.Identifier.Name.String()] {
		return false
	}
	k := f.kindOf(args[0])
	if k == kindNone {
		return false
	}
	f.consume(args[0])
	if name, ok := constant(args[1]); !ok {
		f.computed(k, args[0], e.Idx0())
	} else {
		if x, ok := memberFacts(k, name, e.Idx0()); ok {
			f.fact(x, false)
		}
		f.escape(k.member(name), e.Idx0())
	}
	for _, a := range args[1:] {
		f.walk(a)
	}
	return true
}

// rootOf gives the name that a chain of members begins with, and whether the
// chain goes through a call.
func rootOf(e ast.Expression) (id *ast.Identifier, through bool) {
	for {
		switch x := e.(type) {
		case *ast.Identifier:
			return x, through
		case *ast.DotExpression:
			e = x.Left
		case *ast.BracketExpression:
			e = x.Left
		case *ast.PrivateDotExpression:
			e = x.Left
		case *ast.OptionalChain:
			e = x.Expression
		case *ast.Optional:
			e = x.Expression
		case *ast.AwaitExpression:
			e = x.Argument
		case *ast.CallExpression:
			e, through = x.Callee, true
		default:
			return nil, through
		}
	}
}
