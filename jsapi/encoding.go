package jsapi

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// decodeUTF8 turns bytes into text as the web does: one U+FFFD per maximal
// ill-formed part, and no byte order mark.
func decodeUTF8(b []byte) string {
	return replaceIllFormed(bytes.TrimPrefix(b, []byte("\ufeff")))
}

func replaceIllFormed(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	out, _ := unicode.UTF8.NewDecoder().Bytes(b) // it replaces, and never fails
	return string(out)
}

// bytesArg is the memory of a Uint8Array argument; it must not be kept.
func bytesArg(c goja.FunctionCall, i int) []byte {
	b, _ := c.Argument(i).Export().([]byte)
	return b
}

// Bytes makes a Uint8Array over b, which is the runtime's from then on.
func (g *Globals) Bytes(b []byte) (goja.Value, error) {
	return g.call(webidlScript, "bytes", g.vm.ToValue(g.vm.NewArrayBuffer(b)))
}

// encodeText gives text as UTF-8: (string) → ArrayBuffer.
func encodeText(g *Globals, c goja.FunctionCall) goja.Value {
	return g.vm.ToValue(g.vm.NewArrayBuffer([]byte(c.Argument(0).String())))
}

// decodeText gives UTF-8 as text: (Uint8Array) → string.
func decodeText(g *Globals, c goja.FunctionCall) goja.Value {
	return g.vm.ToValue(decodeUTF8(bytesArg(c, 0)))
}

// encodeInto writes as many whole characters as fit: (string, Uint8Array) →
// [UTF-16 units read, bytes written].
func encodeInto(g *Globals, c goja.FunctionCall) goja.Value {
	s := c.Argument(0).ToString().(goja.String)
	dst := bytesArg(c, 1)
	read, written := 0, 0
	for read < s.Length() {
		r, units := rune(s.CharAt(read)), 1
		if utf16.IsSurrogate(r) {
			pair := rune(utf8.RuneError)
			if read+1 < s.Length() {
				pair = utf16.DecodeRune(r, rune(s.CharAt(read+1)))
			}
			if pair != utf8.RuneError {
				units = 2
			}
			r = pair
		}
		if written+utf8.RuneLen(r) > len(dst) {
			break
		}
		written += utf8.EncodeRune(dst[written:], r)
		read += units
	}
	return g.vm.NewArray(read, written)
}

// decoder is the state of one TextDecoder.
type decoder struct {
	name             string
	t                transform.Transformer
	fatal, ignoreBOM bool

	pending []byte // the start of a character whose rest has not come yet
	started bool   // some text has come out, so a byte order mark no longer counts
}

// newDecoder makes a decoder: (label, fatal, ignoreBOM) → [decoder, name], or
// undefined for an unknown label.
func newDecoder(g *Globals, c goja.FunctionCall) goja.Value {
	label := strings.Trim(c.Argument(0).String(), "\t\n\f\r ")
	if strings.TrimSpace(label) != label { // the library trims more than the standard
		return goja.Undefined()
	}
	enc, err := htmlindex.Get(label)
	if err != nil || enc == nil {
		return goja.Undefined()
	}
	d := &decoder{t: enc.NewDecoder().Transformer, fatal: c.Argument(1).ToBoolean(), ignoreBOM: c.Argument(2).ToBoolean()}
	if d.name, err = htmlindex.Name(enc); err != nil || d.name == "replacement" {
		return goja.Undefined()
	}
	switch d.name { // the library's own decoders let a byte order mark choose
	case "utf-16le":
		d.t = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder().Transformer
	case "utf-16be":
		d.t = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder().Transformer
	}
	return g.vm.NewArray(d, d.name)
}

// runDecoder decodes the next bytes: (decoder, Uint8Array, stream) → string, or
// undefined where a fatal decoder met an error.
func runDecoder(g *Globals, c goja.FunctionCall) goja.Value {
	d, ok := c.Argument(0).Export().(*decoder)
	if !ok {
		panic(g.vm.NewTypeError("not a decoder"))
	}
	text, ok := d.decode(bytesArg(c, 1), c.Argument(2).ToBoolean())
	if !ok {
		return goja.Undefined()
	}
	return g.vm.ToValue(text)
}

func (d *decoder) decode(b []byte, stream bool) (text string, ok bool) {
	src := append(d.pending, b...)
	d.pending = nil
	var out []byte
	used := 0
	buf := make([]byte, 2*len(src)+16)
	for {
		nDst, nSrc, err := d.t.Transform(buf, src[used:], !stream)
		out = append(out, buf[:nDst]...)
		used += nSrc
		if err != transform.ErrShortDst {
			break
		}
	}
	bad := d.fatal && d.illFormed(src[:used], out)
	if stream && !bad {
		d.pending = append([]byte(nil), src[used:]...)
	}
	if !d.started && len(out) > 0 {
		d.started = true
		if !d.ignoreBOM && strings.HasPrefix(d.name, "utf-") {
			out = bytes.TrimPrefix(out, []byte("\ufeff"))
		}
	}
	if !stream || bad {
		d.t.Reset()
		d.started = false
	}
	return string(out), !bad
}

// illFormed reports whether the decoder replaced something. Text may hold a
// true U+FFFD, so the Unicode encodings look at the input.
func (d *decoder) illFormed(in, out []byte) bool {
	switch d.name {
	case "utf-8":
		return !utf8.Valid(in)
	case "utf-16le", "utf-16be":
		if len(in)%2 != 0 {
			return true
		}
		hi := 0
		if d.name == "utf-16le" {
			hi = 1
		}
		for i := 0; i < len(in); i += 2 {
			unit := func(i int) rune { return rune(in[i+hi])<<8 | rune(in[i+1-hi]) }
			if !utf16.IsSurrogate(unit(i)) {
				continue
			}
			if i+3 >= len(in) || utf16.DecodeRune(unit(i), unit(i+2)) == utf8.RuneError {
				return true
			}
			i += 2
		}
		return false
	default:
		return bytes.ContainsRune(out, utf8.RuneError)
	}
}

// atob decodes base64 to a string of bytes, or gives undefined.
func atob(g *Globals, c goja.FunctionCall) goja.Value {
	s := strings.Map(func(r rune) rune {
		if strings.ContainsRune("\t\n\f\r ", r) {
			return -1
		}
		return r
	}, c.Argument(0).String())
	if len(s)%4 == 0 {
		s = strings.TrimSuffix(strings.TrimSuffix(s, "="), "=")
	}
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return goja.Undefined()
	}
	units := make([]rune, len(b))
	for i, x := range b {
		units[i] = rune(x)
	}
	return g.vm.ToValue(string(units))
}

// btoa encodes a string of bytes as base64, or gives undefined.
func btoa(g *Globals, c goja.FunctionCall) goja.Value {
	s := c.Argument(0).String()
	b := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xFF {
			return goja.Undefined()
		}
		b = append(b, byte(r))
	}
	return g.vm.ToValue(base64.StdEncoding.EncodeToString(b))
}
