package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

func policy(t testing.TB, o registry.PolicyOptions) *registry.Policy {
	t.Helper()
	p, err := registry.NewPolicy(o)
	require.NoError(t, err)
	return p
}

// filer is a tool whose effects depend on its argument op.
type filer struct{ *fake }

func (filer) EffectsOf(args json.RawMessage) registry.Effects {
	var a struct{ Op string }
	_ = json.Unmarshal(args, &a)
	switch a.Op {
	case "read":
		return registry.EffectRead
	case "write":
		return registry.EffectRead | registry.EffectWrite
	}
	return registry.EffectRead | registry.EffectWrite | registry.EffectNet | registry.EffectRun
}

func newFiler(c *counter) registry.Tool {
	return filer{&fake{name: "filer", risk: registry.Write,
		run: c.wrap(func(_ context.Context, args json.RawMessage) (*result, error) {
			return registry.Text(string(args)), nil
		})}}
}

func entryOf(t testing.TB, owner string, tool registry.Tool) registry.Entry {
	t.Helper()
	r := registry.New()
	require.NoError(t, r.Register(owner, tool))
	return r.Snapshot().Tools()[0]
}

var actions = []registry.Action{registry.Auto, registry.Ask, registry.Deny}

func TestPolicyInEveryCombination(t *testing.T) {
	e := entryOf(t, "ext", &fake{name: "save_file", risk: registry.Write})
	const args = `{"path":"src/a.go"}`
	var matching, other []registry.Rule
	for _, a := range actions {
		matching = append(matching,
			registry.Rule{Action: a},
			registry.Rule{Action: a, Tool: "save_*"},
			registry.Rule{Action: a, Owner: "ext"},
			registry.Rule{Action: a, Effects: registry.EffectWrite},
			registry.Rule{Action: a, Arg: "path", Match: "src/"},
			registry.Rule{Action: a, Tool: "save_file", Owner: "e*", Effects: registry.EffectRead | registry.EffectWrite, Arg: "path", Match: "*.go"})
		other = append(other,
			registry.Rule{Action: a, Tool: "load_*"},
			registry.Rule{Action: a, Owner: "-"},
			registry.Rule{Action: a, Effects: registry.EffectNet},
			registry.Rule{Action: a, Arg: "path", Match: "lib/"},
			registry.Rule{Action: a, Arg: "nothing", Match: "*"},
			registry.Rule{Action: a, Tool: "save_file", Owner: "else"})
	}
	approval := registry.Approval{Tool: "save_file", Owner: "ext", Effects: registry.EffectRead | registry.EffectWrite}
	count := 0
	check := func(fallback registry.Action, rules ...registry.Rule) {
		want := registry.Action(0)
		for _, r := range rules {
			want = max(want, r.Action)
		}
		if want == 0 {
			want = fallback
		}
		if want == 0 {
			want = registry.Ask
		}
		for _, remembered := range []bool{false, true} {
			o := registry.PolicyOptions{Rules: append(append([]registry.Rule{}, other...), rules...)}
			if fallback != 0 {
				o.Defaults = map[registry.Risk]registry.Action{registry.Write: fallback}
			}
			want := want
			if remembered {
				o.Granted = []registry.Approval{approval}
				special := slices.ContainsFunc(rules, func(r registry.Rule) bool { return r.Action == registry.Ask && r.Arg != "" })
				if want == registry.Ask && !special { // a rule on an argument asks for itself
					want = registry.Auto
				}
			}
			v := policy(t, o).Judge(e, json.RawMessage(args), "")
			if !assert.Equal(t, want, v.Action, "%v, default %v, remembered %v", rules, fallback, remembered) {
				return
			}
			assert.NotEmpty(t, v.Reason)
			count++
		}
	}
	for _, fallback := range append([]registry.Action{0}, actions...) {
		check(fallback)
		for _, a := range matching {
			check(fallback, a)
			for _, b := range matching {
				check(fallback, a, b)
			}
		}
	}
	t.Logf("%d combinations", count)
}

