package denylist

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// The bounds of what is looked at.
const (
	maxDepth  = 16       // of commands within commands
	maxText   = 64 << 10 // of a value that is worked out
	maxNested = 500      // brackets
	maxBraces = 4        // in one word
	maxSteps  = 100_000  // nodes of the parsed text, counted each time they are visited
)

// unknown stands for a value that is not known. It is in no name.
const unknown = "\uFFFC"

// Check reads a command of a POSIX shell or bash and says what in it is
// refused, or nil. Background reports a command that is left running in the
// background, and nothing waits for.
func (l *List) Check(command string) (denied *Denial, background bool) {
	r := &reader{list: l, vars: map[string]string{}, funcs: map[string]bool{}}
	func() {
		defer func() {
			if v := recover(); v != nil { // of the parser, over a text that it cannot bear
				r.denied = l.CheckWords(command)
			}
		}()
		r.text(command, 0)
	}()
	return r.denied, r.background && !r.waits
}

// CheckWords looks for refused names among the words of a command whose
// language is not read, such as PowerShell's. It errs on the side of refusing.
func (l *List) CheckWords(command string) *Denial {
	low := strings.ToLower(command)
	for _, class := range dotnet {
		if strings.Contains(low, class) {
			return &Denial{class, "it moves data over the network"}
		}
	}
	for _, line := range strings.FieldsFunc(command, func(c rune) bool { return strings.ContainsRune(";|&\n\r(){}", c) }) {
		argv := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t\"'`,=$", c) })
		for i := range argv {
			name := argv[i : i+1 : i+1]
			if i == 0 {
				name = argv
			} else if !strings.Contains(argv[i], "-") && !isBare(argv[i]) {
				continue
			}
			if d := l.judge(name); d != nil {
				return d
			}
		}
	}
	return nil
}

// isBare reports whether a word could be the name of a program behind another
// one, and not an address or a file.
func isBare(word string) bool { return !strings.ContainsAny(word, ":@?&%") }

// reader goes through one command.
type reader struct {
	list  *List
	vars  map[string]string
	funcs map[string]bool

	denied            *Denial
	background, waits bool
	steps             int
}

// spent counts a step and reports whether there were too many: a text can be
// made to take for ever.
func (r *reader) spent() bool {
	r.steps++
	if r.steps > maxSteps {
		r.deny(&Denial{"…", "it is too long or too nested to be read; put it into a script"})
	}
	return r.denied != nil
}

func (r *reader) deny(d *Denial) {
	if r.denied == nil {
		r.denied = d
	}
}

// nested is how many brackets are open at once at most, wherever they stand. The
// parser takes long over many.
func nested(command string) (most int) {
	depth := 0
	for i := range len(command) {
		switch command[i] {
		case '(', '{':
			depth++
			most = max(most, depth)
		case ')', '}':
			depth = max(depth-1, 0)
		}
	}
	return most
}

