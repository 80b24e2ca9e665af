package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/internal/suggest"
	"github.com/rho-ext/rho-ext/registry"
)

//go:embed command_job.md
var commandJobDescription string

type commandJobArgs struct {
	Action  string `json:"action" description:"What to do" enum:"list,status,output,wait,kill"`
	Job     string `json:"job,omitempty" description:"The job, as run_command named it; for all actions but list"`
	Offset  int64  `json:"offset,omitempty" description:"For output and wait: the byte to begin with" min:"0"`
	Seconds int    `json:"seconds,omitempty" description:"For wait: how long at most" min:"1" max:"300" default:"10"`
}

// jobAnswer tells about jobs.
type jobAnswer struct {
	Jobs   []jobStatus `json:"jobs" description:"All, or the one that was asked for"`
	Output string      `json:"output,omitempty"`
	Next   int64       `json:"next,omitempty" description:"The offset to go on with"`
	Lost   int64       `json:"lost,omitempty" description:"Bytes between the offset and the output that are not kept any more"`
}

type jobStatus struct {
	Job        string  `json:"job"`
	Command    string  `json:"command"`
	State      string  `json:"state" description:"running, exited, killed, timed out or failed"`
	ExitCode   *int    `json:"exitCode,omitempty"`
	Signal     string  `json:"signal,omitempty"`
	Bytes      int64   `json:"bytes" description:"Written so far"`
	OutputFile string  `json:"outputFile,omitempty"`
	DurationMS float64 `json:"durationMs"`
}

// commandJob is the tool command_job. What it can end was started with an
// approval, so that it has no effects but to look.
type commandJob struct {
	registry.Tool
	jobs *jobs
}

func newCommandJob(jobs *jobs) *commandJob {
	t := &commandJob{jobs: jobs}
	t.Tool = registry.MustTool(registry.TypedOptions{
		Name: "command_job", Description: strings.TrimSpace(commandJobDescription), Risk: registry.Read,
		Info: registry.Info{
			Title: "Background jobs", Timeout: 6 * time.Minute, OutputSchema: schemaOf[jobAnswer](),
			Examples: []registry.Example{{Args: json.RawMessage(`{"action":"list"}`)}},
		},
	}, t.call)
	return t
}

// Unwrap implements registry.Unwrapper.
func (t *commandJob) Unwrap() registry.Tool { return t.Tool }

// FootprintOf implements registry.Footprinter: it touches no file.
func (*commandJob) FootprintOf(json.RawMessage) registry.Footprint { return registry.Footprint{} }

func (t *commandJob) call(ctx context.Context, a commandJobArgs) (*registry.Result, error) {
	if a.Action == "list" {
		list := jobAnswer{Jobs: t.jobs.statuses()}
		var b strings.Builder
		for _, s := range list.Jobs {
			b.WriteString(s.line() + "\n")
		}
		if b.Len() == 0 {
			b.WriteString("no jobs")
		}
		return answer(b.String(), list, false)
	}
	j := t.jobs.find(a.Job)
	if j == nil {
		f := registry.NewFailure(registry.KindNotFound, fmt.Sprintf("there is no job %q%s; the action list names all", a.Job, suggest.Hint(suggest.Names(a.Job, t.jobs.names(), 3)...)))
		f.Code = "no_such_job"
		return nil, f
	}
	ans := jobAnswer{}
	switch a.Action {
	case "kill":
		if err := j.kill(ctx); err != nil {
			return nil, err
		}
	case "wait":
		if err := j.await(ctx, a.Offset, time.Duration(a.Seconds)*time.Second); err != nil {
			return nil, err
		}
	}
	status := j.status()
	ans.Jobs = []jobStatus{status}
	text := status.line()
	if a.Action == "output" || a.Action == "wait" {
		ans.Output, ans.Next, ans.Lost = j.tail.read(a.Offset, budgetOf(registry.CallFrom(ctx))-headerRoom-len(text))
		if ans.Lost > 0 {
			text += fmt.Sprintf("\n[%d bytes before this are not kept here%s]", ans.Lost, fileNote(status.OutputFile))
		}
		text += fmt.Sprintf("\n%s\n[next offset: %d]", strings.TrimSuffix(ans.Output, "\n"), ans.Next)
	}
	return answer(text, ans, false)
}

func fileNote(path string) string {
	if path == "" {
		return ""
	}
	return "; all output is in " + path
}

func (s jobStatus) line() string {
	end := ""
	switch {
	case s.ExitCode != nil:
		end = fmt.Sprintf(", exit code %d", *s.ExitCode)
	case s.Signal != "":
		end = ", signal " + s.Signal
	}
	command, _, _ := strings.Cut(s.Command, "\n")
	if len(command) > 100 {
		command = strings.ToValidUTF8(command[:100], "") + "…"
	}
	return fmt.Sprintf("%s: %s%s, %v, %d bytes of output: %s", s.Job, s.State, end, time.Duration(s.DurationMS*float64(time.Millisecond)).Round(time.Millisecond), s.Bytes, command)
}