func TestPolicyDefaults(t *testing.T) {
	for risk, want := range map[registry.Risk]registry.Action{
		registry.Read: registry.Auto, registry.Write: registry.Ask, registry.Network: registry.Ask, registry.Destructive: registry.Ask,
	} {
		e := entryOf(t, "", &fake{name: "t", risk: risk})
		assert.Equal(t, want, policy(t, registry.PolicyOptions{}).Judge(e, nil, "").Action)
		assert.Equal(t, want, (&registry.Policy{}).Judge(e, nil, "").Action)
	}
}

func TestRuleOnAnArgument(t *testing.T) {
	e := entryOf(t, "", &fake{name: "t"})
	for _, c := range []struct {
		match, value          string
		deniesNot, allowedNot bool
	}{
		{match: "src/", value: `"src/a.go"`},
		{match: "src", value: `"src/a.go"`},
		{match: "src", value: `"src"`},
		{match: "src", value: `"srcs"`, deniesNot: true, allowedNot: true},
		{match: "*.go", value: `"a/b.go"`},
		{match: "src", value: `"./src/a"`, allowedNot: true},
		{match: "src", value: `"a/../src/b"`, allowedNot: true},
		{match: "src", value: `"src//a"`},
		{match: "src", value: `"src/../etc/passwd"`, allowedNot: true},
		{match: "src/*", value: `"src/../etc/passwd"`, allowedNot: true},
		{match: "git status", value: `"git status --short"`},
		{match: "git status", value: `"git status && rm -rf ~"`, allowedNot: true},
		{match: "git status", value: `"git status; rm"`, allowedNot: true},
		{match: "git *", value: `"git status --short"`},
		{match: "git *", value: `"git status; rm -rf ~"`, allowedNot: true},
		{match: "git *", value: `"git status\nrm -rf ~"`, allowedNot: true},
		{match: "git * | head", value: `"git log | head"`},
		{match: "git * | head", value: `"git log; rm | head"`, allowedNot: true},
		{match: "./scripts/", value: `"./scripts/a; rm -rf ~"`, allowedNot: true},
		{match: "npm", value: `"npm:a; rm -rf ~"`, allowedNot: true},
		{match: "*", value: `"a; b"`},
		{match: "rm", value: `"ls && rm -rf ~"`, allowedNot: true},
		{match: "rm", value: `"echo $(rm -rf ~)"`, allowedNot: true},
		{match: "rm", value: `"  rm -rf ~"`, allowedNot: true},
		{match: "rm", value: `"\u0072m -rf ~"`},
		{match: "src", value: `"/home/me/project/src/a"`, allowedNot: true},
		{match: "src", value: `"/home/me/project/lib/../src/a"`, allowedNot: true},
		{match: "src", value: `"/home/me/other/src/a"`, deniesNot: true, allowedNot: true},
		{match: "src", value: `"src\\..\\lib"`, deniesNot: true, allowedNot: true},
		{match: "lib", value: `"src\\..\\lib"`, allowedNot: true},
		{match: "src", value: `{"from":"src/a","to":"lib/b"}`, allowedNot: true},
		{match: "src", value: `{"from":["src/a"],"to":"s\u0072c"}`},
		{match: "src", value: `[{"path":"src/a"},{"path":"lib"}]`, allowedNot: true},
		{match: "src", value: `{}`, deniesNot: true, allowedNot: true},
		{match: "git", value: `"git log $(rm x)"`, allowedNot: true},
		{match: "https://api.github.com", value: `"https://api.github.com/a?b=1&c=2"`},
		{match: "https://api.github.com", value: `"https://api.github.com.evil.org"`, deniesNot: true, allowedNot: true},
		{match: "a", value: `["a","b"]`, allowedNot: true},
		{match: "a", value: `["a","a/c"]`},
		{match: "a", value: `[]`, deniesNot: true, allowedNot: true},
		{match: "5", value: `5`},
		{match: "x", value: `null`, deniesNot: true, allowedNot: true},
	} {
		args := json.RawMessage(`{"a":` + c.value + `}`)
		const root = "/home/me/project"
		deny := policy(t, registry.PolicyOptions{Rules: []registry.Rule{{Action: registry.Deny, Arg: "a", Match: c.match}}})
		assert.Equal(t, !c.deniesNot, deny.Judge(e, args, root).Action == registry.Deny, "deny %s of %s", c.match, c.value)
		allow := policy(t, registry.PolicyOptions{
			Rules:    []registry.Rule{{Action: registry.Auto, Arg: "a", Match: c.match}},
			Defaults: map[registry.Risk]registry.Action{registry.Read: registry.Ask},
		})
		assert.Equal(t, !c.allowedNot, allow.Judge(e, args, root).Action == registry.Auto, "allow %s of %s", c.match, c.value)
	}
}

