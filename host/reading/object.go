package reading

import (
	"github.com/dop251/goja/ast"
)

// object walks an object literal. What the host calls of it gets a node of its
// own.
func (f *flow) object(o *ast.ObjectLiteral) {
	r := f.found.literals[o]
	if r == nil {
		f.properties(o)
		return
	}
	f.rooted(r, func() { f.properties(o) })
}

// rooted walks a root.
func (f *flow) rooted(r *root, walk func()) {
	n := f.graph.node()
	n.literal, r.node, r.fn = r, n, f.fn
	f.graph.roots = append(f.graph.roots, r)
	f.edge(n)
	if f.nested {
		n.holders = append(n.holders, f.owner)
	}
	f.as(n, func() {
		f.root, f.outer = r, true
		walk()
	})
}

func (f *flow) properties(o *ast.ObjectLiteral) {
	command := f.found.literals[o] != nil && f.found.literals[o].kind == rootCommand
	for _, p := range o.Value {
		switch p := p.(type) {
		case *ast.PropertyShort:
			f.propertyValue(p, p.Name.Name.String(), &p.Name, command)
		case *ast.PropertyKeyed:
			name, _ := f.key(p.Key, p.Computed)
			f.propertyValue(p, name, p.Value, command)
		default:
			f.walk(p)
		}
	}
}

func (f *flow) propertyValue(p ast.Property, name string, value ast.Expression, command bool) {
	walk := func() {
		f.hostFunction(name, value)
		if command && (name == "run" || name == "handler") {
			f.givesContext(value, 1)
		}
		f.stores(name, value)
		f.walk(value)
	}
	if r := f.found.hooks[p]; r != nil {
		f.rooted(r, walk)
	} else {
		walk()
	}
}
