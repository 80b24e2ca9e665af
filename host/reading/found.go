package reading

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/unistring"
)

// found is what a first look at the script finds: the literals that the host
// calls.
type found struct {
	literals map[*ast.ObjectLiteral]*root
	hooks    map[ast.Property]*root
	// called are the names of functions that are a tool's, hook's or command's,
	// with the number of the parameter that is the ctx, from 1.
	called map[unistring.String]int

	// Literals that look like hooks count when a member hooks holds them.
	perhaps map[*ast.ObjectLiteral]bool
	direct  map[*ast.ObjectLiteral]bool
	byName  map[unistring.String]bool
	bound   map[*ast.ObjectLiteral]unistring.String
}

func newFound() *found {
	return &found{
		literals: map[*ast.ObjectLiteral]*root{}, hooks: map[ast.Property]*root{}, called: map[unistring.String]int{},
		perhaps: map[*ast.ObjectLiteral]bool{}, direct: map[*ast.ObjectLiteral]bool{},
		byName: map[unistring.String]bool{}, bound: map[*ast.ObjectLiteral]unistring.String{},
	}
}

// visit looks at one node of the first walk.
func (s *found) visit(n ast.Node) {
	switch e := n.(type) {
	case *ast.Binding:
		if id, ok := e.Target.(*ast.Identifier); ok {
			s.bind(id, e.Initializer)
		}
	case *ast.AssignExpression:
		switch l := e.Left.(type) {
		case *ast.Identifier:
			s.bind(l, e.Right)
		case *ast.DotExpression:
			s.member(l.Identifier.Name.String(), e.Right, false)
		}
	case *ast.ObjectLiteral:
		has := map[string]bool{}
		for _, p := range e.Value {
			if name, _, _ := property(p); name != "" {
				has[name] = true
			}
		}
		command := (has["run"] || has["handler"]) && has["name"]
		for _, p := range e.Value {
			if name, v, _ := property(p); name != "" {
				s.member(name, v, command)
			}
		}
		if has["onLoad"] || has["onToolCall"] || has["onToolResult"] || has["onBeforeModel"] {
			s.perhaps[e] = true
		}
	}
}

func (s *found) bind(id *ast.Identifier, value ast.Expression) {
	if o, ok := value.(*ast.ObjectLiteral); ok && o != nil {
		s.bound[o] = id.Name
	}
}

func (s *found) member(name string, value ast.Expression, command bool) {
	if name == "hooks" {
		switch v := value.(type) {
		case *ast.ObjectLiteral:
			s.direct[v] = true
		case *ast.Identifier:
			s.byName[v.Name] = true
		}
	}
	position, ok := hostMembers[name]
	if command && (name == "run" || name == "handler") {
		position, ok = 1, true
	}
	if id, is := value.(*ast.Identifier); is && ok {
		s.called[id.Name] = position + 1
	}
}

// settle decides which literals are hooks.
func (s *found) settle() {
	for o := range s.perhaps {
		if !s.direct[o] && !s.byName[s.bound[o]] {
			continue
		}
		for _, p := range o.Value {
			if name, _, _ := property(p); name != "" {
				s.hooks[p] = &root{kind: rootHook, name: name}
			}
		}
	}
}