// text reads a command as text.
func (r *reader) text(command string, depth int) {
	if depth > maxDepth {
		r.deny(&Denial{command, fmt.Sprintf("commands are nested more than %d deep", maxDepth)})
	}
	if nested(command) > maxNested {
		r.deny(&Denial{"…", "it is too nested to be read; put it into a script"})
	}
	if r.denied != nil {
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil { // another dialect, or nothing that runs
		if d := r.list.CheckWords(command); d != nil {
			d.Reason += " (the command could not be read as shell, so its words count)"
			r.deny(d)
		}
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool { return r.node(n, depth) })
}

func (r *reader) node(n syntax.Node, depth int) bool {
	if r.spent() {
		return false
	}
	switch n := n.(type) {
	case *syntax.Stmt:
		if depth == 0 && n.Background && !n.Disown || n.Disown {
			r.background = true
		}
		r.redirects(n, depth)
	case *syntax.Assign:
		if n.Name != nil && n.Value != nil {
			r.vars[n.Name.Value] = r.literal(n.Value)
		}
	case *syntax.FuncDecl:
		r.function(n)
	case *syntax.ForClause:
		r.loop(n, depth)
	case *syntax.BinaryCmd:
		r.pipe(n, depth)
	case *syntax.CallExpr:
		for _, a := range n.Assigns { // before what they are used in
			r.node(a, depth)
		}
		r.command(r.fields(n.Args), depth)
	}
	return true
}

// maxTurns is how many turns of a loop are looked at.
const maxTurns = 32

// loop reads a loop over known words once for each.
func (r *reader) loop(f *syntax.ForClause, depth int) {
	over, ok := f.Loop.(*syntax.WordIter)
	if !ok {
		return
	}
	items := r.fields(over.Items)
	for _, item := range items[:min(len(items), maxTurns)] {
		r.vars[over.Name.Value] = item
		for _, s := range f.Do {
			if depth < maxDepth { // nested ones take their product
				syntax.Walk(s, func(n syntax.Node) bool { return r.node(n, depth+4) })
			}
		}
	}
}

// function takes note of a function, and refuses one that calls itself in the
// background without end.
func (r *reader) function(f *syntax.FuncDecl) {
	if f.Name == nil {
		return
	}
	name := f.Name.Value
	calls, piped := 0, false
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 && n.Args[0].Lit() == name {
				calls++
			}
		case *syntax.Stmt:
			piped = piped || n.Background
		}
		return true
	})
	if calls > 1 && piped {
		r.deny(&Denial{name + "()", "a function that starts itself without end is on the denylist"})
	}
	r.funcs[name] = true
}

// redirects looks at what a statement writes to, and at what it feeds a shell.
func (r *reader) redirects(s *syntax.Stmt, depth int) {
	call, _ := s.Cmd.(*syntax.CallExpr)
	for _, red := range s.Redirs {
		if red.Word != nil && strings.Contains(red.Op.String(), ">") && isDisk(r.literal(red.Word)) {
			r.deny(&Denial{red.Op.String() + r.literal(red.Word), "writing to a disk is on the denylist"})
		}
		if call == nil || !readsInput(r.fields(call.Args)) {
			continue
		}
		switch {
		case red.Hdoc != nil:
			r.text(r.literal(red.Hdoc), depth+1)
		case red.Op == syntax.WordHdoc:
			r.text(r.literal(red.Word), depth+1)
		}
	}
}

// pipe reads what is written for a shell at the other end.
func (r *reader) pipe(b *syntax.BinaryCmd, depth int) {
	if b.Op != syntax.Pipe && b.Op != syntax.PipeAll {
		return
	}
	from, _ := b.X.Cmd.(*syntax.CallExpr)
	to, _ := b.Y.Cmd.(*syntax.CallExpr)
	if from == nil || to == nil {
		return
	}
	argv := r.fields(to.Args)
	text, ok := printed(r.fields(from.Args))
	switch {
	case !ok:
	case readsInput(argv):
		r.text(text, depth+1)
	case len(argv) > 0 && baseName(argv[0]) == "xargs":
		r.command(append(argv, strings.Fields(text)...), depth+1)
	}
}

// readsInput reports whether a command is a shell that takes its commands from
// its input.
func readsInput(argv []string) bool {
	if len(argv) == 0 || !isShell(baseName(argv[0])) {
		return false
	}
	for _, a := range argv[1:] {
		if !strings.HasPrefix(a, "-") && a != "/dev/stdin" {
			return false
		}
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "c") {
			return false
		}
	}
	return true
}

// printed is what echo or printf writes.
func printed(argv []string) (string, bool) {
	if len(argv) == 0 {
		return "", false
	}
	args := argv[1:]
	switch baseName(argv[0]) {
	case "echo":
		escapes := false
		for len(args) > 0 && len(args[0]) > 1 && strings.Trim(args[0], "-neE") == "" {
			escapes = escapes || strings.Contains(args[0], "e")
			args = args[1:]
		}
		text := strings.Join(args, " ")
		if escapes {
			if s, _, err := expand.Format(&expand.Config{}, strings.ReplaceAll(text, "%", "%%"), nil); err == nil {
				text = s
			}
		}
		return text, true
	case "printf":
		if len(args) == 0 {
			return "", false
		}
		s, _, err := expand.Format(&expand.Config{}, args[0], args[1:])
		return s, err == nil
	}
	return "", false
}