func TestBadRulesAreNamed(t *testing.T) {
	for about, r := range map[string]registry.Rule{
		"needs an action":  {Source: "config.toml:3"},
		"bad pattern":      {Action: registry.Deny, Tool: "[", Source: "config.toml:3"},
		"both its name":    {Action: registry.Deny, Arg: "path", Source: "config.toml:3"},
		"name and a patte": {Action: registry.Deny, Match: "x", Source: "config.toml:3"},
	} {
		_, err := registry.NewPolicy(registry.PolicyOptions{Rules: []registry.Rule{r}})
		assert.ErrorContains(t, err, about)
		assert.ErrorContains(t, err, "config.toml:3")
	}
}

func TestWithNobodyToAskAskIsDeny(t *testing.T) {
	var c counter
	o := ask(doorTo(t, &registry.DoorOptions{Policy: policy(t, registry.PolicyOptions{})}, newFiler(&c)), "filer", `{"op":"write"}`)
	assert.Equal(t, registry.StatusSkipped, o.Status)
	assert.Equal(t, registry.KindPermissionDenied, o.Failure.Kind)
	assert.Contains(t, o.Failure.Hint, "--yes")
	assert.Contains(t, o.Text, "the default for risk write is ask")
	assert.Zero(t, c.runs.Load())
}

func TestAllowAllNeverOverridesDeny(t *testing.T) {
	var c counter
	p := policy(t, registry.PolicyOptions{Rules: []registry.Rule{{Action: registry.Deny, Arg: "path", Match: "secret", Source: "config.toml:7"}}})
	d := doorTo(t, &registry.DoorOptions{Policy: p, Gate: registry.AllowAll}, newFiler(&c))
	o := ask(d, "filer", `{"op":"write","path":"secret/a"}`)
	assert.Equal(t, registry.StatusSkipped, o.Status)
	assert.Contains(t, o.Text, "config.toml:7")
	assert.Zero(t, c.runs.Load())
	assert.Equal(t, registry.StatusSuccess, ask(d, "filer", `{"op":"write","path":"public/a"}`).Status)
	assert.EqualValues(t, 1, c.runs.Load())
}

// pending starts a call whose gate waits, and returns its question.
func pending(t *testing.T, ctx context.Context, d *registry.Door, questions <-chan registry.Question) (registry.Question, <-chan *outcome) {
	t.Helper()
	done := make(chan *outcome, 1)
	go func() { done <- d.Call(ctx, request{Tool: "filer", Arguments: json.RawMessage(`{"op":"write"}`)}) }()
	select {
	case q := <-questions:
		return q, done
	case <-time.After(5 * time.Second):
		t.Fatal("nobody asked")
		return registry.Question{}, nil
	}
}

func TestAnApprovalAnswersOnlyItsOwnRequest(t *testing.T) {
	var c counter
	gate := &registry.Approvals{}
	questions := make(chan registry.Question, 10)
	defer gate.Listen(func(q registry.Question) { questions <- q })()
	o := &registry.DoorOptions{Policy: policy(t, registry.PolicyOptions{}), Gate: gate}
	d, second := doorTo(t, o, newFiler(&c)), doorTo(t, o, newFiler(&c))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	a, aDone := pending(t, ctx, d, questions)
	b, bDone := pending(t, ctx, d, questions)
	other, otherDone := pending(t, ctx, second, questions)
	assert.NotEqual(t, a.ID, b.ID)
	assert.NotEqual(t, a.ID, other.ID, "two doors do not share ids")

	for _, id := range []string{"", "unknown", a.CallID} {
		assert.ErrorIs(t, gate.Answer(registry.Answer{ID: id, Allow: true}), registry.ErrNoQuestion)
	}
	require.NoError(t, gate.Answer(registry.Answer{ID: a.ID, Allow: true}))
	assert.Equal(t, registry.StatusSuccess, (<-aDone).Status)
	assert.ErrorIs(t, gate.Answer(registry.Answer{ID: a.ID, Allow: true}), registry.ErrNoQuestion, "repeated")
	assert.EqualValues(t, 1, c.runs.Load(), "the others still wait")

	require.NoError(t, gate.Answer(registry.Answer{ID: b.ID, Reason: "no"}))
	assert.Equal(t, registry.StatusSkipped, (<-bDone).Status)

	cancel()
	out := <-otherDone
	assert.Equal(t, registry.KindCancelled, out.Failure.Kind)
	assert.ErrorIs(t, gate.Answer(registry.Answer{ID: other.ID, Allow: true}), registry.ErrNoQuestion, "late")
	assert.EqualValues(t, 1, c.runs.Load())
}

