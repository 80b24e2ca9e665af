package grep

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxNeedles = 8
	maxNeedle  = 60 // bytes
)

// want is a text that a match contains. Fold says that letters may be of either
// case; it is lower case and ASCII then.
type want struct {
	text string
	fold bool
}

// required gives texts of which every match contains one, or nil where that is
// not known. The tree is a simplified one.
func required(re *syntax.Regexp) []want {
	switch re.Op {
	case syntax.OpLiteral:
		return literal(re)
	case syntax.OpCharClass:
		return class(re)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpConcat:
		var best []want
		for _, sub := range re.Sub {
			if w := required(sub); better(w, best) {
				best = w
			}
		}
		return best
	case syntax.OpAlternate:
		var all []want
		for _, sub := range re.Sub {
			w := required(sub)
			if w == nil || len(all)+len(w) > maxNeedles {
				return nil
			}
			all = append(all, w...)
		}
		return all
	}
	return nil
}

func literal(re *syntax.Regexp) []want {
	if slices.Contains(re.Rune, utf8.RuneError) {
		return nil // which stands for all that is no UTF-8
	}
	if re.Flags&syntax.FoldCase == 0 {
		s := string(re.Rune)
		if len(s) > maxNeedle {
			s = s[:maxNeedle]
			for !utf8.ValidString(s) {
				s = s[:len(s)-1]
			}
		}
		return []want{{text: s}}
	}
	// The letters k and s have a third form each, far from ASCII, and other
	// letters have who knows what: the longest piece without them.
	best, piece := "", ""
	for _, r := range re.Rune {
		if c := lower(r); r < utf8.RuneSelf && c != 'k' && c != 's' && len(piece) < maxNeedle {
			piece += string(c)
		} else {
			piece = ""
		}
		if len(piece) > len(best) {
			best = piece
		}
	}
	if best == "" {
		return nil
	}
	return []want{{text: best, fold: strings.ToUpper(best) != best}}
}

// class is a set of few characters.
func class(re *syntax.Regexp) []want {
	var all []want
	for i := 0; i+1 < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			if len(all) == 3 || r == utf8.RuneError {
				return nil
			}
			all = append(all, want{text: string(r)})
		}
	}
	return all
}

// better reports whether a is a better thing to look for than b: its shortest
// text is longer, or as long and there are fewer.
func better(a, b []want) bool {
	if a == nil || b == nil {
		return a != nil
	}
	if x, y := shortest(a), shortest(b); x != y {
		return x > y
	}
	return len(a) < len(b)
}

func shortest(all []want) int {
	n := maxNeedle + 1
	for _, w := range all {
		n = min(n, len(w.text))
	}
	return n
}

func lower(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}
