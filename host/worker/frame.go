package worker

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Bounds of one frame. The payload of a request may be a file's content.
const (
	maxHeader  = 64 << 10
	maxPayload = 65 << 20
	maxParts   = 2048
	// chunk is how much memory a length alone can claim.
	chunk = 1 << 20
)

// kind says what a frame is.
type kind string

// What the host sends.
const (
	kindHello  kind = "hello"  // hello, zone data
	kindLoad   kind = "load"   // LoadRequest, script, source map
	kindCall   kind = "call"   // CallRequest, arguments
	kindCancel kind = "cancel" // a load or call, with the cause as flag
	kindClose  kind = "close"  // a sandbox
	kindAnswer kind = "answer" // to do and read: error, or data and payload
	kindPing   kind = "ping"
)

// What the worker sends.
const (
	kindReady   kind = "ready"   // ready
	kindLoaded  kind = "loaded"  // LoadResult, or an error's text as the second part
	kindResult  kind = "result"  // CallResult, raw parts
	kindDo      kind = "do"      // Request, data, payload
	kindRead    kind = "read"    // credit for a stream
	kindShut    kind = "shut"    // gives a stream up
	kindDrop    kind = "drop"    // nobody waits for the answer any more
	kindDone    kind = "done"    // a sandbox takes no more calls
	kindClosed  kind = "closed"  // a sandbox was closed, as asked
	kindSuspect kind = "suspect" // an extension needs a worker of its own
	kindSound   kind = "sound"   // a sandbox that did not end in peace left nothing behind
	kindSpent   kind = "spent"   // a sandbox left code that nothing stops
	kindPong    kind = "pong"
)

// header is the small part of a frame.
type header struct {
	Kind    kind   `json:"k"`
	ID      uint64 `json:"i,omitempty"` // of a load, call or request
	Sandbox uint64 `json:"s,omitempty"`
	Stream  uint64 `json:"t,omitempty"`
	Max     int    `json:"n,omitempty"`
	Flag    string `json:"f,omitempty"`
	// Parts are the lengths of the payload's parts; -1 is an absent one.
	Parts []int `json:"p,omitempty"`
}

// The flags.
const (
	flagDeadline = "deadline" // of cancel and answer
	flagCanceled = "canceled"
	flagClosed   = "closed"
	flagRough    = "rough" // of close: something may be running
	flagEOF      = "eof"
	flagEnded    = "ended" // of answer: the request's context has ended
)

// frame is one message.
type frame struct {
	header
	parts [][]byte
}

// part gives a part of the payload, or nil.
func (f *frame) part(i int) []byte {
	if i >= len(f.parts) {
		return nil
	}
	return f.parts[i]
}

func (f *frame) size() (n int) {
	for _, p := range f.parts {
		n += len(p)
	}
	return n
}

// errTooLarge is the error of a frame that is not sent.
var errTooLarge = errors.New("too large for one message")

// whole is up to which size a frame is written at once.
const whole = 256 << 10

// write writes a frame. buf is used and returned for the next one. Nothing is
// written of a frame that is too large.
func (f *frame) write(w io.Writer, buf []byte) ([]byte, error) {
	size := f.size()
	if size > maxPayload || len(f.parts) > maxParts {
		return buf, errTooLarge
	}
	f.Parts = make([]int, len(f.parts))
	for i, p := range f.parts {
		if f.Parts[i] = len(p); p == nil {
			f.Parts[i] = -1
		}
	}
	head, err := json.Marshal(&f.header)
	if err != nil {
		return buf, err
	}
	if len(head) > maxHeader {
		return buf, errTooLarge
	}
	buf = binary.LittleEndian.AppendUint32(buf[:0], uint32(len(head)))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(size))
	buf = append(buf, head...)
	for i, p := range f.parts {
		if len(buf)+len(p) > whole {
			// What is large is written from where it is.
			if err = writeAll(w, buf, f.parts[i:]); cap(buf) > whole {
				buf = nil
			}
			return buf, err
		}
		buf = append(buf, p...)
	}
	_, err = w.Write(buf)
	return buf, err
}

func writeAll(w io.Writer, first []byte, rest [][]byte) error {
	if _, err := w.Write(first); err != nil {
		return err
	}
	for _, p := range rest {
		if len(p) == 0 {
			continue
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// errFrame is the error of a frame that makes no sense.
var errFrame = errors.New("bad frame")

// read reads a frame. [io.EOF] is an end between frames.
func (f *frame) read(r *bufio.Reader) error {
	var lengths [8]byte
	if _, err := io.ReadFull(r, lengths[:]); err != nil {
		return err
	}
	head, size := binary.LittleEndian.Uint32(lengths[:4]), binary.LittleEndian.Uint32(lengths[4:])
	if head > maxHeader || size > maxPayload {
		return fmt.Errorf("%w: a header of %d and a payload of %d bytes", errFrame, head, size)
	}
	text, err := readBytes(r, int(head))
	if err != nil {
		return err
	}
	f.header = header{}
	if err := json.Unmarshal(text, &f.header); err != nil {
		return fmt.Errorf("%w: its header: %w", errFrame, err)
	}
	if err := checkParts(f.Parts, int(size)); err != nil {
		return err
	}
	payload, err := readBytes(r, int(size))
	if err != nil {
		return err
	}
	f.parts = make([][]byte, len(f.Parts))
	for i, n := range f.Parts {
		if n >= 0 {
			f.parts[i] = payload[:n:n]
			payload = payload[n:]
		}
	}
	return nil
}

func checkParts(lengths []int, size int) error {
	if len(lengths) > maxParts {
		return fmt.Errorf("%w: %d parts", errFrame, len(lengths))
	}
	left := size
	for _, n := range lengths {
		if n < -1 || n > left {
			return fmt.Errorf("%w: a part of %d bytes where %d are left", errFrame, n, left)
		}
		left -= max(n, 0)
	}
	if left != 0 {
		return fmt.Errorf("%w: %d bytes belong to no part", errFrame, left)
	}
	return nil
}

// readBytes reads n bytes. The memory it takes grows with what arrives.
func readBytes(r io.Reader, n int) ([]byte, error) {
	buf := make([]byte, min(n, chunk))
	for have := 0; ; {
		if _, err := io.ReadFull(r, buf[have:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if have = len(buf); have == n {
			return buf, nil
		}
		grown := make([]byte, min(n, 2*have))
		copy(grown, buf)
		buf = grown
	}
}

// decode reads the first part of a frame that must be of a kind.
func (f *frame) decode(want kind, into any) error {
	if f.Kind != want {
		return fmt.Errorf("%w: %q where %q was expected", errFrame, f.Kind, want)
	}
	if err := json.Unmarshal(f.part(0), into); err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	return nil
}
