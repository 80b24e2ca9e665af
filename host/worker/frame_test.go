package worker

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// raw makes the bytes of a frame of any lengths.
func raw(head, size uint32, text string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, head)
	b = binary.LittleEndian.AppendUint32(b, size)
	return append(b, text...)
}

func sound(header, payload string) []byte {
	return raw(uint32(len(header)), uint32(len(payload)), header+payload)
}

func TestFramesComeOutAsTheyWentIn(t *testing.T) {
	t.Parallel()
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<17)
	frames := []frame{
		{header: header{Kind: kindPing}},
		{header: header{Kind: kindCall, ID: 1<<64 - 1, Sandbox: 7}, parts: [][]byte{[]byte("{}"), nil, {}, {0, 255}}},
		{header: header{Kind: kindAnswer, Stream: 9, Flag: flagEOF, Max: 3}, parts: [][]byte{big, nil, big[:whole]}},
		{header: header{Kind: kindDo}, parts: make([][]byte, maxParts)},
	}
	var pipe bytes.Buffer
	var buf []byte
	var err error
	for _, f := range frames {
		buf, err = f.write(&pipe, buf)
		require.NoError(t, err)
		require.LessOrEqual(t, cap(buf), 2*whole, "what a large frame needed is not kept")
	}
	r := bufio.NewReader(&pipe)
	for _, want := range frames {
		var got frame
		require.NoError(t, got.read(r))
		want.Parts, got.Parts = nil, nil
		require.Equal(t, want.header, got.header)
		require.Len(t, got.parts, len(want.parts))
		for i := range want.parts {
			require.Equal(t, want.parts[i], got.parts[i], i)
		}
	}
	require.ErrorIs(t, (&frame{}).read(r), io.EOF)
}

func TestAFrameThatIsTooLargeIsNotBegun(t *testing.T) {
	t.Parallel()
	var pipe bytes.Buffer
	for name, f := range map[string]frame{
		"payload": {parts: [][]byte{make([]byte, maxPayload), {1}}},
		"parts":   {parts: make([][]byte, maxParts+1)},
		"header":  {header: header{Flag: strings.Repeat("x", maxHeader)}},
	} {
		_, err := f.write(&pipe, nil)
		require.ErrorIs(t, err, errTooLarge, name)
		require.Zero(t, pipe.Len(), name)
	}
}

// bad lists bytes that are no frame.
func bad() map[string][]byte {
	return map[string][]byte{
		"a huge header":           raw(1<<31, 0, ""),
		"a huge payload":          raw(2, 1<<31, "{}"),
		"the largest lengths":     raw(1<<32-1, 1<<32-1, ""),
		"no header":               raw(0, 0, ""),
		"a header that is no":     sound(`nonsense`, ""),
		"a header of another":     sound(`[1]`, ""),
		"a negative number":       sound(`{"k":"do","i":-1}`, ""),
		"a number too large":      sound(`{"k":"do","i":99999999999999999999}`, ""),
		"a part too long":         sound(`{"k":"do","p":[9]}`, "12345678"),
		"a part too short":        sound(`{"k":"do","p":[7]}`, "12345678"),
		"a negative part":         sound(`{"k":"do","p":[-2]}`, ""),
		"parts that overflow":     sound(`{"k":"do","p":[9223372036854775807,9223372036854775807,10]}`, "12345678"),
		"too many parts":          sound(`{"k":"do","p":[`+strings.Repeat("0,", maxParts)+`0]}`, ""),
		"a payload of no part":    sound(`{"k":"do"}`, "x"),
		"deep nesting":            sound(strings.Repeat("[", 60<<10), ""),
		"a truncated length":      {1, 0, 0},
		"a truncated header":      raw(10, 0, "{"),
		"a truncated payload":     raw(19, 60<<20, `{"k":"do","p":[62914560]}`[:19]),
		"a payload that is short": raw(25, 60<<20, `{"k":"do","p":[62914560]}`+"only this"),
	}
}

func TestABadFrameIsAnError(t *testing.T) {
	t.Parallel()
	for name, data := range bad() {
		err := (&frame{}).read(bufio.NewReader(bytes.NewReader(data)))
		require.Error(t, err, name)
		require.True(t, errors.Is(err, errFrame) || errors.Is(err, io.ErrUnexpectedEOF), "%s: %v", name, err)
	}
}

func TestALengthAloneClaimsLittleMemory(t *testing.T) {
	data := bad()["a payload that is short"]
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		require.Error(t, (&frame{}).read(bufio.NewReader(bytes.NewReader(data))))
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(10*2*chunk))
}

func FuzzFrame(f *testing.F) {
	for _, data := range bad() {
		f.Add(data)
	}
	f.Add(sound(`{"k":"do","i":1,"s":2,"p":[2,-1,3]}`, "{}abc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var fr frame
		if fr.read(bufio.NewReader(bytes.NewReader(data))) != nil {
			return
		}
		// What was read can be written and read again.
		var pipe bytes.Buffer
		if _, err := fr.write(&pipe, nil); err != nil {
			require.ErrorIs(t, err, errTooLarge) // escapes can make a header longer
			return
		}
		var again frame
		require.NoError(t, again.read(bufio.NewReader(&pipe)))
		require.Equal(t, fr.parts, again.parts)
		require.Equal(t, fr.ID, again.ID)
	})
}
