package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/internal/suggest"
)

// hookTrials is the document that hook prints.
type hookTrials struct {
	Event string           `json:"event"`
	Hooks []host.HookTrial `json:"hooks"`
}

func (a *app) hookCommand() *cobra.Command {
	var event, only string
	cmd := &cobra.Command{
		Use:   "hook EVENT",
		Short: "Show an event to the hooks of extensions, and what they decide",
		Long: `Show an event to each hook that hears of it, and print what each decides. No tool
is called, and the hooks do not see each other's work. What the event leaves out
is made up.

The events are tool_call {toolName, args, risk}, tool_result {toolName, args,
content, details, isError, status, failure} and before_model {messages}. A hook
runs only where its extension asks for the event and was granted it.

Exit status: 0 when every hook decided, 1 when one failed, 3 when an extension did
not load, 4 when none of the hooks is granted.`,
		Example: `  rho-ext hook tool_call --allow-hook=tool_call --event '{"toolName":"bash","args":{"command":"ls"}}'
  echo '{"toolName":"read_file","content":[{"type":"text","text":"x"}]}' | rho-ext hook tool_result --event -`,
		Args: one("EVENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.tryHooks(cmd.Context(), args[0], event, only)
		},
	}
	cmd.Flags().StringVar(&event, "event", "", "the event as a `JSON` object, or - to read it from stdin")
	cmd.Flags().StringVar(&only, "extension", "", "only the hooks of the extension `ID`")
	return cmd
}

// knows refuses an id that no extension has.
func (w *workspace) knows(id string) error {
	var ids []string
	for _, e := range w.host.Extensions() {
		if e.ID == id {
			return nil
		}
		ids = append(ids, e.ID)
	}
	return fail(exitFailed, "there is no extension %q%s", id, suggest.Hint(suggest.Names(id, ids, 1)...))
}

func (a *app) tryHooks(ctx context.Context, event, data, only string) error {
	raw, err := a.readJSON("--event", data)
	if err != nil {
		return err
	}
	w, err := a.open(ctx, "", nil)
	if err != nil {
		return err
	}
	defer w.close()
	// At the door a hook sees no secrets either.
	if hidden := []byte(w.hide.Redact(string(raw))); json.Valid(hidden) {
		raw = hidden
	}
	list, err := w.host.TryHook(ctx, event, raw)
	if err != nil {
		return usage("%v", err)
	}
	if only != "" {
		if err := w.knows(only); err != nil {
			return err
		}
		var kept []host.HookTrial
		for _, t := range list {
			if t.Extension == only {
				kept = append(kept, t)
			}
		}
		list = append([]host.HookTrial{}, kept...)
	}
	for i := range list {
		list[i].Error = w.hide.Redact(list[i].Error)
		if hidden := []byte(w.hide.Redact(string(list[i].Decision))); json.Valid(hidden) {
			list[i].Decision = hidden
		}
	}
	if a.json {
		err = a.printJSON(hookTrials{event, list})
	} else {
		err = a.printTrials(event, list)
	}
	if err != nil {
		return written(err)
	}
	failures := w.failures()
	for _, f := range failures {
		a.printFailure(f)
	}
	a.tellUntrusted(untrusted(w.host))
	granted, failed := 0, 0
	for _, t := range list {
		if t.Granted {
			granted++
		}
		if t.Error != "" {
			failed++
		}
	}
	switch {
	case failed > 0:
		return &exitError{code: exitFailed}
	case len(failures) > 0:
		return &exitError{code: exitLoad}
	case len(list) > 0 && granted == 0:
		return &exitError{code: exitDenied}
	}
	return nil
}

func (a *app) printTrials(event string, list []host.HookTrial) error {
	var b strings.Builder
	if len(list) == 0 {
		fmt.Fprintf(&b, "no extension has a hook for %s\n", cleanLine(event))
	}
	for _, t := range list {
		name := cleanLine(t.Extension) + " " + t.Hook
		switch {
		case !t.Granted:
			fmt.Fprintf(&b, "%s: not granted, so it does not run\n  to allow it: %s\n", name, cleanLine(t.Allow))
		case t.Error != "":
			what := "changes nothing"
			if t.Hook == "onToolCall" {
				what = "blocks the call"
			}
			fmt.Fprintf(&b, "%s: failed, which %s (%.1f ms)\n  %s\n", name, what, t.DurationMS, clean(t.Error))
		case t.Decision == nil:
			fmt.Fprintf(&b, "%s: lets it be (%.1f ms)\n", name, t.DurationMS)
		default:
			fmt.Fprintf(&b, "%s: %s (%.1f ms)\n", name, clean(string(t.Decision)), t.DurationMS)
		}
	}
	_, err := fmt.Fprint(a.out, b.String())
	return err
}

// readJSON is the JSON text of a flag; nothing given is nothing.
func (a *app) readJSON(flag, s string) (json.RawMessage, error) {
	if s == "" {
		return nil, nil
	}
	raw, err := a.readArgs(s)
	if err != nil {
		return nil, usage("%s", strings.ReplaceAll(err.Error(), "--args", flag))
	}
	return raw, nil
}