func TestAGateThatAnswersForAnotherRequestApprovesNothing(t *testing.T) {
	for about, gate := range map[string]registry.GateFunc{
		"another id": func(context.Context, registry.Question) (registry.Answer, error) {
			return registry.Answer{ID: "ask-1", Allow: true}, nil
		},
		"no id": func(context.Context, registry.Question) (registry.Answer, error) {
			return registry.Answer{Allow: true}, nil
		},
		"an error beside a yes": func(_ context.Context, q registry.Question) (registry.Answer, error) {
			return registry.Answer{ID: q.ID, Allow: true}, errors.New("lost")
		},
		"a panic": func(context.Context, registry.Question) (registry.Answer, error) { panic("boom") },
	} {
		t.Run(about, func(t *testing.T) {
			var c counter
			o := ask(doorTo(t, &registry.DoorOptions{Policy: policy(t, registry.PolicyOptions{}), Gate: gate}, newFiler(&c)), "filer", `{"op":"write"}`)
			assert.Equal(t, registry.StatusSkipped, o.Status)
			assert.Zero(t, c.runs.Load())
		})
	}
}

func TestACancelledWaitNeverRunsTheTool(t *testing.T) {
	for about, deaf := range map[string]bool{"a gate that listens": false, "a gate that does not": true} {
		t.Run(about, func(t *testing.T) {
			var c counter
			release := make(chan struct{})
			ctx, cancel := context.WithCancel(context.Background())
			gate := registry.GateFunc(func(ctx context.Context, q registry.Question) (registry.Answer, error) {
				cancel()
				if deaf {
					<-release
				} else {
					<-ctx.Done()
				}
				return registry.Answer{ID: q.ID, Allow: true}, nil
			})
			d := doorTo(t, &registry.DoorOptions{Policy: policy(t, registry.PolicyOptions{}), Gate: gate}, newFiler(&c))
			within(t, func() {
				o := d.Call(ctx, request{Tool: "filer", Arguments: json.RawMessage(`{"op":"write"}`)})
				assert.Equal(t, registry.KindCancelled, o.Failure.Kind)
				assert.False(t, o.Consent.Allowed)
			})
			close(release)
			time.Sleep(5 * time.Millisecond)
			assert.Zero(t, c.runs.Load())
		})
	}
}

// editing is a gate that allows other arguments.
func editing(args string) registry.Gate {
	return registry.GateFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
		return registry.Answer{ID: q.ID, Allow: true, Arguments: json.RawMessage(args)}, nil
	})
}

