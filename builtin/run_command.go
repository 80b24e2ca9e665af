package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/internal/proc"
	"github.com/rho-ext/rho-ext/registry"
)

//go:embed run_command.md
var runCommandDescription string

// The bounds of a command.
const (
	commandTimeout    = 120 * time.Second // where a call says nothing
	commandMaxTimeout = 600 * time.Second
	commandGrace      = 300 * time.Millisecond // within the door's own
	progressEvery     = 200 * time.Millisecond
)

type runCommandArgs struct {
	Command    string  `json:"command" description:"The command, in the language of the shell" min:"1" max:"100000"`
	Cwd        string  `json:"cwd,omitempty" description:"Directory to run in, relative to the project root"`
	Input      string  `json:"input,omitempty" description:"Text that the command reads from its standard input"`
	Timeout    float64 `json:"timeout,omitempty" description:"Seconds until the command is ended: 120 by default, 600 at most; a job has an hour by default and 24 hours at most" min:"0"`
	Shell      string  `json:"shell,omitempty" description:"The shell; by default the platform's" enum:"sh,bash,zsh,pwsh,powershell,cmd"`
	Background bool    `json:"background,omitempty" description:"Start a job and return at once"`
}

// commandAnswer tells how a command ended.
type commandAnswer struct {
	ExitCode    *int    `json:"exitCode,omitempty" description:"Absent where a signal, the timeout or nobody has ended it yet"`
	Signal      string  `json:"signal,omitempty"`
	TimedOut    bool    `json:"timedOut,omitempty"`
	Stdout      string  `json:"stdout"`
	Stderr      string  `json:"stderr"`
	StdoutBytes int64   `json:"stdoutBytes"`
	StderrBytes int64   `json:"stderrBytes"`
	Truncated   bool    `json:"truncated,omitempty"`
	OutputFile  string  `json:"outputFile,omitempty" description:"All output in the order of writing, where it was cut"`
	LeftBehind  bool    `json:"leftBehind,omitempty" description:"Processes outlived the command and were ended"`
	DurationMS  float64 `json:"durationMs"`
	Job         string  `json:"job,omitempty" description:"Of a command in the background"`
}

// runCommand is the tool run_command.
type runCommand struct {
	registry.Tool
	p    *programs
	jobs *jobs
}

func newRunCommand(p *programs, jobs *jobs) *runCommand {
	t := &runCommand{p: p, jobs: jobs}
	t.Tool = registry.MustTool(registry.TypedOptions{
		Name: "run_command", Description: strings.TrimSpace(runCommandDescription), Risk: registry.Destructive,
		Info: registry.Info{
			Title: "Run command", Kind: registry.KindShell, Effects: runsAll, Timeout: commandMaxTimeout + time.Minute,
			OutputSchema: schemaOf[commandAnswer](),
			Examples: []registry.Example{
				{Args: json.RawMessage(`{"command":"git status --short"}`)},
				{Args: json.RawMessage(`{"command":"npm run dev","cwd":"web","background":true}`), Note: "a job"},
			},
		},
	}, t.call)
	return t
}

// Unwrap implements registry.Unwrapper.
func (t *runCommand) Unwrap() registry.Tool { return t.Tool }

// Close ends all jobs and waits for what still runs.
func (t *runCommand) Close() error {
	t.jobs.close()
	t.p.wait()
	return nil
}

