// Package builtin has the tools that an agent has from the start, written in
// Go. Each is a trio of files: the tool, the description that a model reads,
// and its tests.
package builtin

import (
	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/registry"
)

// Options are what the built-in tools need to know.
type Options struct {
	// Root is the project's directory, beyond which no tool reaches. Empty
	// means the current directory.
	Root string
	// Commands is what the tools that run programs and look things up need
	// beyond that.
	Commands CommandOptions
}

// Register adds all built-in tools to r, for the host program, and reserves
// their names.
func Register(r *registry.Registry, o Options) error {
	root := o.Root
	if root == "" {
		root = "."
	}
	j, err := jail.Open(root)
	if err != nil {
		return err
	}
	tools := []registry.Tool{&readFile{jail: j}, think{}}
	tools = append(tools, commandTools(j, o.Commands)...)
	if err := r.Register("", tools...); err != nil {
		_ = j.Close() // the first error says more
		return err
	}
	for _, t := range tools {
		r.Reserve(t.Name())
	}
	return nil
}
