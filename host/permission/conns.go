package permission

import (
	"errors"
	"net"
	"sync"
)

// conns are the open connections of a client. Once it is closed and no request
// runs they all end: the transport's own CloseIdleConnections misses those
// that turn idle in that moment, and they would stay for [idleWait].
type conns struct {
	mu      sync.Mutex
	open    map[*trackedConn]struct{}
	running int // requests, until their bodies are closed
	closed  bool
}

// trackedConn tells when it is closed.
type trackedConn struct {
	net.Conn
	all *conns
}

var errClientClosed = errors.New("the client is closed")

// add takes charge of a connection.
func (c *conns) add(conn net.Conn) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed && c.running == 0 {
		_ = conn.Close()
		return nil, errClientClosed
	}
	t := &trackedConn{Conn: conn, all: c}
	if c.open == nil {
		c.open = map[*trackedConn]struct{}{}
	}
	c.open[t] = struct{}{}
	return t, nil
}

// Close implements [net.Conn].
func (t *trackedConn) Close() error {
	t.all.mu.Lock()
	delete(t.all.open, t)
	t.all.mu.Unlock()
	return t.Conn.Close()
}

// begin counts a request.
func (c *conns) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running++
}

// end counts a request that is over.
func (c *conns) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	c.sweep()
}

// close lets the last request end the connections.
func (c *conns) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.sweep()
}

func (c *conns) sweep() {
	if c.closed && c.running == 0 {
		for t := range c.open {
			_ = t.Conn.Close()
		}
		clear(c.open)
	}
}
