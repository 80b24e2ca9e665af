package registry

import (
	"context"
	"strings"
	"sync"
)

// Call is one call as its tool sees it. Its methods are safe for concurrent
// use; its fields must not be changed.
type Call struct {
	ID          string // unique among live calls
	Tool        string // the registered name
	Values      Values // what the caller granted to this call
	Budget      int    // bytes of text that the model will see at most
	ProjectRoot string // absolute path; empty where there is no project

	progress func(Progress)
	clock    *deadlineClock // nil outside the door
	door     *Door          // nil outside one
	parent   *Call          // the call whose tool made this one, or nil
	depth    int            // how many such there are

	mu       sync.Mutex
	uses     []Use
	seen     map[Use]bool
	sorts    map[useSort]int // how many there are of each
	attempts int
	nos      int // said to what it calls
	nested   int // calls that it has under way by way of others
	ended    bool
}

// Progress is a report from a running call. Total zero means unknown.
type Progress struct {
	Message string  `json:"message,omitempty"`
	Done    float64 `json:"done,omitempty"`
	Total   float64 `json:"total,omitempty"`
}

// Use is one thing outside the tool that a call touched, and what allowed it.
type Use struct {
	Kind   string `json:"kind"`            // file, net, run, env, secret, tool, state
	Target string `json:"target"`          // a root-relative path, a method and URL without query, a command
	Effect string `json:"effect"`          // read, write, net or run
	Grant  string `json:"grant,omitempty"` // what allowed it: "default", "--allow-net=…"; empty when it was denied
	Denied bool   `json:"denied,omitempty"`
}

// Report passes progress on to whoever made the call. It does nothing where
// nobody listens, and nothing after the call has its outcome.
func (c *Call) Report(p Progress) {
	if c.progress == nil {
		return
	}
	c.mu.Lock()
	ended := c.ended
	c.mu.Unlock()
	if !ended {
		c.progress(p)
	}
}

// ParentID is the id of the call whose tool made this one, or empty.
func (c *Call) ParentID() string {
	if c.parent == nil {
		return ""
	}
	return c.parent.ID
}

// PauseDeadline stops the clock of the call's deadline, and of the calls that it
// is a part of, for as long as a person is asked something that the call waits
// for. The clock goes on when every
// resume function was called; calling one again does nothing. It cannot bring
// back a call whose deadline has passed, and a caller's own context goes on.
func (c *Call) PauseDeadline() (resume func()) {
	outer := func() {}
	if c.parent != nil {
		outer = c.parent.PauseDeadline()
	}
	if c.clock == nil {
		return outer
	}
	inner := c.clock.pause()
	return func() { inner(); outer() }
}

// maxUses bounds what one call can record of one sort; a loop over a million
// files must not fill the outcome, nor push out what else the call has done.
const maxUses = 1000

// maxTarget bounds the target of one, in bytes.
const maxTarget = 2 << 10

// MoreUses is the target of the use that stands for all of its sort that were
// too many to be recorded.
const MoreUses = "…"

// useSort are uses that differ in their target and grant alone.
type useSort struct {
	kind, effect string
	denied       bool
}

// RecordUse notes that the call touched something. Repeated equal uses are
// dropped, and so is one after the call has its outcome. Past 1,000 of a kind,
// effect and verdict one last says that there were more.
func (c *Call) RecordUse(u Use) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sort := useSort{u.Kind, u.Effect, u.Denied}
	n := c.sorts[sort]
	if c.ended || n > maxUses {
		return
	}
	if len(u.Target) > maxTarget {
		u.Target = strings.ToValidUTF8(u.Target[:maxTarget], "") + "…"
	}
	if n == maxUses {
		u.Target, u.Grant = MoreUses, ""
	}
	if c.seen[u] {
		return
	}
	if c.seen == nil {
		c.seen, c.sorts = map[Use]bool{}, map[useSort]int{}
	}
	c.seen[u] = true
	c.sorts[sort]++
	c.uses = append(c.uses, u)
}

// SetAttempts notes how often the call was run; one is the rule. It is higher
// when the call was run again because another one took its runtime down.
func (c *Call) SetAttempts(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts = n
}

// finish closes the books: nothing is reported or recorded after it.
func (c *Call) finish() (uses []Use, attempts int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	return c.uses, c.attempts
}

type callKey struct{}

// CallFrom returns the call that ctx belongs to. Outside the door it returns
// an empty call, so that a tool need not check.
func CallFrom(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return &Call{}
}

// WithCall returns a context that carries c.
func WithCall(ctx context.Context, c *Call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}
