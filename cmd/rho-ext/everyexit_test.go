package main

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// exitRun is a run that ends with a code. Those with 0, 1 for an answer that
// cannot be written and 2 for an unknown flag are run for every verb elsewhere.
type exitRun struct {
	args        string
	code        int
	untrusted   bool // in a project that nobody trusts
	interrupted bool
}

var everyExit = map[string][]exitRun{
	"rho-ext run": {{args: "run fails", code: exitFailed}, {args: "run half", code: exitLoad}, {args: "run calls_out", code: exitDenied},
		{args: "run spins --timeout 100ms", code: exitTimeout}, {args: "run waits", code: exitInterrupted, interrupted: true},
		{args: "run shadowless", code: exitDenied, untrusted: true}},
	"rho-ext list": {{args: "list", code: exitLoad}},
	"rho-ext info": {{args: "info bad", code: exitLoad}, {args: "info shadowless", code: exitDenied, untrusted: true}, {args: "info nobody", code: exitLoad}},
	"rho-ext bench": {{args: "bench fails --count 2", code: exitFailed}, {args: "bench half", code: exitLoad}, {args: "bench calls_out", code: exitDenied},
		{args: "bench spins --timeout 100ms", code: exitTimeout}, {args: "bench types", code: exitInterrupted, interrupted: true}},
	"rho-ext bundle": {{args: "bundle nobody", code: exitFailed}, {args: "bundle bad", code: exitLoad}},
	"rho-ext check":  {{args: "check bad", code: exitFailed}, {args: "check nobody", code: exitUsage}},
	"rho-ext command": {{args: "command stumble", code: exitFailed}, {args: "command nobody", code: exitLoad}, {args: "command writes", code: exitDenied},
		{args: "command idle --timeout 100ms", code: exitTimeout}, {args: "command idle", code: exitInterrupted, interrupted: true}},
	"rho-ext doctor":      {{args: "doctor", code: exitFailed}},
	"rho-ext hook":        {{args: "hook tool_result --allow-hook=tool_result", code: exitFailed}, {args: "hook tool_call --allow-hook=tool_call", code: exitLoad}},
	"rho-ext init":        {{args: "init demo", code: exitFailed}, {args: "init ../x", code: exitUsage}},
	"rho-ext secret list": {{args: "secret list nobody", code: exitFailed}, {args: "secret list bad", code: exitLoad}},
	"rho-ext secret set":  {{args: "secret set nobody key", code: exitFailed}, {args: "secret set bad key", code: exitLoad}},
	"rho-ext types":       {{args: "types --check", code: exitFailed}},
	"rho-ext test":        {{args: "test", code: exitFailed}, {args: "test nosuch", code: exitFailed}, {args: "test -t (", code: exitUsage}, {args: "test", code: exitInterrupted, interrupted: true}},
}

// deniedHooks needs a project without a broken extension, see everyVerb.
const deniedHooks = "rho-ext hook"

var exitParagraph = regexp.MustCompile(`(?s)Exit status:(.*?)(?:\n\n|$)`)

func TestEveryVerbEndsWithTheCodesThatItTellsOf(t *testing.T) {
	files := map[string]string{
		"bad.ts": brokenExt,
		"living.ts": `export default { name: "living", permissions: { hooks: ["tool_call", "tool_result"], write: ["out"] }, tools: [],
  hooks: { onToolCall: () => undefined, onToolResult() { throw new Error("broken"); } },
  commands: [
    { name: "stumble", run() { throw new Error("as always"); } },
    { name: "writes", run: (_, ctx) => ctx.fs.write("out/x", "y") },
    { name: "idle", run: () => new Promise((r) => setTimeout(() => r("late"), 60_000)) },
  ] };`,
		"living.test.ts": `import { test } from "rho-ext/test"; test("fails", () => { throw new Error("on purpose"); });`,
	}
	s := &setting{t: t, root: project(t, files)}
	s.home = trusting(t, s.root)
	stranger := &setting{t: t, root: project(t, files), home: t.TempDir()}
	for _, c := range verbs() {
		name := c.CommandPath()
		seen := map[int]bool{exitOK: true, exitFailed: false, exitUsage: true}
		for _, r := range everyExit[name] {
			at := s
			if r.untrusted {
				at = stranger
			}
			ctx, stop := context.WithCancel(t.Context())
			if r.interrupted {
				stop()
			}
			got := at.ends(ctx, r.args)
			stop()
			require.Equal(t, r.code, got.code, "%s\n%s%s", r.args, got.out, got.err)
			require.NotEmpty(t, got.out+got.err, "%s says nothing", r.args)
			seen[r.code] = true
		}
		if name == deniedHooks {
			seen[exitDenied] = true
		}
		m := exitParagraph.FindStringSubmatch(c.Long)
		if m == nil {
			continue
		}
		for _, text := range regexp.MustCompile(`\b\d+\b`).FindAllString(m[1], -1) {
			code, err := strconv.Atoi(text)
			require.NoError(t, err)
			require.True(t, seen[code], "%s tells of %d, and no run here ends so", name, code)
		}
	}
}

// ends runs a verb until it ends.
func (s *setting) ends(ctx context.Context, args string) ran {
	s.t.Helper()
	s.t.Setenv("RHO_HOME", s.home)
	s.t.Setenv("CI", "")
	out, errs := &page{}, &page{}
	code := run(ctx, append(strings.Fields(args), "--root", s.root), streams{in: strings.NewReader("value"), out: out, err: errs})
	return ran{code: code, out: out.String(), err: errs.String()}
}
