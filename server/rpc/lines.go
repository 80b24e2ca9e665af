package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
)

const (
	maxLine     = 16 << 20 // bytes of one message
	maxMessages = 1 << 20  // that can be in work at once; the session's bound is far lower
)

// lineChannel carries one message per line. Beyond [channel.Line] it bounds
// the length of a line, says what is wrong with one that is not JSON, waits
// with its end until what came before is answered, and stops while a read
// waits.
type lineChannel struct {
	lines   chan []byte // from the reader; closed at the end of input
	readErr error       // set before lines is closed
	opened  chan struct{}
	stopped chan struct{}
	stop    func()
	// atEOF is called when the input has ended and answers are due; what it
	// returns is called when they are written.
	atEOF func() (stop func())

	mu      sync.Mutex // guards writing, and what follows
	w       io.Writer
	owed    int        // answers that are not written yet
	settled *sync.Cond // owed fell to zero
}

func newLineChannel(r io.Reader, w io.Writer) *lineChannel {
	c := &lineChannel{
		lines:   make(chan []byte),
		opened:  make(chan struct{}),
		stopped: make(chan struct{}),
		w:       w,
	}
	c.settled = sync.NewCond(&c.mu)
	c.stop = sync.OnceFunc(func() {
		close(c.stopped)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.settled.Broadcast()
	})
	go c.read(bufio.NewReaderSize(r, 64<<10))
	return c
}

// open lets messages through.
func (c *lineChannel) open() { close(c.opened) }

// read passes lines on until the input or the channel ends. It is a goroutine
// of its own because a read of a terminal or pipe cannot be interrupted.
func (c *lineChannel) read(r *bufio.Reader) {
	defer close(c.lines)
	for {
		line, err := readLine(r)
		if errors.Is(err, errLineTooLong) {
			c.refuse(jrpc2.InvalidRequest, err.Error())
			continue
		}
		if len(bytes.TrimSpace(line)) > 0 {
			select {
			case c.lines <- line:
			case <-c.stopped:
				return
			}
		}
		if err != nil {
			c.readErr = err
			return
		}
	}
}

var errLineTooLong = fmt.Errorf("the message is longer than %d MiB", maxLine>>20)

// readLine reads up to a newline or the end. Of a line that is too long only
// its end is looked for.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		chunk, err := r.ReadSlice('\n')
		if len(line)+len(chunk) > maxLine {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = r.ReadSlice('\n')
			}
			return nil, errLineTooLong // the next read meets err again
		}
		line = append(line, chunk...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// Recv implements [channel.Channel].
func (c *lineChannel) Recv() ([]byte, error) {
	select {
	case <-c.opened:
	case <-c.stopped:
		return nil, channel.ErrClosed
	}
	for {
		select {
		case <-c.stopped:
			return nil, channel.ErrClosed
		case line, ok := <-c.lines:
			if !ok {
				c.settle()
				return nil, c.readErr
			}
			requests, err := jrpc2.ParseRequests(line)
			if err != nil {
				c.refuse(jrpc2.ParseError, notJSON(line))
				continue
			}
			if wantsAnswer(requests) {
				c.mu.Lock()
				c.owed++
				c.mu.Unlock()
			}
			return line, nil
		}
	}
}

// settle waits until every answer that is due is written.
func (c *lineChannel) settle() {
	done := c.atEOF()
	defer done()
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.owed > 0 {
		select {
		case <-c.stopped:
			return
		default:
		}
		c.settled.Wait()
	}
}

// wantsAnswer reports whether the server will answer a message: one without
// notifications alone, or with something wrong in it.
func wantsAnswer(requests []*jrpc2.ParsedRequest) bool {
	for _, r := range requests {
		if r.ID != "" || r.Error != nil || r.Method == "" {
			return true
		}
	}
	return len(requests) == 0
}

// Send implements [channel.Channel].
func (c *lineChannel) Send(msg []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.w.Write(append(msg, '\n'))
	if !bytes.HasPrefix(msg, []byte(notificationStart)) && c.owed > 0 {
		if c.owed--; c.owed == 0 {
			c.settled.Broadcast()
		}
	}
	return err
}

// notificationStart is how the server begins each message that answers
// nothing.
const notificationStart = `{"jsonrpc":"2.0","method":`

// Close implements [channel.Channel]. The writer stays open; it is not ours.
func (c *lineChannel) Close() error {
	c.stop()
	return nil
}

// refuse answers a message that cannot be passed on.
func (c *lineChannel) refuse(code jrpc2.Code, message string) {
	text, err := json.Marshal(struct {
		Version string       `json:"jsonrpc"`
		ID      *int         `json:"id"`
		Error   *jrpc2.Error `json:"error"`
	}{Version: jrpc2.Version, Error: &jrpc2.Error{Code: code, Message: message}})
	if err != nil {
		return // a string and a number cannot fail
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// A client that is gone misses nothing.
	_, _ = c.w.Write(append(text, '\n'))
}

// notJSON says what is wrong with a line.
func notJSON(line []byte) string {
	const expected = "each line must hold one JSON-RPC message"
	var syntax *json.SyntaxError
	if err := json.Unmarshal(line, new(json.RawMessage)); errors.As(err, &syntax) {
		return fmt.Sprintf("the line is not valid JSON: %v, at byte %d; %s", syntax, syntax.Offset, expected)
	}
	return "the line is not a request; " + expected
}
