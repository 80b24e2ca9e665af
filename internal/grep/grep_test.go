package grep

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// all scans a text and writes what was told as grep does.
func all(t testing.TB, p *Pattern, context int, r io.Reader, size int) string {
	t.Helper()
	var b strings.Builder
	s := &Scanner{Pattern: p, Context: context}
	require.NoError(t, s.Scan(r, int64(size), func(l Line) bool {
		mark := "-"
		if l.Match {
			mark = ":"
		}
		fmt.Fprintf(&b, "%d%s%s\n", l.Number, mark, l.Text)
		return true
	}))
	return b.String()
}

func TestScan(t *testing.T) {
	t.Parallel()
	text := "one\ntwo\r\nThree\nfour\n\nsix"
	for _, c := range []struct {
		expr    string
		o       Options
		context int
		want    string
	}{
		{"o", Options{}, 0, "1:one\n2:two\n4:four\n"},
		{"^t", Options{}, 0, "2:two\n"},
		{"o$", Options{}, 0, "2:two\n"},
		{"^$", Options{}, 0, "5:\n"},
		{"t", Options{IgnoreCase: true}, 0, "2:two\n3:Three\n"},
		{"three", Options{IgnoreCase: true, Literal: true}, 0, "3:Three\n"},
		{"T|x", Options{}, 1, "2-two\n3:Three\n4-four\n5-\n6:six\n"},
		{".", Options{Literal: true}, 0, ""},
		{"x*", Options{}, 0, "1:one\n2:two\n3:Three\n4:four\n5:\n6:six\n"},
		{`e\nf`, Options{Multiline: true}, 0, "3:Three\n4:four\n"},
		{`^four$\n\n`, Options{Multiline: true}, 1, "3-Three\n4:four\n5:\n6-six\n"},
		{`T.*x`, Options{Multiline: true}, 0, "3:Three\n4:four\n5:\n6:six\n"},
		{`^`, Options{Multiline: true}, 0, "1:one\n2:two\n3:Three\n4:four\n5:\n6:six\n"},
		{"(a|o)n(e|x)", Options{}, 0, "1:one\n"},
		{`[^a]`, Options{}, 0, "1:one\n2:two\n3:Three\n4:four\n6:six\n"},
		{`\s`, Options{}, 0, ""},
	} {
		p, err := Compile(c.expr, c.o)
		require.NoError(t, err, c.expr)
		assert.Equal(t, c.want, all(t, p, c.context, strings.NewReader(text), len(text)), "%s %+v", c.expr, c.o)
		assert.Equal(t, c.want, all(t, p, c.context, iotest.OneByteReader(strings.NewReader(text)), 0), "%s by the byte", c.expr)
	}
}

func TestCompileSaysWhatTheSyntaxLacks(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		"a(?=b)":    "look-around is not offered",
		"a(?!b)":    "look-around",
		"(?<=a)b":   "look-around",
		`(a)\1`:     "back-references are not offered",
		"a++":       "possessive",
		"(?>a)":     "atomic",
		"foo(":      "missing closing )",
		"[a":        "missing closing ]",
		`a\nb`:      "set multiline",
		`\y`:        "Go (RE2)",
		"a{1,9999}": "repeat count",
	} {
		_, err := Compile(expr, Options{})
		assert.ErrorContains(t, err, want, expr)
	}
	_, err := Compile(strings.Repeat("a", maxPattern+1), Options{})
	assert.Error(t, err)
}

// Whatever is looked for first, the lines are those that the expression itself
// finds; also over the borders of windows.
func TestScanFindsWhatTheExpressionFinds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	exprs := []string{"ab", "a|bc", "b+c", "(ab|ba)c", "[ab]c", "a.c", "aab|bbc|ccc", "a?b?", "^ab", "bc$", "(?i)aB", "(?i)sk", "(?i)K", "a(b|c)*d", "é", "(?i)É", "[^a]b", "ab{2}", "[abc]+[ABC]", `\w{3}\d?[B-C]`, "[é-ſ]", "([a-b]|[C-D])c", `[^\x00-z]`, "\\x{FFFD}", `[[:upper:]]{2}`}
	alphabet := []rune("aabbccABCdsSkKſK é\r\uFFFD")
	for range 1500 {
		var b strings.Builder
		for range r.IntN(300) {
			if r.IntN(8) == 0 {
				b.WriteByte('\n')
			} else {
				c := alphabet[r.IntN(len(alphabet))]
				if c == utf8.RuneError && r.IntN(2) == 0 {
					b.WriteByte(0xe9) // no UTF-8
					continue
				}
				b.WriteRune(c)
			}
		}
		text := b.String()
		expr := exprs[r.IntN(len(exprs))]
		p, err := Compile(expr, Options{})
		require.NoError(t, err)
		re := regexp.MustCompile(expr)
		want := ""
		n := 0
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
			if text[len(text)-1] != '\n' && n == strings.Count(text, "\n")+1 {
				line = text[strings.LastIndexByte(text, '\n')+1:] // an ending is a newline with what belongs to it
			}
			if re.MatchString(line) {
				want += fmt.Sprintf("%d:%s\n", n, line)
			}
		}
		require.Equal(t, want, all(t, p, 0, strings.NewReader(text), len(text)), "%q in %q", expr, text)
	}
}

