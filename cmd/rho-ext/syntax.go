package main

import (
	"github.com/rho-ext/rho-ext/builtin"
	"github.com/rho-ext/rho-ext/host/bundle"
)

// scriptSyntax lets edit_file warn of JavaScript and TypeScript that does not
// parse.
type scriptSyntax struct{ syntax bundle.Syntax }

// CheckSyntax implements builtin.SyntaxChecker.
func (s *scriptSyntax) CheckSyntax(name string, src []byte) builtin.Syntax {
	e := s.syntax.Check(name, src)
	if e == nil {
		return builtin.Syntax{}
	}
	return builtin.Syntax{Err: &builtin.SyntaxError{Line: e.Line, Column: e.Column, Message: e.Message}}
}

// scriptCheckers are the checkers that the built-in tools cannot have by
// themselves.
func scriptCheckers() map[string]builtin.SyntaxChecker {
	s, all := &scriptSyntax{}, map[string]builtin.SyntaxChecker{}
	for _, ending := range bundle.SyntaxEndings() {
		all[ending] = s
	}
	return all
}
