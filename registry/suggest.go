package registry

import (
	"sort"
	"strings"
)

// suggest picks at most max candidates that look like a misspelt name, the
// likeliest first.
func suggest(name string, candidates []string, max int) []string {
	if len(name) > 200 { // no misspelling, and the distance is quadratic
		return nil
	}
	type scored struct {
		name string
		d    int
	}
	var found []scored
	folded := fold(name)
	for _, c := range candidates {
		if c == name || len(c) > 200 {
			continue
		}
		f := fold(c)
		limit := min(len(f), len(folded)) / 3
		if limit < 1 {
			limit = 1
		}
		if d := distance(folded, f, limit); d <= limit && d < len(f) {
			found = append(found, scored{c, d})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].d < found[j].d })
	if len(found) > max {
		found = found[:max]
	}
	names := make([]string, len(found))
	for i, f := range found {
		names[i] = f.name
	}
	return names
}

// closest is the first of suggest, or "".
func closest(name string, candidates []string) string {
	if s := suggest(name, candidates, 1); len(s) > 0 {
		return s[0]
	}
	return ""
}

// fold takes out what writers of names differ in: readFile, read_file and
// read-file are one.
func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s))
}

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

// didYouMean is the hint at the end of a message, or "".
func didYouMean(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return " (did you mean " + quote(names[0]) + "?)"
	default:
		quoted := make([]string, len(names))
		for i, n := range names {
			quoted[i] = quote(n)
		}
		last := len(quoted) - 1
		return " (did you mean " + strings.Join(quoted[:last], ", ") + " or " + quoted[last] + "?)"
	}
}
