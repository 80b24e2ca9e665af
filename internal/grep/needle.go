package grep

import "bytes"

// needle is a text made ready to be searched for.
type needle struct {
	text   []byte
	fold   bool // letters may be of either case; text is in lower case
	rare   byte // the byte of text that other texts have least
	other  byte // the same in upper case, where fold says so
	offset int  // of rare in text
}

// commonness ranks bytes by how often source text has them; what is not in it
// is rare.
const commonness = "qjzxkvwbygQJZXKVWHYGUBOFDLPMNICSTREA98765432&%$#@!?~^`|;:'*+<>\\[]{}0=-1\",_().\tpmhdulcfs/\nonriate "

var ranks = func() (r [256]int) {
	for i := range commonness {
		r[commonness[i]] = i + 1
	}
	return r
}()

func newNeedles(all []want) []needle {
	var needles []needle
	for _, w := range all {
		if w.text == "" {
			return nil
		}
		n := needle{text: []byte(w.text), fold: w.fold}
		best := -1
		for i, c := range n.text {
			rank := ranks[c]
			if w.fold && 'a' <= c && c <= 'z' {
				rank += 8 // two bytes to look for
			}
			if best < 0 || rank < best {
				best, n.rare, n.offset = rank, c, i
			}
		}
		n.other = n.rare
		if w.fold && 'a' <= n.rare && n.rare <= 'z' {
			n.other = n.rare - 'a' + 'A'
		}
		needles = append(needles, n)
	}
	return needles
}

// finder looks for needles in one text, forwards.
type finder struct {
	data    []byte
	needles []needle
	next    []int // of each needle; -1: not known, len(data): none
	lowers  []int // where rare and other are found next, for those that fold
	uppers  []int
}

func (f *finder) reset(data []byte, needles []needle) {
	f.data, f.needles = data, needles
	f.next, f.lowers, f.uppers = f.next[:0], f.lowers[:0], f.uppers[:0]
	for range needles {
		f.next, f.lowers, f.uppers = append(f.next, -1), append(f.lowers, -1), append(f.uppers, -1)
	}
}

// find gives where the first of the needles starts at or after a place, or
// len(data). Places must not go back.
func (f *finder) find(from int) int {
	least := len(f.data)
	for i := range f.needles {
		if f.next[i] < from {
			if f.needles[i].other != f.needles[i].rare {
				f.next[i] = f.findFolded(i, from)
			} else {
				f.next[i] = f.findByte(i, from)
			}
		}
		least = min(least, f.next[i])
	}
	return least
}

func (f *finder) findByte(i, from int) int {
	n := &f.needles[i]
	end := len(f.data) - len(n.text) + n.offset // the last place of rare, at most
	for at := from + n.offset; at <= end; {
		hit := bytes.IndexByte(f.data[at:end+1], n.rare)
		if hit < 0 {
			break
		}
		at += hit
		if n.is(f.data[at-n.offset:]) {
			return at - n.offset
		}
		at++
	}
	return len(f.data)
}

func (f *finder) findFolded(i, from int) int {
	n := &f.needles[i]
	end := len(f.data) - len(n.text) + n.offset
	for at := from + n.offset; at <= end; {
		if f.lowers[i] < at {
			f.lowers[i] = indexFrom(f.data, at, n.rare)
		}
		if f.uppers[i] < at {
			f.uppers[i] = indexFrom(f.data, at, n.other)
		}
		at = min(f.lowers[i], f.uppers[i])
		if at > end {
			break
		}
		if n.is(f.data[at-n.offset:]) {
			return at - n.offset
		}
		at++
	}
	return len(f.data)
}

func indexFrom(data []byte, from int, c byte) int {
	if i := bytes.IndexByte(data[from:], c); i >= 0 {
		return from + i
	}
	return len(data)
}

// is reports whether data starts with the needle.
func (n *needle) is(data []byte) bool {
	if len(data) < len(n.text) {
		return false
	}
	if !n.fold {
		return bytes.Equal(data[:len(n.text)], n.text)
	}
	for i, c := range n.text {
		d := data[i]
		if 'A' <= d && d <= 'Z' {
			d += 'a' - 'A'
		}
		if d != c {
			return false
		}
	}
	return true
}