func TestEditedArgumentsAreValidatedAndJudgedAgain(t *testing.T) {
	p := policy(t, registry.PolicyOptions{Rules: []registry.Rule{{Action: registry.Deny, Arg: "path", Match: "secret"}}})
	call := func(edit string) (*outcome, int32) {
		var c counter
		tool := newFiler(&c).(filer)
		tool.params = `{"type":"object","properties":{"op":{"type":"string"},"path":{"type":"string"}}}`
		o := ask(doorTo(t, &registry.DoorOptions{Policy: p, Gate: editing(edit)}, tool), "filer", `{"op":"write","path":"a"}`)
		return o, c.runs.Load()
	}
	o, runs := call(`{"op":"write","path":"b"}`)
	assert.JSONEq(t, `{"op":"write","path":"b"}`, o.Text)
	assert.EqualValues(t, 1, runs)
	o, runs = call(`{"op":"write","path":5}`)
	assert.Equal(t, registry.KindInvalidArgs, o.Failure.Kind)
	assert.Zero(t, runs)
	o, runs = call(`{"op":"write","path":"secret/a"}`)
	assert.Equal(t, registry.StatusSkipped, o.Status)
	assert.Contains(t, o.Text, "denied by the policy")
	assert.Zero(t, runs)
	o, runs = call(`nonsense`)
	assert.Equal(t, registry.KindInvalidArgs, o.Failure.Kind)
	assert.Zero(t, runs)
}

func TestAnAnswerForTheSessionDoesNotLeak(t *testing.T) {
	var asked []registry.Question
	var kept []registry.Approval
	scope := registry.Session
	gate := registry.GateFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
		asked = append(asked, q)
		return registry.Answer{ID: q.ID, Allow: true, Scope: scope}, nil
	})
	var c counter
	r := registry.New()
	require.NoError(t, r.Register("a", filer{&fake{name: "filer", risk: registry.Destructive, info: registry.Info{
		Effects: registry.EffectRead | registry.EffectWrite | registry.EffectNet | registry.EffectRun}, run: c.wrap(gives(nil, nil))}}))
	d := registry.NewDoor(r, &registry.DoorOptions{Policy: policy(t, registry.PolicyOptions{}), Gate: gate,
		KeepApproval: func(a registry.Approval) error { kept = append(kept, a); return errors.New("disk full") }})
	questions := func(args string) int {
		n := len(asked)
		assert.Equal(t, registry.StatusSuccess, ask(d, "filer", args).Status)
		return len(asked) - n
	}
	assert.Equal(t, 1, questions(`{"op":"write"}`))
	assert.Equal(t, 0, questions(`{"op":"write"}`), "it was answered for the session")
	assert.Equal(t, 0, questions(`{"op":"read"}`))
	assert.Equal(t, 1, questions(`{"op":"all"}`), "more effects are another question")
	assert.Equal(t, 0, questions(`{"op":"all"}`))
	assert.Empty(t, kept)

	require.NoError(t, r.Replace("b", newFiler(&c), true))
	assert.Equal(t, 1, questions(`{"op":"write"}`), "the tool of another owner is another tool")

	scope = registry.Once
	require.NoError(t, r.Replace("c", newFiler(&c), true))
	assert.Equal(t, 1, questions(`{"op":"write"}`))
	assert.Equal(t, 1, questions(`{"op":"write"}`), "once is once")

	scope = registry.Always
	assert.Equal(t, 1, questions(`{"op":"write"}`))
	assert.Equal(t, 0, questions(`{"op":"write"}`), "also where it could not be kept")
	assert.Equal(t, []registry.Approval{{Tool: "filer", Owner: "c", Effects: registry.EffectRead | registry.EffectWrite}}, kept)
}

func TestAnAnswerToARuleOnAnArgumentHoldsForThatRuleAlone(t *testing.T) {
	asked := 0
	gate := registry.GateFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
		asked++
		return registry.Answer{ID: q.ID, Allow: true, Scope: registry.Session}, nil
	})
	o := registry.PolicyOptions{Rules: []registry.Rule{
		{Action: registry.Ask, Arg: "command", Match: "rm"},
		{Action: registry.Ask, Arg: "command", Match: "git push"},
	}}
	d := doorTo(t, &registry.DoorOptions{Policy: policy(t, o), Gate: gate}, &fake{name: "sh", risk: registry.Destructive})
	for _, c := range []struct {
		command string
		asked   int
	}{
		{"ls", 1}, {"ls -l", 0}, {"rm a", 1}, {"rm b", 0}, {"ls", 0}, {"git push", 1}, {"git push -f", 0}, {"rm a; git push", 1}, {"rm a && git push", 0},
	} {
		before := asked
		assert.Equal(t, registry.StatusSuccess, ask(d, "sh", `{"command":"`+c.command+`"}`).Status)
		assert.Equal(t, c.asked, asked-before, c.command)
	}
}

