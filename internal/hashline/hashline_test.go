package hashline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHashVectors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line   string
		number int
		want   string
	}{
		{"fn main() {", 1, "BTMZ"},
		{"}", 1, "PZZZ"},
		{"}", 16, "ZPZZ"},
		{"", 2, "MZZZ"},
		{`  console.log("world");`, 9, "KYNT"},
		{"a", 1, "PWZZ"},
		{"    let x = 1;", 3, "TQBH"},
		{"let x = 1;", 3, "TQRH"},
		{"const café = ☕;", 7, "YTYB"},
	} {
		assert.Equal(t, c.want, Hash(c.line, c.number), "%q", c.line)
	}
	assert.Equal(t, Hash("same text", 1), Hash("same text", 99), "a line that moves keeps its hash")
	assert.Equal(t, Hash("}", 7), Hash(");", 7), "a line without letters has that of its number")
	assert.True(t, Telling("é"))
	assert.True(t, Telling("— ½"))
	assert.False(t, Telling("☕ — }"))
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"12#KYNT", " 12#KYNT", "12#KYNT:  text of it", "12#KYNT: #x", "  12#KYNT:"} {
		a, err := Parse(s)
		require.NoError(t, err, s)
		assert.Equal(t, Anchor{12, "KYNT"}, a)
		assert.Equal(t, "12#KYNT", a.String())
	}
	for _, s := range []string{"", "12", "#KYNT", "0#KYNT", "-1#KYNT", "x#KYNT", "1#", "1#KYN", "1#KYNTT", "1#kynt", "1#AAAA", "99999999999#KYNT", "1##KYNT"} {
		_, err := Parse(s)
		assert.ErrorContains(t, err, "expected LINE#HASH", s)
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "  9#KYNT:  console.log(\"world\");", string(Append(nil, `  console.log("world");`, 9, 3)))
	assert.Equal(t, "1000#"+Hash("x", 1)+":x", string(Append(nil, "x", 1000, 2)))
	for n, want := range map[int]int{1: 1, 9: 1, 10: 2, 99999: 5, 100000: 6} {
		assert.Equal(t, want, Digits(n))
	}
}

func FuzzAnchors(f *testing.F) {
	f.Add("12#KYNT: text", "line", 3)
	f.Add("0#ZZZZ", "}", 1)
	f.Add(" 1#:", "é☕", 70000)
	f.Fuzz(func(t *testing.T, s, line string, number int) {
		if a, err := Parse(s); err == nil {
			again, err := Parse(a.String())
			require.NoError(t, err)
			assert.Equal(t, a, again)
		}
		if number < 1 || number > 1<<30 || strings.ContainsAny(line, "\n") {
			return
		}
		got, err := Parse(string(Append(nil, line, number, 0)))
		require.NoError(t, err)
		assert.Equal(t, Anchor{number, Hash(line, number)}, got, "what is shown can be copied")
	})
}
