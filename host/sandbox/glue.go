package sandbox

import (
	_ "embed"
	"fmt"
	"regexp"
	"sync"

	"github.com/dop251/goja"
)

//go:embed js/glue.js
var glueSource string

// glueProgram is compiled when the first runtime needs it: many runs of the
// program need none.
var glueProgram = sync.OnceValue(func() *goja.Program { return goja.MustCompile("rho:glue", glueSource, true) })

// glue holds the functions of js/glue.js: what is simpler and safer to do with
// an author's values in JavaScript, where an interrupt and a throw reach it.
type glue struct {
	describe, causeOf, encode, collect, then, thenable, reject goja.Callable
	freezeDeep, progressOf, data, decide, completions          goja.Callable
}

func newGlue(vm *goja.Runtime, use goja.Value) (glue, error) {
	var g glue
	v, err := vm.RunProgram(glueProgram())
	if err != nil {
		return g, err
	}
	make, _ := goja.AssertFunction(v)
	v, err = make(goja.Undefined(), use, vm.ToValue(func(c goja.FunctionCall) goja.Value {
		return vm.ToValue(matches(c.Argument(0).String(), c.Argument(1).String()))
	}))
	if err != nil {
		return g, err
	}
	obj := v.ToObject(vm)
	for name, fn := range map[string]*goja.Callable{
		"describe": &g.describe, "causeOf": &g.causeOf, "encode": &g.encode, "collect": &g.collect,
		"then": &g.then, "thenable": &g.thenable, "failOnReject": &g.reject,
		"freezeDeep": &g.freezeDeep, "progressOf": &g.progressOf, "data": &g.data,
		"decide": &g.decide, "completions": &g.completions,
	} {
		var ok bool
		if *fn, ok = goja.AssertFunction(obj.Get(name)); !ok {
			return g, fmt.Errorf("glue.js has no function %s", name)
		}
	}
	return g, nil
}

// failOnReject fails c when v is a promise and is rejected.
func (g *glue) failOnReject(s *Sandbox, c *call, v goja.Value) error {
	_, err := g.reject(goja.Undefined(), v, s.vm.ToValue(func(f goja.FunctionCall) goja.Value {
		s.fail(c, f.Argument(0), nil)
		return goja.Undefined()
	}))
	return err
}

// forms are what texts are asked to look like.
var forms = map[string]*regexp.Regexp{
	"tool":     regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`),
	"command":  regexp.MustCompile(`^command-`),
	"setting":  regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`),
	"variable": regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`),
	"base64":   regexp.MustCompile(`^[A-Za-z0-9+/]*={0,2}$`),
}

// matches spares the runtime regular expressions of its own.
func matches(form, text string) bool { return forms[form].MatchString(text) }
