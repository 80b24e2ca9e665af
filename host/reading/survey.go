package reading

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"

	"github.com/rho-ext/rho-ext/host/wire"
)

// Surveyed is what a linter wants to know of a script. Whether the engine has
// what is named here is for others to find out.
type Surveyed struct {
	Globals []Named  // names that nothing declares and no code asks for first
	Members []Member // members of such globals that are called, or read of process
	Regexps []Regexp // with a pattern that is plain text
	Locales []Named  // methods that are given a locale or options
	Targets []wire.Target
	// Names are all members and texts that the code mentions; nil where it uses
	// its configuration as a whole.
	Names map[string]bool
	Cut   bool
}

// Named is a name and its place.
type Named struct {
	Name string
	At   wire.Position
}

// Member is a member of a global.
type Member struct {
	Global, Name string
	At           wire.Position
}

// Regexp is a regular expression.
type Regexp struct {
	Pattern, Flags string
	At             wire.Position
}

// maxSurveyed bounds each list.
const maxSurveyed = 500

// Survey looks at a script once more. Its tree must still be there.
func Survey(s *Script) *Surveyed {
	prg := s.AST
	v := &surveyor{
		r: &reader{script: &Script{}, file: prg.File, found: newFound()}, out: &Surveyed{Names: map[string]bool{}},
		guarded: map[string]bool{}, called: map[*ast.DotExpression]bool{}, fine: map[ast.Node]bool{},
	}
	if walk(prg, v.r.visit) != nil {
		return v.out
	}
	v.r.found.settle()
	v.free = freeNames(prg, v.r.found)
	_ = walk(prg, v.guards)
	_ = walk(prg, v.visit)
	return v.out
}

// freeNames gives the places of names that no binding of the script declares.
func freeNames(prg *ast.Program, found *found) map[file.Idx]bool {
	f := newFlow(prg, found)
	f.free = map[file.Idx]bool{}
	f.all(prg)
	return f.free
}

// surveyor collects what walk passes it.
type surveyor struct {
	r    *reader
	out  *Surveyed
	free map[file.Idx]bool

	guarded map[string]bool // names, or global.member, that the code asks for before it uses them
	tries   []span
	called  map[*ast.DotExpression]bool
	fine    map[ast.Node]bool // uses of config by a name, and keys of objects
}

type span struct{ from, to file.Idx }

func (v *surveyor) global(e ast.Expression) string {
	if id, ok := e.(*ast.Identifier); ok && v.free[id.Idx] {
		return id.Name.String()
	}
	return ""
}

// memberOf gives the name of a member of a global.
func (v *surveyor) memberOf(e ast.Expression) (global, name string) {
	if d, ok := e.(*ast.DotExpression); ok {
		if g := v.global(d.Left); g != "" {
			return g, d.Identifier.Name.String()
		}
	}
	return "", ""
}

func isGlobalObject(name string) bool { return globalKind(name) == kindGlobal }

// guards notes where the code asks whether something is there.
func (v *surveyor) guards(n ast.Node) bool {
	switch e := n.(type) {
	case *ast.TryStatement:
		if e.Catch != nil {
			v.tries = append(v.tries, span{e.Body.Idx0(), e.Body.Idx1()})
		}
	case *ast.UnaryExpression:
		if e.Operator == token.TYPEOF {
			v.guard(e.Operand)
		}
	case *ast.OptionalChain:
		v.guard(unwrapped(e))
	case *ast.Optional:
		v.guard(e.Expression)
	case *ast.BinaryExpression:
		if name, ok := constant(e.Left); ok && e.Operator == token.IN {
			v.guarded[name] = true
			if g := v.global(e.Right); g != "" {
				v.guarded[g+"."+name] = true
			}
		}
	case *ast.CallExpression:
		if d, ok := e.Callee.(*ast.DotExpression); ok {
			v.called[d] = true
		}
	case *ast.NewExpression:
		if d, ok := e.Callee.(*ast.DotExpression); ok {
			v.called[d] = true
		}
	case *ast.AssignExpression:
		v.guard(e.Left)
	case *ast.DotExpression:
		g, name := v.memberOf(e)
		switch {
		case g == "":
		case isGlobalObject(g):
			v.guarded[name] = true
		case !v.called[e]: // a parent comes first
			v.guarded[g+"."+name] = v.guarded[g+"."+name] || g != "process"
		}
	}
	return true
}

