package permission

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// body is a response's body: decoded, bounded, and ending with the request's
// context. Nothing is read before somebody reads it.
type body struct {
	ctx    context.Context
	cancel context.CancelCauseFunc // of ctx
	raw    io.Closer
	r      io.Reader
	left   int64
	max    int64
	err    error // sticky; only Read touches it
}

func newBody(ctx context.Context, cancel context.CancelCauseFunc, res *http.Response, limit int64) *body {
	return &body{
		ctx:    ctx,
		cancel: cancel,
		raw:    res.Body,
		r:      decode(res.Body, res.Header.Values("Content-Encoding")),
		left:   limit,
		max:    limit,
	}
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	// One byte more than is left tells a body that just fits from one that
	// does not.
	n, err := b.r.Read(p[:min(int64(len(p)), b.left+1)])
	if int64(n) > b.left {
		n, err = int(b.left), netError("too_large", "the body is larger than %s", sizeText(b.max))
	} else if err != nil && err != io.EOF {
		err = fault(b.ctx, fmt.Errorf("while reading the body: %w", err))
	}
	b.left -= int64(n)
	b.err = err
	return n, err
}

// Close implements [io.Closer]. It ends a Read that waits.
func (b *body) Close() error {
	b.cancel(errClosed)
	return b.raw.Close()
}

var errClosed = errors.New("the body is closed")

func sizeText(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// maxCodings bounds how often a body can be encoded over.
const maxCodings = 5

// decode undoes the content codings that it knows, the last one first. A body
// in an unknown coding, which only an author who asked for it gets, stays as
// it is.
func decode(r io.Reader, encodings []string) io.Reader {
	codings := strings.FieldsFunc(strings.ToLower(strings.Join(encodings, ",")), func(c rune) bool {
		return c == ',' || c == ' ' || c == '\t'
	})
	var steps []func(*bufio.Reader) (io.Reader, error)
	for _, c := range codings {
		switch c {
		case "gzip", "x-gzip":
			steps = append(steps, func(r *bufio.Reader) (io.Reader, error) { return gzip.NewReader(r) })
		case "deflate":
			steps = append(steps, inflate)
		case "identity":
		default:
			return r
		}
	}
	if len(steps) > maxCodings {
		return r
	}
	for i := len(steps) - 1; i >= 0; i-- {
		r = &lazyReader{src: bufio.NewReader(r), open: steps[i]}
	}
	return r
}

// inflate reads deflate in its standard form, in a zlib envelope, and in the
// bare form that some servers send.
func inflate(r *bufio.Reader) (io.Reader, error) {
	head, err := r.Peek(2)
	if err != nil {
		return nil, err
	}
	if head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(r)
	}
	return flate.NewReader(r), nil
}

// lazyReader opens a decoder at the first read, since opening one reads. An
// empty source, as after HEAD, is an empty body in every coding.
type lazyReader struct {
	src  *bufio.Reader
	open func(*bufio.Reader) (io.Reader, error)
	r    io.Reader
}

func (l *lazyReader) Read(p []byte) (int, error) {
	if l.r == nil {
		if _, err := l.src.Peek(1); err != nil {
			return 0, err
		}
		r, err := l.open(l.src)
		if err != nil {
			return 0, noEOF(err)
		}
		l.r = r
	}
	return l.r.Read(p)
}

// noEOF keeps a truncated header from looking like an empty body.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
