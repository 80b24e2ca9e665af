package registry

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The limits of content beside text. Images cost a model as much as text does.
const (
	maxBlocks     = 1000
	maxImageBytes = 10 << 20 // of all images of one outcome
)

// cut says how a text is bounded: s[:head], a marker line, s[tail:].
type cut struct {
	head, tail int
	marker     string
}

// planCut finds where to cut s so that it stays within limit bytes, marker
// included. Both halves end at character boundaries. ok is false where s fits.
func planCut(s string, limit int) (c cut, ok bool) {
	if len(s) <= limit {
		return cut{}, false
	}
	// The marker's length depends on the number in it, which is at most the
	// whole text's.
	room := limit - len(marker(len(s))) - 2 // two newlines
	if room < 0 {
		head := len(prefix(s, limit)) // no room for a marker at all
		return cut{head: head, tail: len(s)}, true
	}
	c.head = len(prefix(s, room-room/2))
	c.tail = len(s) - len(suffix(s, room/2))
	c.marker = marker(c.tail - c.head)
	return c, true
}

func marker(removed int) string { return fmt.Sprintf("[… %d bytes removed …]", removed) }

// boundText keeps s within limit bytes: its head, one line that says how much
// is missing, its tail. Bounding again changes nothing.
func boundText(s string, limit int) string {
	c, ok := planCut(s, limit)
	if !ok {
		return s
	}
	if c.marker == "" {
		return s[:c.head]
	}
	return s[:c.head] + "\n" + c.marker + "\n" + s[c.tail:]
}

// boundContent keeps the text of content, as Result.Text joins it, within limit
// bytes. It is cut as one text, so that there is one marker: blocks before and
// after the cut stay what they are. full is the text before that.
func boundContent(content []Block, limit int) (bounded []Block, full string, truncated bool) {
	bounded = cleanContent(content)
	full = (&Result{Content: bounded}).Text()
	c, ok := planCut(full, limit)
	if !ok {
		return bounded, full, false
	}
	out := make([]Block, 0, len(bounded))
	marked := false
	at := 0 // where the block's text starts in full
	for _, b := range bounded {
		text := (&Result{Content: []Block{b}}).Text()
		start, end := at, at+len(text)
		at = end + 1 // the newline between blocks
		switch {
		case end <= c.head || start >= c.tail && marked:
			out = append(out, b)
			continue
		case marked && end <= c.tail:
			continue // all of it is cut
		}
		var kept []string // lines of the block
		if !marked {
			if c.head > start {
				kept = append(kept, text[:c.head-start])
			}
			if c.marker != "" {
				kept = append(kept, c.marker)
			}
			marked = true
		}
		if c.tail < end {
			kept = append(kept, text[max(c.tail-start, 0):])
		}
		if len(kept) > 0 { // none where there was no room for a marker
			out = append(out, Block{Type: BlockText, Text: strings.Join(kept, "\n")})
		}
		if c.marker == "" {
			break // nothing follows, not even the newline before an empty block
		}
	}
	return out, full, true
}

// cleanContent copies content with what no model can take mended: text that is
// not UTF-8, JSON that is not JSON, unknown types, too many blocks or images.
func cleanContent(content []Block) []Block {
	out := make([]Block, 0, min(len(content), maxBlocks))
	images := 0
	for i, b := range content {
		if i == maxBlocks {
			out = append(out, Block{Type: BlockText, Text: fmt.Sprintf("[%d more blocks of content left out]", len(content)-i)})
			break
		}
		switch b.Type {
		case BlockText:
			b = Block{Type: BlockText, Text: validText(b.Text)}
		case BlockJSON:
			if !utf8.Valid(b.JSON) { // JSON's own reader lets it pass inside strings
				b.JSON = json.RawMessage(validText(string(b.JSON)))
			}
			if !json.Valid(b.JSON) {
				b = Block{Type: BlockText, Text: validText(string(b.JSON))}
			}
		case BlockImage:
			b.MIMEType = validText(b.MIMEType)
			if images += len(b.Data) + len(b.URL); images > maxImageBytes {
				b = Block{Type: BlockText, Text: fmt.Sprintf("[image %s of %d bytes left out: the images of one result may have %d MiB]",
					prefix(b.MIMEType, 100), len(b.Data)+len(b.URL), maxImageBytes>>20)}
			}
		default:
			b = Block{Type: BlockText, Text: validText(b.Text)}
		}
		out = append(out, b)
	}
	return out
}

// validText replaces what is not UTF-8.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
