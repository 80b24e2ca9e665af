package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

// devKeys does what is typed while dev runs: a letter and enter.
type devKeys struct {
	view  *devView
	tests *devTests
	last  registry.Request // the last call
}

const devHelp = `  r [EXTENSION]     load everything again, or one extension
  c TOOL [JSON]     call a tool; c alone repeats the last call
  t                 run all tests
  l                 list tools
  e                 show what is wrong
  d EXTENSION       disable an extension;  u EXTENSION enables it
  q                 quit`

// run does what is typed until the terminal is closed, q or the end of ctx.
func (k *devKeys) run(ctx context.Context, keys <-chan string) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, ok := <-keys:
			if !ok || line == "q" {
				return nil
			}
			if line != "" {
				k.do(ctx, line)
			}
		}
	}
}

func (k *devKeys) do(ctx context.Context, line string) {
	v, h := k.view, k.view.w.host
	key, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch key {
	case "r":
		if rest != "" {
			k.report(h.Reload(ctx, rest))
		} else {
			k.report(h.Reload(ctx))
		}
	case "d", "u":
		switch {
		case rest == "":
			v.line("%s needs the name of an extension", key)
		case key == "d":
			k.report(h.Disable(ctx, rest))
		default:
			k.report(h.Enable(ctx, rest))
		}
	case "c":
		k.call(ctx, rest)
	case "t":
		k.tests.add()
	case "l":
		for _, e := range v.w.reg.Snapshot().Tools() {
			if e.Owner != "" && v.shows(e.Owner) {
				v.line("  %-24s %-12s %s", cleanLine(e.Tool.Name()), e.Tool.Risk(), cleanLine(e.Owner))
			}
		}
	case "e":
		failures := v.w.failures()
		if len(failures) == 0 {
			v.line("nothing is wrong")
		}
		for _, f := range failures {
			if v.shows(f.Extension) {
				v.failures(&host.Change{Failures: []host.Failure{f}}, false)
			}
		}
	case "h", "?", "help":
		v.line("%s", devHelp)
	default:
		v.line("%q is no key; h and enter shows them", clean(shorten(line, 40)))
	}
}

// report shows what was asked for by hand.
func (k *devKeys) report(r host.Report, err error) {
	v := k.view
	if err != nil {
		v.line("%s %s", v.app.paint(red, "error:"), clean(err.Error()))
		return
	}
	if len(r.Changes) == 0 {
		v.line("nothing has changed (%s)", short(r.Duration))
	}
	for i := range r.Changes {
		v.line("%s  %s", v.app.paint(dim, now()), v.became(&r.Changes[i], r.Duration))
		v.failures(&r.Changes[i], true)
	}
}

// call calls a tool. The line about it comes from the session log, as those of
// other programs do.
func (k *devKeys) call(ctx context.Context, rest string) {
	v := k.view
	if rest != "" {
		tool, args, _ := strings.Cut(rest, " ")
		if args = strings.TrimSpace(args); args == "" {
			args = "{}"
		}
		if !json.Valid([]byte(args)) {
			v.line("%s is no JSON; expected c TOOL {\"name\":\"value\"}", clean(shorten(args, 60)))
			return
		}
		k.last = registry.Request{Tool: tool, Arguments: json.RawMessage(args)}
	}
	if k.last.Tool == "" {
		v.line("nothing was called yet; expected c TOOL {\"name\":\"value\"}")
		return
	}
	out := v.w.door.Call(ctx, k.last)
	text := out.Text
	if out.Failure != nil && text == "" {
		text = out.Failure.Message
	}
	v.line("%s", indented(shorten(text, 2000)))
	if v.w.session == nil {
		v.line("%s", fmt.Sprintf("%s in %s", out.Status, short(out.Duration)))
	}
}
