package textenc

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about, data, text string
		want              Encoding
	}{
		{"empty", "", "", UTF8},
		{"UTF-8", "héllo\n", "héllo\n", UTF8},
		{"a mark", "\xef\xbb\xbfhéllo", "héllo", UTF8BOM},
		{"a mark alone", "\xef\xbb\xbf", "", UTF8BOM},
		{"UTF-16LE", "\xff\xfea\x00\n\x00\xe9\x00\x3d\xd8\x00\xde", "a\né😀", UTF16LE},
		{"UTF-16BE", "\xfe\xff\x00a\x00\n", "a\n", UTF16BE},
		{"Latin-1", "caf\xe9\nx\n", "caf\xe9\nx\n", Latin1},
		{"both", "caf\xe9\ncafé\n", "caf\xe9\ncafé\n", Mixed},
	} {
		text, e, err := Decode([]byte(c.data))
		require.NoError(t, err, c.about)
		assert.Equal(t, c.text, text, c.about)
		assert.Equal(t, c.want, e, c.about)
		back, err := Encode(text, e)
		require.NoError(t, err, c.about)
		assert.Equal(t, c.data, string(back), c.about)

		streamed, err := io.ReadAll(Reader(iotest.OneByteReader(bytes.NewReader([]byte(c.data))), Sniff([]byte(c.data))))
		require.NoError(t, err, c.about)
		assert.Equal(t, c.text, string(streamed), c.about)
	}
	for about, data := range map[string]string{
		"binary":              "\x00\x01",
		"a lone surrogate":    "\xff\xfe\x00\xd8a\x00",
		"half a unit":         "\xff\xfea",
		"a mark, then Latin1": "\xef\xbb\xbf\xe9",
	} {
		_, _, err := Decode([]byte(data))
		assert.Error(t, err, about)
	}
}

func TestFromUTF8(t *testing.T) {
	t.Parallel()
	s, err := FromUTF8("é", Latin1)
	require.NoError(t, err)
	assert.Equal(t, "\xe9", s)
	line, latin := Line("caf\xe9")
	assert.True(t, latin)
	assert.Equal(t, "café", line)
	_, err = FromUTF8("☕", Latin1)
	assert.ErrorContains(t, err, "Latin-1, which has no '☕'")
	_, err = FromUTF8("é", Mixed)
	assert.ErrorContains(t, err, "mixes")
	s, err = FromUTF8("plain", Mixed)
	require.NoError(t, err)
	assert.Equal(t, "plain", s)
}

func FuzzEncodings(f *testing.F) {
	for _, s := range []string{"", "a\nb", "caf\xe9", "\xef\xbb\xbfx", "\xff\xfea\x00", "\xfe\xff\x00a", "\xff\xfe\x00\xd8", "\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, e, err := Decode(data)
		if err != nil {
			return
		}
		back, err := Encode(text, e)
		require.NoError(t, err)
		require.Equal(t, data, back, "what can be decoded comes back to the byte")
	})
}