func (v *surveyor) guard(e ast.Expression) {
	if g := v.global(e); g != "" {
		v.guarded[g] = true
	}
	if g, name := v.memberOf(e); g != "" {
		v.guarded[g+"."+name] = true
	}
}

func (v *surveyor) tried(at file.Idx) bool {
	return slices.ContainsFunc(v.tries, func(s span) bool { return s.from <= at && at <= s.to })
}

func (v *surveyor) visit(n ast.Node) bool {
	switch e := n.(type) {
	case *ast.Identifier:
		if e.Name == "config" && !v.fine[e] {
			v.out.Names = nil
		}
		if name := v.global(e); name != "" && !v.guarded[name] && !v.tried(e.Idx) {
			v.out.Globals = add(v.out, v.out.Globals, Named{name, v.r.at(e.Idx)})
		}
	case *ast.DotExpression:
		v.dot(e)
	case *ast.BracketExpression:
		if name, ok := constant(e.Member); ok {
			v.name(name)
			if v.isEnv(e.Left) {
				v.target(wire.TargetEnv, name, e.Idx0())
			}
			v.known(e.Left)
		}
	case *ast.ObjectLiteral:
		for _, p := range e.Value {
			if p, ok := p.(*ast.PropertyKeyed); ok && !p.Computed {
				v.fine[p.Key] = true // no use of what it names
			}
		}
	case *ast.StringLiteral:
		if !v.fine[e] {
			v.name(e.Value.String())
		}
	case *ast.Binding:
		v.binds(e.Target)
		v.pattern(e.Target, e.Initializer)
		v.taken(e.Target, e.Initializer)
	case *ast.AssignExpression:
		v.binds(e.Left)
		v.pattern(e.Left, e.Right)
		v.taken(e.Left, e.Right)
	case *ast.ObjectPattern:
		for _, p := range e.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				v.fine[&p.Name] = true
				v.name(p.Name.Name.String())
			case *ast.PropertyKeyed:
				v.binds(p.Value)
				if key, ok := constant(p.Key); ok {
					v.name(key)
				}
			}
		}
	case *ast.RegExpLiteral:
		v.regexp(e.Pattern, e.Flags, e.Idx)
	case *ast.NewExpression:
		v.newRegexp(e.Callee, e.ArgumentList)
	case *ast.CallExpression:
		v.newRegexp(e.Callee, e.ArgumentList)
		v.call(e)
	}
	return true
}

func (v *surveyor) dot(e *ast.DotExpression) {
	name := e.Identifier.Name.String()
	v.name(name)
	v.known(e.Left)
	if v.isEnv(e.Left) {
		v.target(wire.TargetEnv, name, e.Idx0())
	}
	if name == "config" && !v.fine[e] {
		v.out.Names = nil
	}
	g, _ := v.memberOf(e)
	if g == "" || v.guarded[g] || v.guarded[g+"."+name] || v.tried(e.Idx0()) || !v.called[e] && g != "process" {
		return
	}
	v.out.Members = add(v.out, v.out.Members, Member{g, name, v.r.at(e.Idx0())})
}

// name notes a name or text that may be a setting's.
func (v *surveyor) name(s string) {
	if v.out.Names != nil && len(s) <= 64 {
		v.out.Names[s] = true
	}
}

// known notes that a config is used by a name.
func (v *surveyor) known(e ast.Expression) {
	switch e := unwrapped(e).(type) {
	case *ast.DotExpression:
		v.fine[e] = v.fine[e] || e.Identifier.Name == "config"
	case *ast.Identifier:
		v.fine[e] = true
	}
}

// binds notes that a name stands where it gets its value.
func (v *surveyor) binds(e ast.Expression) {
	switch e := e.(type) {
	case *ast.Identifier:
		v.fine[e] = true
	case *ast.AssignExpression: // with a default
		v.binds(e.Left)
	}
}

// taken notes that a config gets another name, or that single settings are taken
// out of it. What becomes of a whole one under another name is not known.
func (v *surveyor) taken(target, value ast.Expression) {
	if p, ok := target.(*ast.ObjectPattern); ok && p.Rest == nil {
		v.known(value)
	}
}

