// Package textdiff finds which lines of a text changed.
package textdiff

import "github.com/aymanbagabas/go-udiff/lcs"

// Change says that the lines [A0,A1) of the old text became [B0,B1) of the new
// one. One of the two may be empty.
type Change struct{ A0, A1, B0, B1 int }

// maxWork bounds what is compared line by line: old lines times new ones. Above
// it all that lies between the first and the last difference is one change.
const maxWork = 25_000_000

// Lines gives the changes that lead from a to b, in order, apart by at least one
// common line.
func Lines(a, b []string) []Change {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	aEnd, bEnd := len(a), len(b)
	for aEnd > start && bEnd > start && a[aEnd-1] == b[bEnd-1] {
		aEnd--
		bEnd--
	}
	a, b = a[start:aEnd], b[start:bEnd]
	switch {
	case len(a) == 0 && len(b) == 0:
		return nil
	case len(a) == 0 || len(b) == 0 || len(a)*len(b) > maxWork:
		return []Change{{start, aEnd, start, bEnd}}
	}
	var changes []Change
	for _, d := range lcs.DiffLines(a, b) {
		c := Change{start + d.Start, start + d.End, start + d.ReplStart, start + d.ReplEnd}
		if n := len(changes); n > 0 && changes[n-1].A1 == c.A0 && changes[n-1].B1 == c.B0 {
			changes[n-1].A1, changes[n-1].B1 = c.A1, c.B1
			continue
		}
		changes = append(changes, c)
	}
	return changes
}