func TestARuleOnAPathHoldsForItsAbsoluteSpelling(t *testing.T) {
	root := t.TempDir()
	o := registry.PolicyOptions{Rules: []registry.Rule{{Action: registry.Deny, Arg: "path", Match: "secrets"}}}
	var c counter
	d := doorTo(t, &registry.DoorOptions{Policy: policy(t, o), ProjectRoot: root}, &fake{name: "t", run: c.wrap(gives(nil, nil))})
	args, err := json.Marshal(map[string]string{"path": filepath.Join(root, "secrets", "key")})
	require.NoError(t, err)
	assert.Equal(t, registry.StatusSkipped, ask(d, "t", string(args)).Status)
	assert.Zero(t, c.runs.Load())
}

// hider is a redactor of one secret.
type hider struct{ secret string }

func (h hider) Redact(text string) string { return strings.ReplaceAll(text, h.secret, "[REDACTED]") }

func (h hider) Mask(text string) (string, func(string) string) {
	return strings.ReplaceAll(text, h.secret, "{{secret-1}}"), func(s string) string { return strings.ReplaceAll(s, "{{secret-1}}", h.secret) }
}

func TestSecretsAreMaskedAndRestored(t *testing.T) {
	const secret = "hunter2"
	var mu sync.Mutex
	var views []string
	see := func(v any) {
		mu.Lock()
		defer mu.Unlock()
		views = append(views, fmt.Sprintf("%s %+v", v, v))
	}
	gate := registry.GateFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
		see(string(q.Arguments))
		edited := strings.Replace(string(q.Arguments), `"a"`, `"b"`, 1)
		return registry.Answer{ID: q.ID, Allow: true, Arguments: json.RawMessage(edited)}, nil
	})
	hook := registry.Hook{
		Before: func(_ context.Context, e registry.BeforeEvent) (registry.Decision, error) {
			see(string(e.Arguments))
			return registry.RewriteArgs(json.RawMessage(strings.Replace(string(e.Arguments), `{`, `{"hook":true,`, 1))), nil
		},
		After: func(_ context.Context, e registry.AfterEvent) (registry.Revision, error) {
			see(string(e.Arguments))
			see(e.Content[0].Text)
			if e.Failure != nil {
				see(e.Failure.Message)
				assert.NoError(t, e.Failure.Cause)
			}
			return registry.Keep(), nil
		},
	}
	var got string
	tool := &fake{name: "t", risk: registry.Write, run: func(_ context.Context, args json.RawMessage) (*result, error) {
		got = string(args)
		if strings.Contains(got, "fail") {
			return nil, fmt.Errorf("cannot log in with %s", secret)
		}
		res := registry.Text("logged in with " + secret)
		res.Details = registry.FullOutput{Size: 100, Text: "all of it, with " + secret}
		res.Structured = json.RawMessage(`{"token":"hunter2","n":[1.50,"x hunter2"]}`)
		return res, nil
	}}
	d := doorTo(t, &registry.DoorOptions{Policy: policy(t, registry.PolicyOptions{}), Gate: gate, Hooks: []registry.Hook{hook}, Redactor: hider{secret}}, tool)
	o := ask(d, "t", `{"token":"hunter2","name":"a"}`)
	assert.JSONEq(t, `{"hook":true,"token":"hunter2","name":"b"}`, got, "the tool gets the secret, and both edits")
	assert.Equal(t, "logged in with [REDACTED]", o.Text)
	assert.Equal(t, `{"token":"[REDACTED]","n":[1.50,"x [REDACTED]"]}`, string(o.Structured))
	assert.Equal(t, registry.FullOutput{Size: 100, Text: "all of it, with [REDACTED]"}, o.Details)
	o = ask(d, "t", `{"token":"hunter2","name":"fail"}`)
	assert.Equal(t, "cannot log in with [REDACTED]", o.Text)
	assert.Equal(t, "cannot log in with [REDACTED]", o.Failure.Message)
	assert.ErrorContains(t, o.Failure.Cause, secret, "code can look behind it")
	for _, v := range views {
		assert.NotContains(t, v, secret)
	}
	assert.Len(t, views, 9)
}
