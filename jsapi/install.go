package jsapi

import (
	"fmt"

	"github.com/dop251/goja"
)

// Globals is the JavaScript surface of one runtime, with what the sandbox needs
// of it. All its methods must be called on the goroutine that owns the runtime.
type Globals struct {
	vm  *goja.Runtime
	env Env

	exports map[*script]*goja.Object // of the scripts that have run
	use     goja.Value               // how a script gets at another one's exports
	callers map[export]goja.Callable // exported functions that Go calls
	tests   *testRealm               // nil: it is not for a test file
}

// export names a function that a script exports.
type export struct {
	from *script
	name string
}

// Install makes a fresh runtime ready: every name of [Names] becomes a global
// that is made on first use.
func Install(vm *goja.Runtime, env Env) (*Globals, error) {
	g := &Globals{vm: vm, env: env, exports: map[*script]*goja.Object{}}
	var err error
	if ex := vm.Try(func() { err = g.install() }); ex != nil {
		return nil, fmt.Errorf("prepare the JavaScript globals: %w", ex)
	}
	if err != nil {
		return nil, fmt.Errorf("prepare the JavaScript globals: %w", err)
	}
	return g, nil
}

func (g *Globals) install() error {
	global := g.vm.GlobalObject()
	if err := global.Delete("GoError"); err != nil { // goja's own, no part of JavaScript
		return err
	}
	g.run(guardsScript)
	// Lowered syntax reads these at once, so they cannot be lazy.
	symbol := global.Get("Symbol").(*goja.Object)
	for _, name := range []string{"asyncIterator", "dispose", "asyncDispose"} {
		if symbol.Get(name) != nil {
			continue // the engine has learnt it
		}
		err := symbol.DefineDataProperty(name, goja.NewSymbol("Symbol."+name), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
		if err != nil {
			return err
		}
	}
	// One dynamic object between globalThis and its prototype costs next to
	// nothing; an accessor per global costs 1.5 KB each.
	lazy := g.vm.NewDynamicObject(lazyGlobals{g})
	if err := lazy.SetPrototype(global.Prototype()); err != nil {
		return err
	}
	return global.SetPrototype(lazy)
}

// lazyGlobals stands behind globalThis and makes a global when it is first
// looked up.
type lazyGlobals struct{ g *Globals }

// Get makes the global and turns it into a plain property of globalThis.
func (l lazyGlobals) Get(name string) goja.Value {
	s := scriptOf[name]
	if s == nil {
		return nil
	}
	v := l.g.run(s).Get(name)
	// It fails only where the author froze globalThis; then the next lookup
	// comes here again and gets the same value.
	_ = l.g.vm.GlobalObject().DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return v
}

// Has reports whether name is a global that can be made.
func (l lazyGlobals) Has(name string) bool { return scriptOf[name] != nil }

// Set leaves every assignment to globalThis itself.
func (l lazyGlobals) Set(string, goja.Value) bool { return false }

// Delete does nothing: nothing is stored here.
func (l lazyGlobals) Delete(string) bool { return true }

// Keys is empty so that a loop over globalThis does not list the globals.
func (l lazyGlobals) Keys() []string { return nil }

// run evaluates a script in this runtime, once, and returns its exports. It
// panics with whatever JavaScript, or an interrupt, throws.
func (g *Globals) run(s *script) *goja.Object {
	if o := g.exports[s]; o != nil {
		return o
	}
	v, err := g.vm.RunProgram(s.program())
	if err != nil {
		panic(err)
	}
	make, ok := goja.AssertFunction(v)
	if !ok {
		panic(fmt.Errorf("%s does not give a function", s.file))
	}
	host := g.vm.NewObject()
	for name, fn := range s.natives {
		if err := host.Set(name, func(c goja.FunctionCall) goja.Value { return fn(g, c) }); err != nil {
			panic(err)
		}
	}
	v, err = make(goja.Undefined(), host, g.Use())
	if err != nil {
		panic(err)
	}
	o := v.(*goja.Object)
	g.exports[s] = o
	return o
}

// Use gives the function (name) → exports of an embedded script, for scripts of
// the sandbox's own.
func (g *Globals) Use() goja.Value {
	if g.use == nil {
		g.use = g.vm.ToValue(func(c goja.FunctionCall) goja.Value {
			return g.run(scriptNamed[c.Argument(0).String()])
		})
	}
	return g.use
}

// call calls a function that a script exports, from Go, outside JavaScript.
func (g *Globals) call(s *script, name string, args ...goja.Value) (goja.Value, error) {
	key := export{s, name}
	fn := g.callers[key]
	if fn == nil {
		var ok bool
		if ex := g.vm.Try(func() { fn, ok = goja.AssertFunction(g.run(s).Get(name)) }); ex != nil {
			return nil, ex
		}
		if !ok {
			return nil, fmt.Errorf("%s exports no function %s", s.file, name)
		}
		if g.callers == nil {
			g.callers = map[export]goja.Callable{}
		}
		g.callers[key] = fn
	}
	return fn(goja.Undefined(), args...)
}
