package mcp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rho-ext/rho-ext/registry"
)

// Elicitor is a gate for a door that asks the user of the client that made the
// call, through the protocol's elicitation. A client without that ability is
// refused: nobody could be asked. The zero value is ready; it is safe for
// concurrent use.
//
// The protocol answers such a call by a request for input, and the client makes
// the call anew with the answer. An answer counts for the very call that was
// asked about, once: same tool, same arguments.
type Elicitor struct {
	mu    sync.Mutex
	open  map[string]fingerprint
	order []string
}

var _ registry.Gate = (*Elicitor)(nil)

// maxOpen is how many questions may wait for their answer. The oldest is
// forgotten first; its answer then approves nothing.
const maxOpen = 1000

// fingerprint is what an answer is bound to.
type fingerprint [sha256.Size]byte

// fingerprintOf binds an answer to a call. What the client sent tells apart what
// looks alike where secrets are hidden; the placeholders differ every time.
func fingerprintOf(q registry.Question, sent []byte) fingerprint {
	shown := placeholder.ReplaceAll(q.Arguments, []byte("secret:$1"))
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %s", q.Tool, q.Owner, shown, sent, q.Effects))
}

// placeholder is what the arguments of a question have in place of a secret.
var placeholder = regexp.MustCompile(`secret:(\d+):[0-9a-f]+`)

// dialog is what one tools/call brings of answers, and takes away of questions.
type dialog struct {
	session *sdk.ServerSession
	sent    []byte // the call's arguments
	answers sdk.InputResponseMap
	asked   *registry.Question
}

type dialogKey struct{}

// errAsked ends the call for now; the client will make it again.
var errAsked = errors.New("the client's user is being asked")

// Ask implements [registry.Gate].
func (e *Elicitor) Ask(ctx context.Context, q registry.Question) (registry.Answer, error) {
	if q.ParentID != "" {
		// The client would make the outer call again, which has run half way.
		return registry.Answer{}, errors.New("the client can be asked about the calls that it makes itself only; allow the tool by a rule")
	}
	d, _ := ctx.Value(dialogKey{}).(*dialog)
	if d == nil {
		return registry.Answer{}, errors.New("the call came from no MCP client")
	}
	if p := d.session.InitializeParams(); p == nil || p.Capabilities == nil || p.Capabilities.Elicitation == nil {
		return registry.Answer{}, errors.New("the client cannot ask its user (it has no elicitation)")
	}
	print := fingerprintOf(q, d.sent)
	for id, response := range d.answers {
		if res, ok := response.(*sdk.ElicitResult); ok && e.take(id, print) {
			return answerOf(q, res), nil
		}
	}
	e.put(q.ID, print)
	d.asked = &q
	return registry.Answer{}, errAsked
}

func (e *Elicitor) put(id string, f fingerprint) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open == nil {
		e.open = map[string]fingerprint{}
	}
	e.open[id] = f
	if e.order = append(e.order, id); len(e.order) > maxOpen {
		delete(e.open, e.order[0])
		e.order = e.order[1:]
	}
}

// take uses an answer up, if it is one to this question.
func (e *Elicitor) take(id string, f fingerprint) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open[id] != f {
		return false
	}
	delete(e.open, id)
	return true
}

func answerOf(q registry.Question, res *sdk.ElicitResult) registry.Answer {
	if res.Action != "accept" {
		return registry.Answer{ID: q.ID, Reason: "the user said no"}
	}
	text, _ := res.Content["scope"].(string)
	scope, err := registry.ParseScope(text)
	if err != nil || scope == registry.Always {
		scope = registry.Once // only the user's own program keeps answers
	}
	return registry.Answer{ID: q.ID, Allow: true, Scope: scope}
}

// approvalForm is what a client shows: how long the answer holds.
var approvalForm = map[string]any{
	"type": "object",
	"properties": map[string]any{
		"scope": map[string]any{
			"type": "string", "title": "Allow", "enum": []string{"once", "session"}, "default": "once",
		},
	},
}

// inputRequest is the result that asks for an answer.
func inputRequest(q *registry.Question) *sdk.CallToolResult {
	return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{q.ID: &sdk.ElicitParams{
		Mode:            "form",
		Message:         fmt.Sprintf("Allow %s (%s) with %s? %s", q.Title, q.Risk, q.Arguments, q.Reason),
		RequestedSchema: approvalForm,
	}}}
}
