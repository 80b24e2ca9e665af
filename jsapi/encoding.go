package jsapi

import (
	"golang.org/x/text/encoding/unicode"
)

// decodeUTF8 turns bytes into text as the web does: one U+FFFD per maximal
// ill-formed part.
func decodeUTF8(b []byte) string {
	out, err := unicode.UTF8.NewDecoder().Bytes(b)
	if err != nil {
		return string(b) // the decoder reports no errors
	}
	return string(out)
}
