// Package suggest finds the name that was probably meant by a misspelt one.
package suggest

import (
	"sort"
	"strings"
)

// maxLen is the longest name that is looked at: beyond it nobody misspells,
// and the distance is quadratic.
const maxLen = 200

// Names picks at most max candidates that look like name, the likeliest first.
// It never picks name itself.
func Names(name string, candidates []string, max int) []string {
	if len(name) > maxLen {
		return nil
	}
	type scored struct {
		name string
		d    int
	}
	var found []scored
	folded := fold(name)
	for _, c := range candidates {
		if c == name || len(c) > maxLen {
			continue
		}
		f := fold(c)
		limit := 1 + min(len(f), len(folded))/4
		if d := distance(folded, f, limit); d <= limit && d < len(f) {
			found = append(found, scored{c, d})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].d < found[j].d })
	names := make([]string, min(len(found), max))
	for i := range names {
		names[i] = found[i].name
	}
	return names
}

// First is the likeliest of Names, or "".
func First(name string, candidates []string) string {
	if names := Names(name, candidates, 1); len(names) > 0 {
		return names[0]
	}
	return ""
}

// Hint is the end of an error message that offers names, already quoted where
// they need it: ` (did you mean a, b or c?)`, or "" for none.
func Hint(names ...string) string {
	if len(names) == 0 {
		return ""
	}
	last := len(names) - 1
	list := names[last]
	if last > 0 {
		list = strings.Join(names[:last], ", ") + " or " + list
	}
	return " (did you mean " + list + "?)"
}

// fold takes out what writers of names differ in: readFile, read_file and
// read-file are one.
func fold(s string) string {
	return strings.ToLower(joiners.Replace(s))
}

var joiners = strings.NewReplacer("_", "", "-", "")

// distance is the number of insertions, deletions, changes and swaps of
// neighbours between a and b (optimal string alignment), or limit+1 when it is
// higher than limit.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return min(prev[len(b)], limit+1)
}
