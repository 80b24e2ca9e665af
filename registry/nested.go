package registry

import (
	"context"
	"errors"
	"fmt"
)

// MaxNesting is how deep calls may be made by the tools of other calls.
const MaxNesting = 8

// ErrNoDoor is the cause of a nested call whose outer call did not come
// through a door.
var ErrNoDoor = errors.New("the call did not come through a door")

// Invoke runs another tool through the door that c came through, as a part of
// c: with c's context it ends. It asks for itself: an approval that c was given
// does not hold for it, and the clock of c stands still while a person is
// asked. Values that were granted to c are not. More than [MaxNesting] levels
// are refused.
func (c *Call) Invoke(ctx context.Context, req Request) *Outcome {
	switch {
	case c.door == nil:
		return stillborn(req, &Failure{Kind: KindOther, Code: "no_door", Message: "no other tool can be called here", Cause: ErrNoDoor})
	case c.depth >= MaxNesting:
		return stillborn(req, &Failure{Kind: KindOther, Code: "nested_too_deep", Retryable: RetryNo,
			Message: fmt.Sprintf("tools call each other more than %d levels deep", MaxNesting)})
	}
	if !c.count(1) {
		return stillborn(req, &Failure{Kind: KindOther, Code: "nested_too_many", Retryable: RetryNo,
			Message: fmt.Sprintf("more than %d calls that one call has made are under way; wait for some of them", maxNestedLive)})
	}
	defer c.count(-1)
	req.parent = c
	return c.door.Call(ctx, req)
}

// maxNestedLive bounds what one call has under way by way of others, however
// deep: a few levels of a few would be millions.
const maxNestedLive = 1000

// count counts a nested call in or out at the outermost one, and reports whether
// there is room for it.
func (c *Call) count(n int) bool {
	top := c.outermost()
	top.mu.Lock()
	defer top.mu.Unlock()
	if n > 0 && top.nested >= maxNestedLive {
		return false
	}
	top.nested += n
	return true
}

// maxNestedNos is how often somebody says no to what one call calls, however
// deep, before it is a no to all the rest: a tool must not wear a person out.
const maxNestedNos = 5

// outermost is the call that no tool made.
func (c *Call) outermost() *Call {
	for c.parent != nil {
		c = c.parent
	}
	return c
}

// wornOut reports whether nobody is to be asked about a nested call any more.
func (c *Call) wornOut() bool {
	top := c.outermost()
	top.mu.Lock()
	defer top.mu.Unlock()
	return top != c && top.nos >= maxNestedNos
}

// noteNo counts a no.
func (c *Call) noteNo() {
	top := c.outermost()
	top.mu.Lock()
	defer top.mu.Unlock()
	top.nos++
}

// stillborn is the outcome of a call that no door takes.
func stillborn(req Request, f *Failure) *Outcome {
	f.ModelText = f.Message
	return &Outcome{CallID: req.ID, Tool: req.Tool, Status: StatusError, IsError: true, Text: f.Message, Failure: f,
		Content: []Block{{Type: BlockText, Text: f.Message}}, Sent: req.Arguments}
}

// AllowDirect is a gate for a host whose caller has asked its user about the
// call already: it says yes to a call that the caller made itself, and no to
// what a tool calls, of which nobody was told.
var AllowDirect Gate = AllowDirectElse(nil)

// AllowDirectElse is [AllowDirect] with another gate to ask about what a tool
// calls. Nil says no.
func AllowDirectElse(nested Gate) Gate {
	return GateFunc(func(ctx context.Context, q Question) (Answer, error) {
		switch {
		case q.ParentID == "":
			return Answer{ID: q.ID, Allow: true}, nil
		case nested == nil:
			return Answer{ID: q.ID, Reason: fmt.Sprintf("the call was made by another tool, and nobody approved it (%s); "+
				"allow it in the configuration, under [approval.per_tool], or run with --yes", q.Reason)}, nil
		}
		return nested.Ask(ctx, q)
	})
}
