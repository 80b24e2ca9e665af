package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBoundText(t *testing.T) {
	for _, c := range []struct {
		about, in string
		limit     int
		want      string
	}{
		{"what fits stays", "hello", 5, "hello"},
		{"head, marker, tail", strings.Repeat("a", 100) + strings.Repeat("b", 100), 60,
			"aaaaaaaaaaaaaaaa\n[… 169 bytes removed …]\nbbbbbbbbbbbbbbb"},
		{"no character is cut", strings.Repeat("ü", 100), 60,
			strings.Repeat("ü", 8) + "\n[… 170 bytes removed …]\n" + strings.Repeat("ü", 7)},
		{"no room for a marker", strings.Repeat("ü", 100), 5, "üü"},
	} {
		t.Run(c.about, func(t *testing.T) {
			got := boundText(c.in, c.limit)
			assert.Equal(t, c.want, got)
			assert.LessOrEqual(t, len(got), c.limit)
			assert.Equal(t, got, boundText(got, c.limit))
		})
	}
}

func text(s string) Block { return Block{Type: BlockText, Text: s} }

func TestBoundContent(t *testing.T) {
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	img := Block{Type: BlockImage, MIMEType: "image/png", Data: []byte{1}}
	js := Block{Type: BlockJSON, JSON: json.RawMessage(`{"k":1}`)}
	for _, c := range []struct {
		about string
		in    []Block
		limit int
		want  []Block
	}{
		{"what fits keeps its form", []Block{text("x"), js, img}, 100, []Block{text("x"), js, img}},
		{"the cut is within one block", []Block{js, text(a + b), img}, 70,
			[]Block{js, text(strings.Repeat("a", 13) + "\n[… 65 bytes removed …]\nbb"), img}},
		{"the cut spans blocks", []Block{text("head"), text(a), js, text(b)}, 60,
			[]Block{text("head"), text(strings.Repeat("a", 11) + "\n[… 62 bytes removed …]"), text(strings.Repeat("b", 16))}},
		{"bytes that are not UTF-8", []Block{text("a\xffb"), {Type: BlockImage, MIMEType: "\xff"}}, 100,
			[]Block{text("a\uFFFDb"), {Type: BlockImage, MIMEType: "\uFFFD"}}},
		{"JSON that is none is text", []Block{{Type: BlockJSON, JSON: json.RawMessage(`{"a`)}}, 100, []Block{text(`{"a`)}},
		{"an unknown type is text", []Block{{Type: "video", Text: "x"}}, 100, []Block{text("x")}},
	} {
		t.Run(c.about, func(t *testing.T) {
			got, full, truncated := boundContent(c.in, c.limit)
			assert.Equal(t, c.want, got)
			joined := (&Result{Content: got}).Text()
			assert.LessOrEqual(t, len(joined), c.limit)
			assert.Equal(t, truncated, full != joined)
			again, _, more := boundContent(got, c.limit)
			assert.Equal(t, got, again)
			assert.False(t, more)
		})
	}
}

func TestBoundContentLimitsBlocksAndImages(t *testing.T) {
	many := make([]Block, 5000)
	for i := range many {
		many[i] = text("x")
	}
	got, _, _ := boundContent(many, DefaultTextLimit)
	assert.Len(t, got, 1001)
	assert.Equal(t, "[4000 more blocks of content left out]", got[1000].Text)

	img := Block{Type: BlockImage, MIMEType: "image/png", Data: make([]byte, 6<<20)}
	got, _, _ = boundContent([]Block{img, img}, DefaultTextLimit)
	assert.Equal(t, img, got[0])
	assert.Equal(t, "[image image/png of 6291456 bytes left out: the images of one result may have 10 MiB]", got[1].Text)
}

func TestLongTextIsCutForTheModelAndKeptForTheHost(t *testing.T) {
	long := strings.Repeat("line ü\n", 10_000)
	for _, c := range []struct {
		about   string
		details any
		want    any // of the outcome's details
		full    string
	}{
		{"no details", nil, FullOutput{Size: len(long), Text: long}, long},
		{"details of the tool", "mine", Details{FullOutput: &FullOutput{Size: len(long), Text: long}, Value: "mine"}, long},
		{"the tool cut it before", FullOutput{Size: 3, Text: "all"}, FullOutput{Size: 3, Text: "all"}, "all"},
	} {
		t.Run(c.about, func(t *testing.T) {
			o := call(doorTo(t, "", func(context.Context, json.RawMessage) (*Result, error) {
				res := Text(long)
				res.Details = c.details
				return res, nil
			}, nil), "")
			assert.Equal(t, StatusSuccess, o.Status)
			assert.True(t, o.Truncated)
			assert.LessOrEqual(t, len(o.Text), 30_000)
			assert.Greater(t, len(o.Text), 29_900)
			assert.Equal(t, 1, strings.Count(o.Text, "bytes removed"))
			assert.True(t, strings.HasPrefix(o.Text, "line ü\nline ü\n"))
			assert.True(t, strings.HasSuffix(o.Text, "line ü\nline ü\n"))
			assert.Equal(t, c.want, o.Details)
			assert.Equal(t, c.full, o.FullText())
		})
	}
}

func TestErrorTextIsBoundedToo(t *testing.T) {
	o := call(doorTo(t, "", func(context.Context, json.RawMessage) (*Result, error) {
		return nil, fmt.Errorf("%s", strings.Repeat("x", 100_000))
	}, nil), "")
	assert.InDelta(t, 29_995, len(o.Text), 5)
	assert.True(t, o.Truncated)
	assert.Len(t, o.FullText(), 100_000)
}

func FuzzBound(f *testing.F) {
	f.Add("hello world", "x\n\ny", 20)
	f.Add(strings.Repeat("ü", 50), "", 45)
	f.Add("\xff\xfe", strings.Repeat("\n", 60), 30)
	f.Add(strings.Repeat("abc ", 30), strings.Repeat("z", 70), 64)
	f.Add("", "", 9) // an empty block behind the cut
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		if limit < 1 || limit > 1<<16 {
			return
		}
		got := boundText(a, limit)
		require.LessOrEqual(t, len(got), limit)
		require.Equal(t, got, boundText(got, limit))
		require.Equal(t, utf8.ValidString(a), utf8.ValidString(a) && utf8.ValidString(got))

		content := []Block{text(a), {Type: BlockJSON, JSON: json.RawMessage(b)}, {Type: BlockImage, MIMEType: a}, text(b), text(a + b)}
		blocks, full, truncated := boundContent(content, limit)
		joined := (&Result{Content: blocks}).Text()
		require.LessOrEqual(t, len(joined), limit)
		require.True(t, utf8.ValidString(joined))
		require.Equal(t, len(full) > limit, truncated)
		again, _, more := boundContent(blocks, limit)
		require.False(t, more)
		require.Equal(t, blocks, again)
	})
}
