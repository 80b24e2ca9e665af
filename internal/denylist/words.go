package denylist

import (
	"io"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// config works out words with what is known of the variables.
func (r *reader) config(missing string) *expand.Config {
	return &expand.Config{
		Env: expand.FuncEnviron(func(name string) string {
			switch v, known := r.vars[name]; {
			case known:
				return v
			case name == "IFS":
				return " \t\n"
			case name == "HOME":
				return "~" // for the rules on what is deleted
			case strings.HasPrefix(name, "HOME "):
				return "~" + name[5:]
			}
			return missing
		}),
		CmdSubst: func(w io.Writer, c *syntax.CmdSubst) error {
			text := missing
			if len(c.Stmts) == 1 {
				if call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr); ok {
					if out, ok := printed(r.fields(call.Args)); ok {
						text = out
					}
				}
			}
			_, err := io.WriteString(w, text)
			return err
		},
		ProcSubst: func(*syntax.ProcSubst) (string, error) { return unknown, nil },
	}
}

// fields are words as the shell passes them on. What cannot be known is
// [unknown], where it is a whole word, and nothing, where it is a part of one.
func (r *reader) fields(words []*syntax.Word) []string {
	var out []string
	for _, w := range words {
		if r.tooMuch(w) {
			out = append(out, unknown)
			continue
		}
		missing := ""
		if len(w.Parts) == 1 {
			missing = unknown
		}
		fields, err := expand.Fields(r.config(missing), w)
		if err != nil {
			out = append(out, unknown)
			continue
		}
		for _, f := range fields {
			if len(f) > maxText {
				f = f[:maxText]
			}
			out = append(out, f)
		}
	}
	return out
}

// literal is a word as one text.
func (r *reader) literal(w *syntax.Word) string {
	if r.tooMuch(w) {
		return unknown
	}
	s, err := expand.Literal(r.config(""), w)
	if err != nil || len(s) > maxText {
		return unknown
	}
	return s
}

// tooMuch reports whether working out a word could take more than it is worth.
func (r *reader) tooMuch(w *syntax.Word) bool {
	braces, repeated := 0, false
	syntax.Walk(w, func(n syntax.Node) bool {
		if r.spent() {
			return false
		}
		if lit, ok := n.(*syntax.Lit); ok {
			braces += strings.Count(lit.Value, "{")
			repeated = repeated || strings.Contains(lit.Value, "..") && strings.Contains(lit.Value, "{")
		}
		return true
	})
	return braces > maxBraces || repeated || r.denied != nil
}
