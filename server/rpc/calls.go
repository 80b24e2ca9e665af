package rpc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/creachadair/jrpc2"
)

// The reasons for which calls end before their time.
var (
	errCancelled  = errors.New("the client cancelled the call")
	errClientLeft = errors.New("the client has left")
)

// maxCalls bounds how many calls of one client run at once.
const maxCalls = 1000

// codeBusy is the error of a client that has as many.
const codeBusy jrpc2.Code = -32000

// calls are the running calls of one client.
type calls struct {
	prefix string // of the ids that we make

	mu     sync.Mutex
	serial int
	byID   map[string]context.CancelCauseFunc
	ended  bool // the client is gone; nothing starts any more
}

func newCalls() calls {
	return calls{prefix: fmt.Sprintf("rpc-%06x-", rand.N(1<<24)), byID: map[string]context.CancelCauseFunc{}}
}

// enter notes a call and returns its id: the client's own, or a new one where
// it gave none.
func (c *calls) enter(id string, cancel context.CancelCauseFunc) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id == "" {
		c.serial++
		id = fmt.Sprintf("%s%d", c.prefix, c.serial)
	}
	if _, taken := c.byID[id]; taken {
		return "", badParam("id", "a call with the id %q is still running", id)
	}
	if len(c.byID) >= maxCalls {
		return "", jrpc2.Errorf(codeBusy, "%d calls are running, which is the limit: wait for one to end", maxCalls)
	}
	c.byID[id] = cancel
	if c.ended {
		cancel(errClientLeft)
	}
	return id, nil
}

// leave forgets a call that has ended.
func (c *calls) leave(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byID, id)
}

// cancel ends one call and reports whether it was running. One that has ended
// already is no fault: the two messages have crossed.
func (c *calls) cancel(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	cancel, running := c.byID[id]
	if running {
		cancel(errCancelled)
	}
	return running
}

// end cancels all calls, also those that are still to come.
func (c *calls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for _, cancel := range c.byID {
		cancel(errClientLeft)
	}
}
