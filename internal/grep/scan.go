package grep

import (
	"bytes"
	"errors"
	"io"
)

const (
	window       = 1 << 20  // how much of a file is looked at in one piece
	maxLine      = 16 << 20 // bytes of a line that are looked at together
	maxMultiline = 32 << 20 // of a file, where a match may span lines
)

// ErrTooLarge says that a text is too large to be searched over line ends.
var ErrTooLarge = errors.New("the file is larger than 32 MiB, which is too much to search over line ends")

// Line is a line that was found, or one beside it.
type Line struct {
	Number int // from 1
	Text   []byte
	Match  bool
	At     int // where the match starts in Text; 0 where it is not known
}

// Scanner searches one text after another. It keeps its memory, and is for one
// goroutine.
type Scanner struct {
	Pattern *Pattern
	// Context is how many lines before and after a match are told as well.
	Context int
	// Look sees the start of each text, once. It may say that the text is to be
	// left out, or give a reader in place of the bytes.
	Look func(head []byte) (skip bool, decode func(io.Reader) io.Reader)
	// Stop, if not nil, is asked now and then whether to end early.
	Stop func() bool

	buf    []byte
	find   finder
	tell   func(Line) bool
	number int // of the line that starts at counted
	// Offsets in buf:
	counted int // up to here lines are counted
	told    int // up to here lines were told, or are not to be told
	after   int // lines after a match that are still to be told
}

// Scan searches a text of about the given size and tells the lines in order
// until tell is false. A line's Text is valid during the call only.
func (s *Scanner) Scan(r io.Reader, size int64, tell func(Line) bool) error {
	s.tell, s.number, s.counted, s.told, s.after = tell, 1, 0, 0, 0
	most := window
	if s.Pattern.multiline {
		most = maxMultiline
	}
	if want := int(min(size+1, int64(most))); cap(s.buf) < want {
		s.buf = make([]byte, 0, max(want, 64<<10))
	}
	data := s.buf[:0]
	looked := s.Look == nil
	for at := 0; ; { // data[at:] has not been searched
		var err error
		data, err = fill(data, r, most)
		s.buf = data
		if err != nil && err != io.EOF {
			return err
		}
		if !looked {
			looked = true
			skip, decode := s.Look(data)
			if skip {
				return nil
			}
			if decode != nil {
				rest := io.Reader(bytes.NewReader(nil))
				if err == nil {
					rest = r
				}
				r = decode(io.MultiReader(bytes.NewReader(bytes.Clone(data)), rest))
				if data, err = fill(data[:0], r, most); err != nil && err != io.EOF {
					return err
				}
				s.buf = data
			}
		}
		if s.Pattern.multiline {
			if err == nil {
				return ErrTooLarge
			}
			s.spans(data)
			return nil
		}
		end := len(data) // of the whole lines
		if err == nil {
			if end = bytes.LastIndexByte(data[at:], '\n') + at + 1; end == at {
				if len(data)-at < maxLine {
					most = len(data) + window
					continue
				}
				end = len(data)
			}
		}
		if !s.lines(data[:end], at) || err == io.EOF || s.stopped() {
			return nil
		}
		at, most = s.move(data, end), window
		data = s.buf
		most = max(most, len(data)+window/2)
	}
}

func (s *Scanner) stopped() bool { return s.Stop != nil && s.Stop() }

// fill reads until data is full or r is at its end, which is io.EOF.
func fill(data []byte, r io.Reader, most int) ([]byte, error) {
	for {
		if len(data) >= most {
			return data, nil
		}
		if len(data) == cap(data) {
			more := make([]byte, len(data), min(most, max(2*cap(data), 64<<10)))
			copy(more, data)
			data = more
		}
		n, err := r.Read(data[len(data):min(cap(data), most)])
		data = data[:len(data)+n]
		if err != nil {
			return data, err
		}
	}
}

// move drops what was searched, but for the lines that may be told as context,
// and gives where the search goes on.
func (s *Scanner) move(data []byte, end int) int {
	keep := end
	for range s.Context {
		if keep <= s.told || end-keep > window/4 {
			break
		}
		keep = bytes.LastIndexByte(data[:keep-1], '\n') + 1
	}
	keep = max(keep, min(s.told, end))
	s.count(data, keep)
	s.buf = data[:copy(data, data[keep:])]
	s.counted, s.told = 0, max(s.told-keep, 0)
	return end - keep
}

