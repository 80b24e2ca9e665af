package exttest

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/suggest"
	"github.com/rho-ext/rho-ext/registry"
)

// ask does what a test asks of its runner.
func (t *testRun) ask(ctx context.Context, r wire.TestRequest) (wire.Response, error) {
	switch r.Do {
	case wire.TestPhase:
		return with(r, func(p wire.TestPhaseData) (any, error) {
			t.limit.enter(p.Name, time.Duration(p.TimeoutMS*float64(time.Millisecond)))
			return nil, nil
		})
	case wire.TestCassette:
		return with(r, t.cassette)
	}
	w, err := t.need(ctx)
	if err != nil {
		return wire.Response{}, refuse("Error", "the temporary project of the test could not be made: "+err.Error())
	}
	switch r.Do {
	case wire.TestCallTool:
		return with(r, func(c wire.TestToolCall) (any, error) { return w.callTool(ctx, c, t.toolCalls.add) })
	case wire.TestCallHook:
		return with(r, func(c wire.TestHookCall) (any, error) { return w.callHook(ctx, c) })
	case wire.TestCommand:
		return with(r, func(c wire.TestCommandCall) (any, error) { return w.command(ctx, c) })
	case wire.TestComplete:
		return with(r, func(c wire.TestCommandCall) (any, error) {
			list, err := w.host.CompleteCommand(ctx, c.Name, c.Text)
			if err == nil && list == nil {
				list = []string{}
			}
			return list, w.because(err)
		})
	case wire.TestEnv:
		return with(r, func(e wire.TestEnvData) (any, error) { w.setVariable(e.Name, e.Value); return nil, nil })
	case wire.TestSettings:
		return with(r, func(values map[string]json.RawMessage) (any, error) { w.configure(values); return nil, nil })
	case wire.TestTime:
		return with(r, func(d wire.TestTimeData) (any, error) {
			t.toolCalls.wait(ctx, d.After)
			return nil, w.moveClock(ctx, d)
		})
	case wire.TestProject:
		return with(r, w.inProject)
	}
	return wire.Response{}, fmt.Errorf("unknown request %q of a test", r.Do)
}

// with reads the data of a request and answers it.
func with[T any](r wire.TestRequest, do func(T) (any, error)) (wire.Response, error) {
	var in T
	if err := json.Unmarshal(r.Data, &in); err != nil {
		return wire.Response{}, fmt.Errorf("the request %q of a test: %w", r.Do, err)
	}
	v, err := do(in)
	if err != nil {
		return wire.Response{}, err
	}
	return answer(v)
}

// callTool runs a tool through the door, as an agent would. It says when the
// call has begun.
func (w *world) callTool(ctx context.Context, c wire.TestToolCall, begun func()) (any, error) {
	if _, ok := w.reg.Snapshot().Lookup(c.Name); !ok {
		begun()
		if err := w.broken(); err != nil {
			return nil, refuse("Error", err.Error())
		}
		return nil, refuse("Error", w.unknownTool(c.Name))
	}
	id := c.CallID
	if id == "" {
		id = fmt.Sprint("call-", serial.Add(1))
	}
	defer w.begin(id)()
	begun()
	return w.door.Call(ctx, registry.Request{
		Tool: c.Name, ID: id, Arguments: c.Args, Values: c.Values, Timeout: time.Duration(c.TimeoutMS * float64(time.Millisecond)),
	}), nil
}

func (w *world) unknownTool(name string) string {
	var names []string
	for _, e := range w.reg.Snapshot().Tools() {
		names = append(names, e.Name())
	}
	text := fmt.Sprintf("there is no tool %q%s", name, suggest.Hint(suggest.Names(name, names, 1)...))
	if id := w.file.file.Extension; id != "" {
		text += fmt.Sprintf("; %s sees the tools of the extension %s and the built-in ones; a test of several extensions has a name of its own, such as together.test.ts", w.file.file.Name, id)
	}
	return text
}

// callHook asks the hooks of the extension about an event.
func (w *world) callHook(ctx context.Context, c wire.TestHookCall) (any, error) {
	if err := w.broken(); err != nil {
		return nil, refuse("Error", err.Error())
	}
	trials, err := w.host.TryHook(ctx, c.Hook, c.Event)
	if err != nil {
		return nil, refuse("TypeError", "callHook: "+err.Error())
	}
	if len(trials) == 0 {
		return nil, refuse("Error", fmt.Sprintf("callHook: no extension here has the hook %s", c.Hook))
	}
	for _, t := range trials {
		switch {
		case t.Error != "":
			return nil, refuse("Error", t.Error)
		case !t.Granted:
			return nil, refuse("Error", fmt.Sprintf("callHook: the manifest of %s does not ask for the hook; add it to permissions.hooks", t.Extension))
		}
	}
	for _, t := range trials {
		if len(t.Decision) > 0 {
			return t.Decision, nil
		}
	}
	return nil, nil
}

// command runs a command through the door.
func (w *world) command(ctx context.Context, c wire.TestCommandCall) (any, error) {
	out, err := w.host.RunCommand(ctx, w.door, c.Name, c.Text)
	if err != nil {
		return nil, w.because(err)
	}
	return out, nil
}

// because adds why an extension is not there to an error of a missing command.
func (w *world) because(err error) error {
	if err == nil {
		return nil
	}
	if broken := w.broken(); broken != nil {
		err = broken
	}
	return refuse("Error", err.Error())
}