func TestScanOfALargeText(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	var want strings.Builder
	for i := 1; b.Len() < 3*window; i++ {
		if i%5000 == 0 {
			fmt.Fprintf(&want, "%d-line %d\n%d:line %d needle\n%d-line %d\n", i-1, i-1, i, i, i+1, i+1)
			fmt.Fprintf(&b, "line %d needle\n", i)
			continue
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	p, err := Compile("needle", Options{})
	require.NoError(t, err)
	assert.Equal(t, want.String(), all(t, p, 1, bytes.NewReader(b.Bytes()), b.Len()))
	p, err = Compile(`n[e]{2}d\w+`, Options{})
	require.NoError(t, err)
	assert.Equal(t, want.String(), all(t, p, 1, iotest.HalfReader(bytes.NewReader(b.Bytes())), 0))

	long := strings.Repeat("x", 3*window) + "needle" + strings.Repeat("y", window) + "\nneedle\n"
	s := &Scanner{Pattern: p}
	var lines []int
	require.NoError(t, s.Scan(strings.NewReader(long), int64(len(long)), func(l Line) bool {
		lines = append(lines, l.Number, l.At)
		return true
	}))
	assert.Equal(t, []int{1, 3 * window, 2, 0}, lines)
}

func TestScanStopsWhenToldTo(t *testing.T) {
	t.Parallel()
	p, err := Compile("a", Options{})
	require.NoError(t, err)
	n := 0
	s := &Scanner{Pattern: p, Look: func(head []byte) (bool, func(io.Reader) io.Reader) { return false, nil }}
	require.NoError(t, s.Scan(strings.NewReader("a\na\na\n"), 6, func(Line) bool { n++; return n < 2 }))
	assert.Equal(t, 2, n)
	s.Look = func([]byte) (bool, func(io.Reader) io.Reader) { return true, nil }
	require.NoError(t, s.Scan(strings.NewReader("a\n"), 2, func(Line) bool { t.Error("left out"); return true }))
	s.Look = func([]byte) (bool, func(io.Reader) io.Reader) {
		return false, func(io.Reader) io.Reader { return strings.NewReader("x\nan a\n") }
	}
	require.NoError(t, s.Scan(strings.NewReader("zzz"), 2, func(l Line) bool {
		assert.Equal(t, "an a", string(l.Text))
		return true
	}))
	broken := io.MultiReader(strings.NewReader("x"), iotest.ErrReader(io.ErrClosedPipe))
	s.Look = nil
	assert.ErrorIs(t, s.Scan(broken, 0, func(Line) bool { return true }), io.ErrClosedPipe)
}

func FuzzScan(f *testing.F) {
	f.Add("a|b", "xa\nb\r\n", true, false, 1)
	f.Add("(?i)kelvin", "KELVIN\n", false, true, 0)
	f.Add("^$", "\n\n", true, true, 2)
	f.Fuzz(func(t *testing.T, expr, text string, fold, multi bool, context int) {
		if len(expr) > 50 || len(text) > 2000 {
			return
		}
		p, err := Compile(expr, Options{IgnoreCase: fold, Multiline: multi})
		if err != nil {
			return
		}
		got := all(t, p, min(max(context, 0), 5), strings.NewReader(text), len(text))
		if context == 0 && !multi {
			want := 0
			for line := range strings.Lines(text) {
				line = string(trimEnding([]byte(line)))
				if p.re.MatchString(line) {
					want++
				}
			}
			if n := strings.Count(got, "\n"); n != want {
				t.Fatalf("%d lines told, %d match", n, want)
			}
		}
	})
}
