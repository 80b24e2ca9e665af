package host

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// stream is a body that a sandbox reads piece by piece.
type stream struct {
	mu   sync.Mutex // one reader at a time
	body io.ReadCloser
}

// open makes a stream of the call's, unless it has ended meanwhile. On an error
// the body is closed.
func (b *broker) open(req wire.Request, c *liveCall, body io.ReadCloser) (s wire.Stream, err error) {
	defer func() {
		if err != nil {
			body.Close()
		}
	}()
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.live[req.Call] != c:
		return 0, context.Canceled
	case len(b.streams) >= maxStreams:
		return 0, tooManyStreams(req)
	}
	if b.streams == nil {
		b.streams = map[wire.Stream]*stream{}
	}
	b.last++
	b.streams[b.last] = &stream{body: body}
	c.streams = append(c.streams, b.last)
	return b.last, nil
}

// maxCredit bounds one piece, whatever the sandbox asks for.
const maxCredit = 1 << 20

// Read implements [wire.Broker].
func (b *broker) Read(_ context.Context, id wire.Stream, limit int) ([]byte, error) {
	b.mu.Lock()
	s := b.streams[id]
	b.mu.Unlock()
	if s == nil { // not io.EOF: half a body must not look whole
		return nil, &wire.Error{Kind: registry.KindOther, Name: "TypeError", Code: "stream_closed",
			Message: "the body is gone: it was closed, or the call that fetched it has ended"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	buf := make([]byte, min(max(limit, 1), maxCredit))
	for {
		n, err := s.body.Read(buf)
		if err != nil && !errors.Is(err, io.EOF) {
			b.CloseStream(id)
			return nil, err
		}
		if errors.Is(err, io.EOF) && n == 0 {
			b.CloseStream(id)
			return nil, io.EOF
		}
		if n > 0 {
			return buf[:n], nil
		}
	}
}

// CloseStream implements [wire.Broker].
func (b *broker) CloseStream(id wire.Stream) {
	b.mu.Lock()
	s := b.streams[id]
	delete(b.streams, id)
	b.mu.Unlock()
	if s != nil {
		s.body.Close()
	}
}
