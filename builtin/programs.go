package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/rho-ext/rho-ext/internal/denylist"
	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/internal/proc"
	"github.com/rho-ext/rho-ext/registry"
)

// runsAll are the effects of a call that runs what it is told, or the code of
// the project.
const runsAll = registry.EffectRead | registry.EffectWrite | registry.EffectNet | registry.EffectRun

// programs is what the tools that run programs share.
type programs struct {
	jail   *jail.Jail
	o      CommandOptions
	denied denylist.List

	running sync.WaitGroup
}

// Wait waits until no program of a call runs any more. A call can be given up
// by its caller while its processes are still being ended.
func (p *programs) wait() { p.running.Wait() }

// run starts a program in a directory of the project and waits for its end.
func (p *programs) run(ctx context.Context, c proc.Command) (*proc.Result, error) {
	p.running.Add(1)
	defer p.running.Done()
	call := registry.CallFrom(ctx)
	res, err := proc.Run(ctx, c)
	if res != nil {
		call.RecordUse(registry.Use{Kind: "run", Target: strings.Join(append([]string{c.Path}, c.Args...), " "), Effect: "run", Grant: "default"})
	}
	return res, err
}

// dir finds the directory that a call names, which must be in the project.
func (p *programs) dir(ctx context.Context, name string) (string, error) {
	if name == "" {
		return p.jail.Root(), nil
	}
	info, rel, err := p.jail.Stat(name)
	if err != nil {
		f := fileFailure(registry.CallFrom(ctx), p.jail, name, "read", err)
		f.Message = "cwd: " + strings.Replace(f.Message, "file ", "directory ", 1)
		return "", f
	}
	if !info.IsDir() {
		return "", &registry.Failure{Kind: registry.KindInvalidArgs, Code: "not_a_directory", Retryable: registry.RetryNo,
			Message: "cwd: " + strconv.Quote(name) + " is a file: name a directory of the project"}
	}
	if filepath.IsAbs(rel) {
		return rel, nil
	}
	return filepath.Join(p.jail.Root(), filepath.FromSlash(rel)), nil
}

// startFailure explains why a program could not be started. install says what
// helps where there is none.
func startFailure(err error, install string) error {
	f := &registry.Failure{Kind: registry.KindOther, Code: "not_started", Message: err.Error(), Retryable: registry.RetryNo, Cause: err}
	if errors.Is(err, proc.ErrNotFound) {
		f.Code = "program_missing"
		if install != "" {
			f.Message = install
		}
	}
	return f
}

// ended is the error of a call whose context ended while its program ran, which
// the door explains better than the program's fate does.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// clip keeps a text within a number of bytes: its head, a line that says how
// much is missing, its tail.
func clip(s string, limit int, where string) (string, bool) {
	if len(s) <= limit {
		return s, false
	}
	room := max(limit-120-len(where), 64)
	head, tail := room/2, len(s)-room/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	if i := strings.LastIndexByte(s[:head], '\n'); i > head/2 {
		head = i + 1
	}
	if i := strings.IndexByte(s[tail:], '\n'); i >= 0 && i < (len(s)-tail)/2 {
		tail += i + 1
	}
	note := "[... " + strconv.Itoa(tail-head) + " bytes left out" + where + " ...]\n"
	if head > 0 && s[head-1] != '\n' {
		note = "\n" + note
	}
	return s[:head] + note + s[tail:], true
}

// answer is a result with a text for the model and the same as data.
func answer(text string, data any, failed bool) (*registry.Result, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	res := registry.Text(text)
	res.Structured, res.IsError = raw, failed
	return res, nil
}

// schemaOf is the output schema of an answer's type.
func schemaOf[T any]() json.RawMessage {
	t := registry.MustTool(registry.TypedOptions{Name: "t", Description: "d", Risk: registry.Read},
		func(context.Context, struct{}) (v T, err error) { return v, nil })
	return registry.InfoOf(t).OutputSchema
}

// millis is a duration in milliseconds, for answers.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
