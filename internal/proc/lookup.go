package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A plan is a command after all questions are answered.
type plan struct {
	asked string
	path  string
	argv  []string
	dir   string
	env   []string
	files [3]*os.File
}

func (c *Command) prepare() (*plan, error) {
	p := &plan{asked: c.Path, argv: append([]string{c.Path}, c.Args...), dir: c.Dir}
	if c.Path == "" {
		return nil, p.refuse(ErrNotFound, nil, "no program was named; give the name or the path of one")
	}
	for i, arg := range p.argv {
		if strings.ContainsRune(arg, 0) {
			which := fmt.Sprintf("argument %d", i)
			if i == 0 {
				which = "its name"
			}
			return nil, p.refuse(ErrBadArgument, nil, "cannot run %q: %s holds a NUL character, which no program can be given; pass such data by stdin or in a file", c.Path, which)
		}
	}
	if err := p.checkDir(); err != nil {
		return nil, err
	}
	for name, value := range c.Env.Set {
		if !validVar(name, value) {
			return nil, p.refuse(ErrBadArgument, nil, "cannot run %s: the variable %q cannot be set: a name is not empty and has no =, and neither it nor its value holds a NUL character", c.Path, name)
		}
	}
	p.env = c.Env.List()
	if c.Dir != "" && runtime.GOOS != "windows" {
		if abs, err := filepath.Abs(c.Dir); err == nil {
			p.env = setVar(p.env, "PWD", abs)
		}
	}
	if err := p.find(); err != nil {
		return nil, err
	}
	return p, p.checkArgs()
}

// checkDir returns nil, not a typed one, if the directory is fine.
func (p *plan) checkDir() error {
	if p.dir == "" {
		return nil
	}
	if strings.ContainsRune(p.dir, 0) {
		return p.refuse(ErrBadDir, nil, "cannot run %s in %q: the name holds a NUL character", p.asked, p.dir)
	}
	switch info, err := os.Stat(p.dir); {
	case os.IsNotExist(err):
		return p.refuse(ErrBadDir, err, "cannot run %s in %s: there is no such directory; create it, or name another", p.asked, p.dir)
	case err != nil:
		return p.refuse(ErrBadDir, err, "cannot run %s in %s: %v", p.asked, p.dir, err)
	case !info.IsDir():
		return p.refuse(ErrBadDir, nil, "cannot run %s in %s: that is a file; name a directory", p.asked, p.dir)
	}
	return nil
}

// find looks the program up where the program itself would: exec.LookPath knows
// only the PATH of this process. Entries of PATH that depend on the current
// directory are passed over.
func (p *plan) find() error {
	if isPath(p.asked) {
		p.path = p.asked
		if !filepath.IsAbs(p.path) {
			p.path = filepath.Join(p.dir, p.path)
		}
		if abs, err := filepath.Abs(p.path); err == nil {
			p.path = abs
		}
		found, info := executable(p.path, p.env)
		switch {
		case found != "":
			p.path = found
			return nil
		case info == nil:
			return p.refuse(ErrNotFound, os.ErrNotExist, "cannot run %s: there is no such file; check the path, a relative one counts from the directory the program runs in", p.path)
		case info.IsDir():
			return p.refuse(ErrNotExecutable, nil, "cannot run %s: that is a directory; name a program in it", p.path)
		}
		return p.refuse(ErrNotExecutable, os.ErrPermission, "cannot run %s: it is not executable; %s", p.path, howExecutable)
	}
	path := lookupVar(p.env, "PATH")
	dull := ""
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		found, info := executable(filepath.Join(dir, p.asked), p.env)
		if found != "" {
			p.path = found
			return nil
		}
		if info != nil && info.Mode().IsRegular() && dull == "" {
			dull = filepath.Join(dir, p.asked)
		}
	}
	switch {
	case dull != "":
		return p.refuse(ErrNotExecutable, os.ErrPermission, "cannot run %s: %s is not executable; %s", p.asked, dull, howExecutable)
	case path == "":
		return p.refuse(ErrNotFound, os.ErrNotExist, "cannot run %s: PATH is empty in the environment it would get; name the program by its path, or set PATH", p.asked)
	}
	return p.refuse(ErrNotFound, os.ErrNotExist, "cannot run %q: there is no such program in PATH (%s); install it, or name it by its path. A shell's own command needs that shell as the program", p.asked, path)
}
