package builtin

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/rho-ext/rho-ext/internal/textenc"
)

// maxChecked is how large a file may be for its syntax to be checked.
const maxChecked = 1 << 20

// syntaxWarnings says whether a change broke the file, and what it cut through.
func (t *files) syntaxWarnings(old *loaded, data []byte, changes []change) []string {
	checker := t.checkers[strings.ToLower(path.Ext(old.rel))]
	if checker == nil || len(data) > maxChecked || len(old.data) > maxChecked {
		return nil
	}
	enc := old.doc.enc
	if enc != textenc.UTF8 && enc != textenc.UTF8BOM {
		return nil
	}
	bom := []byte("\ufeff")
	after := checker.CheckSyntax(old.rel, bytes.TrimPrefix(data, bom))
	if after.Err == nil {
		return nil
	}
	source := bytes.TrimPrefix(old.data, bom)
	before := checker.CheckSyntax(old.rel, source)
	if before.Err != nil {
		return []string{fmt.Sprintf("%s does not parse, and did not before: %s", printable(old.rel), after.Err.place())}
	}
	warnings := []string{fmt.Sprintf("%s no longer parses: %s", printable(old.rel), after.Err.place())}
	starts := []int{0}
	for i := range old.doc.lines {
		starts = append(starts, starts[i]+len(old.doc.lines[i])+len(old.doc.ends[i]))
	}
	for _, c := range changes {
		if c.from == c.to {
			continue
		}
		from, to := starts[c.from], starts[c.to]
		if n := split(before.Nodes, func(n SyntaxNode) bool { return n.Start < from && from < n.End && n.End <= to }); n != nil {
			warnings = append(warnings, fmt.Sprintf("edit %d start splits a '%s' node: %s", c.edit, n.Kind, n.text(source)))
		}
		if n := split(before.Nodes, func(n SyntaxNode) bool { return from <= n.Start && n.Start < to && to < n.End }); n != nil {
			warnings = append(warnings, fmt.Sprintf("edit %d end splits a '%s' node: %s", c.edit, n.Kind, n.text(source)))
		}
	}
	return warnings
}

func (e *SyntaxError) place() string {
	message := clipText(printable(e.Message))
	switch {
	case e.Line == 0:
		return message
	case e.Column == 0:
		return fmt.Sprintf("line %d: %s", e.Line, message)
	default:
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, message)
	}
}

// split finds the smallest node that is cut.
func split(nodes []SyntaxNode, cut func(SyntaxNode) bool) *SyntaxNode {
	var best *SyntaxNode
	for i := range nodes {
		if n := &nodes[i]; cut(*n) && (best == nil || n.End-n.Start < best.End-best.Start) {
			best = n
		}
	}
	return best
}

// text is how a node starts.
func (n *SyntaxNode) text(src []byte) string {
	first, _, more := strings.Cut(string(src[min(n.Start, len(src)):min(n.End, len(src))]), "\n")
	if r := []rune(first); len(r) > 40 {
		first, more = string(r[:40]), true
	}
	first = strings.TrimRight(first, "\r")
	if more {
		first += "..."
	}
	return fmt.Sprintf("%q", first)
}