func (t *runCommand) call(ctx context.Context, a runCommandArgs) (*registry.Result, error) {
	shell := t.p.shellOf(a.Shell)
	if err := t.p.check(registry.CallFrom(ctx), shell, a.Command); err != nil {
		return nil, err
	}
	dir, err := t.p.dir(ctx, a.Cwd)
	if err != nil {
		return nil, err
	}
	c := shellCommand(shell, a.Command, dir)
	if a.Input != "" {
		c.Stdin = strings.NewReader(a.Input)
	}
	if a.Background {
		return t.jobs.start(ctx, c, a.Command, within(a.Timeout, jobTimeout, jobMaxTimeout))
	}
	c.Timeout = within(a.Timeout, commandTimeout, commandMaxTimeout)
	c.Grace = commandGrace
	budget := budgetOf(registry.CallFrom(ctx))
	full := newSpill(t.p.o.StateDir, budget-headerRoom)
	c.Spill = full
	c.MaxOutput = max(budget, 4096)
	c.OnOutput = progress(registry.CallFrom(ctx))
	res, err := t.p.run(ctx, c)
	path := full.close()
	if res == nil {
		return nil, startFailure(err, fmt.Sprintf("there is no shell %q on this machine: name another one with shell", shell))
	}
	if err := ended(ctx); err != nil {
		return nil, err
	}
	return commandResult(res, budget, path, full.where(path), c.Timeout)
}

// within is a number of seconds as a duration, with a default and a ceiling.
func within(seconds float64, usual, most time.Duration) time.Duration {
	if seconds <= 0 {
		return usual
	}
	return time.Duration(min(seconds, most.Seconds()) * float64(time.Second))
}

// progress reports the last line of output now and then.
func progress(call *registry.Call) func(proc.Stream, []byte) {
	var mu sync.Mutex
	var last time.Time
	var bytes float64
	return func(_ proc.Stream, b []byte) {
		mu.Lock()
		defer mu.Unlock()
		bytes += float64(len(b))
		if time.Since(last) < progressEvery {
			return
		}
		last = time.Now()
		line := strings.TrimRight(proc.Decode(b[max(0, len(b)-400):]), "\r\n ")
		line = line[strings.LastIndexByte(line, '\n')+1:]
		call.Report(registry.Progress{Message: line, Done: bytes})
	}
}

// commandResult shows how a command ended, within the budget.
func commandResult(res *proc.Result, budget int, file, where string, timeout time.Duration) (*registry.Result, error) {
	out, errs := res.Stdout.String(), res.Stderr.String()
	a := commandAnswer{
		Signal: res.Signal, TimedOut: res.TimedOut, StdoutBytes: res.Stdout.Total, StderrBytes: res.Stderr.Total,
		OutputFile: file, LeftBehind: res.LeftBehind, DurationMS: millis(res.Duration),
	}
	var b strings.Builder
	switch {
	case res.TimedOut:
		fmt.Fprintf(&b, "timed out: the command was ended after %v, with all that it had started. Give it a longer timeout, or run it in the background\n", timeout)
	case res.Signal != "":
		fmt.Fprintf(&b, "ended by signal %s\n", res.Signal)
	default:
		code := res.ExitCode
		a.ExitCode = &code
		fmt.Fprintf(&b, "exit_code: %d\n", code)
	}
	if res.LeftBehind && !res.TimedOut {
		b.WriteString("[processes that the command left behind were ended]\n")
	}
	// Each stream has half of the room, and what the other does not need.
	room := max(budget-headerRoom-len(where)*2, 512)
	half := room / 2
	var cutOut, cutErr bool
	a.Stdout, cutOut = clip(out, max(half, room-len(errs)), where)
	a.Stderr, cutErr = clip(errs, max(half, room-len(a.Stdout)), where)
	a.Truncated = cutOut || cutErr || res.Stdout.Truncated || res.Stderr.Truncated
	b.WriteString(a.Stdout)
	if a.Stderr != "" {
		if a.Stdout != "" && !strings.HasSuffix(a.Stdout, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString("stderr:\n" + a.Stderr)
	}
	failed := res.TimedOut || res.Signal != "" || res.ExitCode != 0
	r, err := answer(b.String(), a, failed)
	if err == nil && res.TimedOut {
		r.Details = &registry.Failure{Kind: registry.KindTimeout, Code: "command_timeout", Message: fmt.Sprintf("timed out: the command was ended after %v", timeout)}
	}
	return r, err
}