// pattern notes the variables that are taken out of the environment.
func (v *surveyor) pattern(target, value ast.Expression) {
	p, ok := target.(*ast.ObjectPattern)
	if !ok || value == nil || !v.isEnv(value) {
		return
	}
	for _, p := range p.Properties {
		switch p := p.(type) {
		case *ast.PropertyShort:
			v.target(wire.TargetEnv, p.Name.Name.String(), p.Idx0())
		case *ast.PropertyKeyed:
			if key, ok := constant(p.Key); ok {
				v.target(wire.TargetEnv, key, p.Idx0())
			}
		}
	}
}

func (v *surveyor) isEnv(e ast.Expression) bool {
	g, name := v.memberOf(unwrapped(e))
	return g == "process" && name == "env"
}

func (v *surveyor) regexp(pattern, flags string, at file.Idx) {
	if !v.tried(at) {
		v.out.Regexps = add(v.out, v.out.Regexps, Regexp{pattern, flags, v.r.at(at)})
	}
}

func (v *surveyor) newRegexp(callee ast.Expression, args []ast.Expression) {
	if v.global(callee) != "RegExp" || len(args) == 0 {
		return
	}
	pattern, ok := constant(args[0])
	if !ok {
		pattern = "" // the flags alone may be wrong
	}
	flags := ""
	if len(args) > 1 {
		var known bool
		if flags, known = constant(args[1]); !known {
			return
		}
	}
	v.regexp(pattern, flags, callee.Idx0())
}

var localeMethods = map[unistring.String]int{"toLocaleString": 1, "toLocaleDateString": 1, "toLocaleTimeString": 1, "localeCompare": 3}

func (v *surveyor) call(e *ast.CallExpression) {
	d, ok := e.Callee.(*ast.DotExpression)
	if !ok {
		switch name := v.global(e.Callee); {
		case len(e.ArgumentList) == 0:
		case name == "fetch":
			v.url(e.ArgumentList[0])
		default:
			if id, ok := e.Callee.(*ast.Identifier); ok && id.Name == "callTool" {
				v.text(wire.TargetTool, e.ArgumentList[0])
			}
		}
		return
	}
	if least, ok := localeMethods[d.Identifier.Name]; ok && len(e.ArgumentList) >= least {
		v.out.Locales = add(v.out, v.out.Locales, Named{d.Identifier.Name.String(), v.r.at(d.Identifier.Idx)})
	}
	if len(e.ArgumentList) == 0 {
		return
	}
	first := e.ArgumentList[0]
	g, name := v.memberOf(d)
	ctx, _ := d.Left.(*ast.Identifier)
	switch name = d.Identifier.Name.String(); {
	case g == "rho" && name == "fetchUrl", isGlobalObject(g) && name == "fetch":
		v.url(first)
	case g == "rho" && name == "runCommand", name == "exec" && ctx != nil && contextKind(ctx.Name.String()) != kindNone:
		v.text(wire.TargetProgram, first)
	case name == "callTool":
		v.text(wire.TargetTool, first)
	}
}

func (v *surveyor) text(kind string, e ast.Expression) {
	if s, ok := constant(e); ok {
		v.target(kind, s, e.Idx0())
	}
}

// url notes an address as far as its host is plain text.
func (v *surveyor) url(e ast.Expression) {
	s, whole := constant(e)
	if !whole {
		switch t := e.(type) {
		case *ast.TemplateLiteral:
			if t.Tag == nil && len(t.Elements) > 0 {
				s = t.Elements[0].Parsed.String()
			}
		case *ast.BinaryExpression:
			if t.Operator == token.PLUS {
				s, _ = constant(t.Left)
			}
		}
		_, rest, ok := strings.Cut(s, "://")
		if !ok || !strings.ContainsAny(rest, "/?#") {
			return // the rest may belong to the host
		}
	}
	if strings.Contains(s, "://") {
		v.target(wire.TargetURL, s, e.Idx0())
	}
}

func (v *surveyor) target(kind, name string, at file.Idx) {
	if len(name) <= 2048 {
		v.out.Targets = add(v.out, v.out.Targets, wire.Target{Kind: kind, Name: name, At: v.r.at(at)})
	}
}

func add[T any](s *Surveyed, list []T, x T) []T {
	if len(list) >= maxSurveyed {
		s.Cut = true
		return list
	}
	return append(list, x)
}
