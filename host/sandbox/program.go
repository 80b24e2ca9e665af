package sandbox

import (
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

func (p *programs) get(req wire.LoadRequest) (*program, *wire.Failure) {
	p.mu.Lock()
	have := p.byKey[req.Hash]
	p.mu.Unlock()
	if have != nil {
		return have, nil
	}
	script, fail := reading.Parse(scriptName, req.Script, req.SourceMap)
	if fail != nil {
		return nil, fail
	}
	code, err := goja.CompileAST(script.AST, true)
	if err != nil {
		return nil, reading.SyntaxFailure(err)
	}
	script.AST = nil // compiled; the tree is many times larger
	made := &program{code: code, script: script}
	if req.Hash == "" {
		return made, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byKey == nil {
		p.byKey = map[string]*program{}
	}
	if p.byKey[req.Hash] == nil {
		p.byKey[req.Hash] = made
		p.order = append(p.order, req.Hash)
		if len(p.order) > maxPrograms {
			delete(p.byKey, p.order[0])
			p.order = p.order[1:]
		}
	}
	return made, nil
}
