package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/registry"
)

var (
	_ permission.Asker = (*terminal)(nil)
	_ registry.Gate    = (*terminal)(nil)
)

// maxShown bounds, in characters, what a question shows of one text.
const maxShown = 300

// shown is a text from an extension as a question shows it.
func shown(s string) string { return shorten(cleanLine(s), maxShown) }

// AskPermission implements [permission.Asker].
func (t *terminal) AskPermission(ctx context.Context, q permission.Question) (permission.Answer, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s extension %s (%s) wants %s, for its tool %s",
		t.paint(yellow, "permission:"), shown(q.Extension), shown(q.Scope), shown(q.Text), shown(q.Tool))
	fmt.Fprintf(&b, "\n  a yes grants it %s", shown(q.Grant.String()))
	if why := careful(q.Grant); why != "" {
		fmt.Fprintf(&b, "\n  %s %s", t.paint(red, "careful:"), why)
	}
	prompt, words := "allow? [o]nce, this [s]ession, [a]lways, [N]o", []string{"once", "session", "always", "no"}
	if !q.CanKeep {
		prompt, words = "allow? [o]nce, this [s]ession, [N]o", []string{"once", "session", "no"}
	}
	c, err := t.choose(ctx, b.String(), prompt, words...)
	if err != nil {
		return permission.Answer{}, err
	}
	return permission.Answer{ID: q.ID, Allow: c != "no", Scope: scopeOf(c)}, nil
}

// Ask implements [registry.Gate].
func (t *terminal) Ask(ctx context.Context, q registry.Question) (registry.Answer, error) {
	from := ""
	if q.ParentID != "" {
		from = ", called by another tool,"
	}
	text := fmt.Sprintf("%s %s%s wants to run (%s) with %s", t.paint(yellow, "approval:"), shown(q.Tool), from, q.Risk, shown(string(q.Arguments)))
	c, err := t.choose(ctx, text, "run it? [o]nce, this [s]ession, [a]lways, [N]o", "once", "session", "always", "no")
	if err != nil {
		return registry.Answer{}, err
	}
	return registry.Answer{ID: q.ID, Allow: c != "no", Scope: scopeOf(c)}, nil
}

func scopeOf(word string) registry.Scope {
	switch word {
	case "session":
		return registry.Session
	case "always":
		return registry.Always
	}
	return registry.Once
}