// count brings the line number up to a place where a line starts.
func (s *Scanner) count(data []byte, to int) {
	if to > s.counted {
		s.number += bytes.Count(data[s.counted:to], []byte{'\n'})
		s.counted = to
	}
}

// lines searches whole lines from a place on, and reports whether to go on.
func (s *Scanner) lines(data []byte, at int) bool {
	p := s.Pattern
	if p.needles != nil {
		s.find.reset(data, p.needles)
	}
	for at < len(data) {
		start := at
		if p.needles != nil || len(p.sets) > 0 {
			hit := 0
			if p.needles != nil {
				hit = s.find.find(at)
			} else {
				hit = p.sets[0].find(data, at)
			}
			if hit >= len(data) {
				break
			}
			start = bytes.LastIndexByte(data[at:hit], '\n') + at + 1
			at = hit
		}
		end := lineEnd(data, at)
		at = end
		line := trimEnding(data[start:end])
		if len(line) == 0 && end-start == 0 {
			break
		}
		if !p.plain && (!p.mayMatch(line) || !p.re.Match(line)) {
			continue
		}
		if !s.hit(data, start, end) {
			return false
		}
	}
	return s.trail(data, len(data))
}

// mayMatch asks a line for what a match needs, the rarest of which is known to
// be there.
func (p *Pattern) mayMatch(line []byte) bool {
	for i := 1; i < len(p.sets); i++ {
		if p.sets[i].find(line, 0) == len(line) {
			return false
		}
	}
	return true
}

// spans searches a whole text for matches that may span lines.
func (s *Scanner) spans(data []byte) {
	p := s.Pattern
	if p.needles != nil {
		if s.find.reset(data, p.needles); s.find.find(0) >= len(data) {
			return
		}
	}
	for at := 0; at < len(data) && !s.stopped(); {
		m := p.re.FindIndex(data[at:])
		if m == nil {
			break
		}
		from, to := at+m[0], at+m[1]
		if from >= len(data) && data[len(data)-1] == '\n' {
			break // an empty match behind the last line
		}
		start := bytes.LastIndexByte(data[:from], '\n') + 1
		last := to
		if to > from && data[to-1] == '\n' {
			last = to - 1
		}
		end := lineEnd(data, last)
		for start < end {
			next := lineEnd(data, start)
			if start >= s.told && !s.hit(data, start, next) {
				return
			}
			start = next
		}
		at = end // what follows in the same line tells nothing new
	}
	s.trail(data, len(data))
}

// hit tells a line that matches, and what is to be told before it.
func (s *Scanner) hit(data []byte, start, end int) bool {
	if !s.trail(data, start) {
		return false
	}
	from := start
	for range s.Context {
		if from <= s.told {
			break
		}
		from = bytes.LastIndexByte(data[:from-1], '\n') + 1
	}
	for from = max(from, s.told); from < start; {
		next := lineEnd(data, from)
		if !s.say(data, from, next, false) {
			return false
		}
		from = next
	}
	s.after = s.Context
	return s.say(data, start, end, true)
}

// trail tells the lines after the last match that lie before a place.
func (s *Scanner) trail(data []byte, to int) bool {
	for s.after > 0 && s.told < to {
		next := lineEnd(data, s.told)
		if !s.say(data, s.told, next, false) {
			return false
		}
		s.after--
	}
	return true
}

func (s *Scanner) say(data []byte, start, end int, match bool) bool {
	s.count(data, start)
	s.told = end
	l := Line{Number: s.number, Text: trimEnding(data[start:end]), Match: match}
	if match && len(l.Text) > 200 {
		if m := s.Pattern.re.FindIndex(l.Text); m != nil {
			l.At = m[0]
		}
	}
	return s.tell(l)
}

// lineEnd is where the line at a place ends, its ending included.
func lineEnd(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(data)
}

func trimEnding(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		if line = line[:n-1]; n > 1 && line[n-2] == '\r' {
			line = line[:n-2]
		}
	}
	return line
}
