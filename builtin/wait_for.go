package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/internal/proc"
	"github.com/rho-ext/rho-ext/registry"
)

//go:embed wait_for.md
var waitForDescription string

type waitForArgs struct {
	Command         string  `json:"command" description:"The command that asks for the state" min:"1" max:"100000"`
	Until           string  `json:"until,omitempty" description:"success, exit_code: N, or regex: P" default:"success" max:"10000"`
	TimeoutSecs     float64 `json:"timeout_secs,omitempty" description:"How long to wait" default:"300" min:"1" max:"86400"`
	PollSecs        float64 `json:"poll_secs,omitempty" description:"Pause between two runs" default:"10" min:"0.1" max:"300"`
	PollTimeoutSecs float64 `json:"poll_timeout_secs,omitempty" description:"How long one run may take" default:"60" min:"0.1" max:"3600"`
	Cwd             string  `json:"cwd,omitempty" description:"Directory to run in, relative to the project root"`
	Shell           string  `json:"shell,omitempty" description:"The shell; by default the platform's" enum:"sh,bash,zsh,pwsh,powershell,cmd"`
}

// waitForAnswer tells how a wait ended.
type waitForAnswer struct {
	Satisfied  bool    `json:"satisfied"`
	Polls      int     `json:"polls"`
	Late       int     `json:"late,omitempty" description:"Runs that took too long and were ended"`
	ExitCode   *int    `json:"exitCode,omitempty" description:"Of the last run"`
	Stdout     string  `json:"stdout"`
	Stderr     string  `json:"stderr"`
	DurationMS float64 `json:"durationMs"`
}

// newWaitFor makes the tool wait_for.
func newWaitFor(p *programs) registry.Tool {
	return registry.MustTool(registry.TypedOptions{
		Name: "wait_for", Description: strings.TrimSpace(waitForDescription), Risk: registry.Destructive,
		Info: registry.Info{
			Title: "Wait for", Kind: registry.KindShell, Effects: runsAll, Timeout: 24*time.Hour + time.Minute, OutputSchema: schemaOf[waitForAnswer](),
			Examples: []registry.Example{
				{Args: json.RawMessage(`{"command":"gh run view --json status","until":"regex: \"status\":\"completed\"","timeout_secs":1800,"poll_secs":30}`)},
			},
		},
	}, p.waitFor)
}

// condition reads what is waited for.
func condition(until string) (func(*proc.Result) bool, error) {
	kind, rest, _ := strings.Cut(until, ":")
	switch kind = strings.TrimSpace(kind); kind {
	case "success":
		if strings.TrimSpace(rest) == "" {
			return func(r *proc.Result) bool { return r.ExitCode == 0 }, nil
		}
	case "exit_code":
		if n, err := strconv.Atoi(strings.TrimSpace(rest)); err == nil {
			return func(r *proc.Result) bool { return r.Signal == "" && r.ExitCode == n }, nil
		}
		return nil, invalid("until: expected a number behind exit_code:, such as exit_code: 0, got %q", until)
	case "regex":
		pattern := strings.TrimPrefix(rest, " ")
		re, err := regexp.Compile(pattern)
		if err != nil {
			return nil, invalid("until: %q is no regular expression in Go's syntax: %v", pattern, err)
		}
		if re.MatchString("") {
			return nil, invalid("until: %q matches an empty text, so it would be satisfied at once", pattern)
		}
		return func(r *proc.Result) bool {
			return re.MatchString(r.Stdout.String()) || re.MatchString(r.Stderr.String())
		}, nil
	}
	return nil, invalid("until: expected success, exit_code: N or regex: P, got %q", until)
}

func (p *programs) waitFor(ctx context.Context, a waitForArgs) (*registry.Result, error) {
	call := registry.CallFrom(ctx)
	shell := p.shellOf(a.Shell)
	if err := p.check(call, shell, a.Command); err != nil {
		return nil, err
	}
	met, err := condition(a.Until)
	if err != nil {
		return nil, err
	}
	dir, err := p.dir(ctx, a.Cwd)
	if err != nil {
		return nil, err
	}
	budget := budgetOf(registry.CallFrom(ctx))
	start := time.Now()
	end := start.Add(time.Duration(a.TimeoutSecs * float64(time.Second)))
	pause := time.Duration(a.PollSecs * float64(time.Second))
	ans := waitForAnswer{}
	for {
		c := shellCommand(shell, a.Command, dir)
		// The last run has a second, so that it is one.
		c.Timeout = min(time.Duration(a.PollTimeoutSecs*float64(time.Second)), max(time.Until(end), time.Second))
		c.Grace, c.MaxOutput = commandGrace, max(budget, 4096)
		res, err := p.run(ctx, c)
		if res == nil {
			return nil, startFailure(err, fmt.Sprintf("there is no shell %q on this machine: name another one with shell", shell))
		}
		if err := ended(ctx); err != nil {
			return nil, err
		}
		ans.Polls++
		ans.Stdout, _ = clip(res.Stdout.String(), (budget-headerRoom)/2, "")
		ans.Stderr, _ = clip(res.Stderr.String(), (budget-headerRoom)/2, "")
		ans.ExitCode = nil
		if res.TimedOut {
			ans.Late++
		} else if res.Signal == "" {
			code := res.ExitCode
			ans.ExitCode = &code
		}
		// What a run that came too late has written counts only where it is what
		// was asked for.
		if (!res.TimedOut || strings.HasPrefix(a.Until, "regex")) && met(res) {
			ans.Satisfied = true
			return ans.result(time.Since(start))
		}
		left := time.Until(end)
		if left <= 0 {
			return ans.result(time.Since(start))
		}
		call.Report(registry.Progress{Message: fmt.Sprintf("run %d: not yet", ans.Polls), Done: time.Since(start).Seconds(), Total: a.TimeoutSecs})
		timer := time.NewTimer(min(pause, left))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

func (a *waitForAnswer) result(took time.Duration) (*registry.Result, error) {
	a.DurationMS = millis(took)
	var b strings.Builder
	for _, s := range []string{a.Stdout, a.Stderr} {
		if s = strings.TrimRight(s, " \r\n"); s != "" {
			b.WriteString(s + "\n")
		}
	}
	seconds := strconv.FormatFloat(took.Seconds(), 'f', 1, 64)
	switch {
	case !a.Satisfied:
		fmt.Fprintf(&b, "[wait_for: timed out after %ss across %d poll(s) without satisfying the condition]", seconds, a.Polls)
	case a.ExitCode == nil:
		fmt.Fprintf(&b, "[wait_for: %d poll(s), %ss elapsed]", a.Polls, seconds)
	default:
		fmt.Fprintf(&b, "[wait_for: %d poll(s), %ss elapsed, exit %d]", a.Polls, seconds, *a.ExitCode)
	}
	if a.Late > 0 {
		fmt.Fprintf(&b, "\n[%d run(s) took too long and were ended; poll_timeout_secs allows more]", a.Late)
	}
	r, err := answer(b.String(), a, !a.Satisfied)
	if err == nil && !a.Satisfied {
		r.Details = &registry.Failure{Kind: registry.KindTimeout, Code: "not_satisfied", Message: b.String()}
	}
	return r, err
}
