package worker

import (
	"bufio"
	"io"
	"sync"
)

// conn is one end of the two pipes. Frames may be sent from any goroutine; one
// reads.
type conn struct {
	in  *bufio.Reader
	out io.Writer

	mu  sync.Mutex
	buf []byte
}

func newConn(in io.Reader, out io.Writer) *conn {
	return &conn{in: bufio.NewReaderSize(in, 64<<10), out: out}
}

// send writes a frame. It blocks while the other end does not read, until the
// pipe is closed.
func (c *conn) send(f *frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	c.buf, err = f.write(c.out, c.buf)
	return err
}

// receive reads the next frame. Its parts are the caller's to keep.
func (c *conn) receive() (*frame, error) {
	f := &frame{}
	return f, f.read(c.in)
}
