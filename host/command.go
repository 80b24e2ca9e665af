package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/suggest"
	"github.com/rho-ext/rho-ext/registry"
)

// CommandInfo describes one command of an extension.
type CommandInfo struct {
	Name        string           `json:"name"`
	Extension   string           `json:"extension"`
	Description string           `json:"description,omitempty"`
	Risk        registry.Risk    `json:"risk"`
	Effects     registry.Effects `json:"effects"`
	Completes   bool             `json:"completes,omitempty"` // see [Host.CompleteCommand]
}

// Commands lists the commands of the extensions that are loaded, in the order of
// the extensions.
func (h *Host) Commands() []CommandInfo {
	out := []CommandInfo{}
	for _, g := range h.inOrder() {
		out = append(out, g.commandInfos()...)
	}
	return out
}

func (g *generation) commandInfos() (out []CommandInfo) {
	for _, m := range g.manifest.Commands {
		effects := g.commandEffects(m)
		out = append(out, CommandInfo{Name: m.Name, Extension: g.source.ID, Description: m.Description,
			Risk: effects.Risk(), Effects: effects, Completes: m.Completes})
	}
	return out
}

// CommandError says why a command cannot be run.
type CommandError struct {
	Name string
	// In are the extensions that have one of this name, where several do.
	In   []string
	hint string
}

// Error implements error.
func (e *CommandError) Error() string {
	if len(e.In) > 0 {
		return fmt.Sprintf("the extensions %s all have a command %s: say which, as in %s:%s", strings.Join(e.In, ", "), e.Name, e.In[0], e.Name)
	}
	return fmt.Sprintf("there is no command %q%s", e.Name, e.hint)
}

// RunCommand runs a command of an extension with the text that stands behind its
// name, and gives its one outcome. It goes through the door as a tool does: the
// policy judges its effects, hooks see it as the tool command-NAME with the
// argument input. Where several extensions have a command of the name, it is
// EXTENSION:NAME. The error is a [*CommandError].
func (h *Host) RunCommand(ctx context.Context, door *registry.Door, name, input string) (*registry.Outcome, error) {
	req, err := h.CommandRequest(name, input)
	if err != nil {
		return nil, err
	}
	return door.Call(ctx, req), nil
}

// CommandRequest is what [Host.RunCommand] asks of the door, for callers that
// give the call an id or want to hear of its progress.
func (h *Host) CommandRequest(name, input string) (registry.Request, error) {
	g, m, err := h.command(name)
	if err != nil {
		return registry.Request{}, err
	}
	args, err := json.Marshal(map[string]string{"input": input})
	if err != nil {
		return registry.Request{}, err
	}
	tool := &commandTool{gen: g, command: m, effects: g.commandEffects(m)}
	own := registry.New() // it is no tool, so that no model sees it
	if err := own.Register(g.source.ID, tool); err != nil {
		return registry.Request{}, err
	}
	return registry.Request{Tool: tool.Name(), Snapshot: own.Snapshot(), Arguments: args}, nil
}

// CompleteCommand asks a command what its text may go on with. A command that
// cannot complete gives nothing. The code may touch nothing meanwhile.
func (h *Host) CompleteCommand(ctx context.Context, name, prefix string) ([]string, error) {
	g, m, err := h.command(name)
	if err != nil || !m.Completes {
		return nil, err
	}
	args, err := json.Marshal(prefix)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, hookBudget, wire.ErrDeadline)
	defer cancel()
	c := &liveCall{call: &registry.Call{}, answers: answers{questions: noQuestions()}}
	res, err := g.perform(ctx, wire.CallRequest{Run: wire.RunComplete, Tool: m.Name, Args: args}, c)
	if err == nil && res.Value == nil {
		_, err = g.result(res)
	}
	if err != nil {
		return nil, err
	}
	var list []string
	if err := json.Unmarshal(res.Value.Structured, &list); err != nil {
		return nil, fmt.Errorf("command %s: what it completes cannot be read: %w", m.Name, err)
	}
	return list, nil
}

// command finds a command by its name, with or without that of its extension.
func (h *Host) command(name string) (*generation, wire.Command, error) {
	extension, plain, qualified := strings.Cut(name, ":")
	if !qualified {
		plain = name
	}
	var found *generation
	var command wire.Command
	var in, names []string
	for _, g := range h.inOrder() {
		for _, m := range g.manifest.Commands {
			names = append(names, m.Name)
			if m.Name == plain && (!qualified || g.source.ID == extension) {
				in = append(in, g.source.ID)
				found, command = g, m
			}
		}
	}
	switch len(in) {
	case 0:
		return nil, command, &CommandError{Name: name, hint: suggest.Hint(suggest.Names(plain, names, 1)...)}
	case 1:
		return found, command, nil
	}
	return nil, command, &CommandError{Name: plain, In: in}
}

func (g *generation) commandEffects(m wire.Command) registry.Effects {
	return joined(m.Effects, m.CallsTools, g.manifest.Permissions, g.broker.registry.Snapshot())
}

// commandTool is a command as the door runs it.
type commandTool struct {
	gen     *generation
	command wire.Command
	effects registry.Effects
}

var _ registry.Informer = (*commandTool)(nil)

var oddInTool = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// Name implements [registry.Tool]. It is not the name of any tool that a model
// sees: rules and answers for tools are not meant for commands.
func (t *commandTool) Name() string { return commandLabel(t.command.Name) }

func commandLabel(name string) string {
	name = "command-" + oddInTool.ReplaceAllString(name, "_")
	return name[:min(len(name), 64)]
}

// Description implements [registry.Tool].
func (t *commandTool) Description() string { return t.command.Description }

// Parameters implements [registry.Tool].
func (t *commandTool) Parameters() json.RawMessage { return registry.FreeformParameters("") }

// Risk implements [registry.Tool].
func (t *commandTool) Risk() registry.Risk { return t.effects.Risk() }

// Info implements [registry.Informer].
func (t *commandTool) Info() registry.Info {
	return registry.Info{
		Title: t.command.Name, Effects: t.effects, Owner: t.gen.source.ID,
		Origin: "command of " + string(t.gen.source.Scope) + " " + t.gen.source.Folder,
	}
}

// Execute implements [registry.Tool].
func (t *commandTool) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	var in struct{ Input string }
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, errors.New("the text of the command cannot be read")
	}
	text, err := json.Marshal(in.Input)
	if err != nil {
		return nil, err
	}
	call := registry.CallFrom(ctx)
	c := &liveCall{call: call, effects: t.effects, answers: answers{questions: questionsOf(ctx)}}
	res, err := t.gen.perform(ctx, wire.CallRequest{ID: call.ID, Run: wire.RunCommand, Tool: t.command.Name, Args: text}, c)
	if err != nil {
		return nil, err
	}
	return t.gen.result(res)
}
