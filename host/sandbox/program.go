package sandbox

import (
	"context"
	"fmt"
	"sync"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/reading"
	"github.com/rho-ext/rho-ext/host/wire"
)

// program is a compiled bundle and what was read from it. It is immutable and
// shared by all runtimes of the bundle.
type program struct {
	code   *goja.Program
	script *reading.Script
	survey *reading.Surveyed // nil: nobody asked
}

// programs keeps compiled bundles by hash, so that a fresh runtime costs
// microseconds. Old ones go when their number passes maxPrograms.
type programs struct {
	mu    sync.Mutex
	byKey map[string]*program
	order []string
}

const maxPrograms = 128

// scriptName shows for code that no source file stands behind.
const scriptName = "rho-bundle.js"

// get parses and compiles, or gives what it has. The engine's parser can take
// for ever over a few bytes, so it is left behind when ctx ends.
func (p *programs) get(ctx context.Context, req wire.LoadRequest) (*program, *wire.Failure) {
	p.mu.Lock()
	have := p.byKey[req.Hash]
	p.mu.Unlock()
	if have != nil && (have.survey != nil || !req.Survey) {
		return have, nil
	}
	type answer struct {
		made *program
		fail *wire.Failure
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if x := recover(); x != nil {
				a = answer{fail: &wire.Failure{Stage: wire.StageBundle, Message: fmt.Sprintf("the engine's parser panicked: %v", x)}}
			}
			done <- a
		}()
		a.made, a.fail = p.make(req)
	}()
	select {
	case a := <-done:
		return a.made, a.fail
	case <-ctx.Done():
		return nil, &wire.Failure{Stage: wire.StageBundle, Message: "the bundle could not be parsed in time",
			Hint: "look for arrow functions nested in the default values of others"}
	}
}

func (p *programs) make(req wire.LoadRequest) (*program, *wire.Failure) {
	script, fail := reading.Parse(scriptName, req.Script, req.SourceMap)
	if fail != nil {
		return nil, fail
	}
	var survey *reading.Surveyed
	if req.Survey {
		survey = reading.Survey(script)
	}
	code, err := goja.CompileAST(script.AST, true)
	if err != nil {
		return nil, reading.SyntaxFailure(err)
	}
	script.AST = nil // compiled; the tree is many times larger
	made := &program{code: code, script: script, survey: survey}
	if req.Hash == "" {
		return made, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byKey == nil {
		p.byKey = map[string]*program{}
	}
	if p.byKey[req.Hash] != nil {
		p.byKey[req.Hash] = made
	} else {
		p.byKey[req.Hash] = made
		p.order = append(p.order, req.Hash)
		if len(p.order) > maxPrograms {
			delete(p.byKey, p.order[0])
			p.order = p.order[1:]
		}
	}
	return made, nil
}
