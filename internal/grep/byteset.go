package grep

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// byteSet are the bytes of which a match holds one, where no text is known that
// it holds. cost is the lower the rarer they are.
type byteSet struct {
	has  [256]bool
	cost int
}

// requiredBytes finds the rarest set of bytes of which every match has one, or
// nil. The tree is a simplified one.
func requiredBytes(re *syntax.Regexp) *byteSet {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 || len(re.Rune) == 0 {
			return nil
		}
		return newByteSet(re.Rune[:1], re.Rune[:1])
	case syntax.OpCharClass:
		var from, to []rune
		for i := 0; i+1 < len(re.Rune); i += 2 {
			from, to = append(from, re.Rune[i]), append(to, re.Rune[i+1])
		}
		return newByteSet(from, to)
	case syntax.OpCapture, syntax.OpPlus:
		return requiredBytes(re.Sub[0])
	case syntax.OpConcat:
		var best *byteSet
		for _, sub := range re.Sub {
			if s := requiredBytes(sub); s != nil && (best == nil || s.cost < best.cost) {
				best = s
			}
		}
		return best
	case syntax.OpAlternate:
		all := &byteSet{}
		for _, sub := range re.Sub {
			s := requiredBytes(sub)
			if s == nil {
				return nil
			}
			for c, has := range s.has {
				if has && !all.has[c] {
					all.has[c] = true
					all.cost += ranks[c]
				}
			}
		}
		return all
	}
	return nil
}

// maxSets is how many sets a line is asked for.
const maxSets = 3

// requiredSets gives the rarest of the sets of which every match has a byte
// each, the rarest first.
func requiredSets(re *syntax.Regexp) []*byteSet {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	subs := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		subs = re.Sub
	}
	var sets []*byteSet
	for _, sub := range subs {
		if s := requiredBytes(sub); s != nil && !slices.ContainsFunc(sets, func(o *byteSet) bool { return *o == *s }) {
			sets = append(sets, s)
		}
	}
	slices.SortStableFunc(sets, func(a, b *byteSet) int { return cmp.Compare(a.cost, b.cost) })
	return sets[:min(len(sets), maxSets)]
}

// newByteSet has the bytes that characters in the ranges start with. All that
// is not ASCII is one: what is no UTF-8 counts as a character as well.
func newByteSet(from, to []rune) *byteSet {
	s := &byteSet{}
	for i := range from {
		for c := from[i]; c <= min(to[i], utf8.RuneSelf-1); c++ {
			s.has[c] = true
		}
		if to[i] >= utf8.RuneSelf {
			for c := utf8.RuneSelf; c < 256; c++ {
				s.has[c] = true
			}
		}
	}
	for c, has := range s.has {
		if has {
			s.cost += ranks[c]
		}
	}
	return s
}

// find gives the first place from one on that has a byte of the set, or the
// length of data.
func (s *byteSet) find(data []byte, from int) int {
	for i, c := range data[from:] {
		if s.has[c] {
			return from + i
		}
	}
	return len(data)
}
