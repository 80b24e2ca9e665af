package host_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/registry"
)

// asked is a person that answers by a function, and what they were asked.
type asked struct {
	mu     sync.Mutex
	list   []permission.Question
	answer func(ctx context.Context, q permission.Question) (permission.Answer, error)
}

func (a *asked) AskPermission(ctx context.Context, q permission.Question) (permission.Answer, error) {
	a.mu.Lock()
	a.list = append(a.list, q)
	a.mu.Unlock()
	return a.answer(ctx, q)
}

func (a *asked) texts() (out []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.list {
		out = append(out, q.Text)
	}
	return out
}

func answering(scope registry.Scope) func(context.Context, permission.Question) (permission.Answer, error) {
	return func(_ context.Context, q permission.Question) (permission.Answer, error) {
		return permission.Answer{ID: q.ID, Allow: true, Scope: scope}, nil
	}
}

func no(_ context.Context, q permission.Question) (permission.Answer, error) {
	return permission.Answer{ID: q.ID}, nil
}

// twice writes two files by one call, each two times.
const twice = doer + `const two = defineTool({ name: "two", description: "d", risk: "write", parameters: {}, async execute(_, ctx) {
  for (const p of ["out/a", "out/a", "out/b", "out/b"]) await ctx.fs.write(p, "x");
  return "done";
} });
export default defineExtension({ name: "x", permissions: { write: ["out"], read: [".", "/"], net: ["*"] }, tools: [tool, two] });`

func TestAnAnswerHoldsAsLongAsItSays(t *testing.T) {
	t.Parallel()
	for about, c := range map[string]struct {
		answer func(context.Context, permission.Question) (permission.Answer, error)
		status registry.Status
		asked  int // in two calls
		grant  string
		kept   int
	}{
		"once is this call, and is not asked again in it": {answering(registry.Once), registry.StatusSuccess, 4, "once", 0},
		"session":        {answering(registry.Session), registry.StatusSuccess, 2, "session", 0},
		"always":         {answering(registry.Always), registry.StatusSuccess, 2, "always", 2},
		"no, asked once": {no, registry.StatusDenied, 2, "", 0},
		"another question": {func(context.Context, permission.Question) (permission.Answer, error) {
			return permission.Answer{ID: "x", Allow: true}, nil
		}, registry.StatusDenied, 2, "", 0},
		"nobody answers": {func(context.Context, permission.Question) (permission.Answer, error) {
			return permission.Answer{}, errors.New("gone")
		}, registry.StatusDenied, 2, "", 0},
		"an error and a yes": {func(_ context.Context, q permission.Question) (permission.Answer, error) {
			return permission.Answer{ID: q.ID, Allow: true}, errors.New("gone")
		}, registry.StatusDenied, 2, "", 0},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			person := &asked{answer: c.answer}
			store := permission.NewFileStore(t.TempDir())
			p := newProject(t, map[string]string{"x.ts": twice}, func(o *host.Options) { o.AskPermission, o.Grants = person, store })
			require.Empty(t, p.host.Failures())
			for range 2 {
				out := p.call("two", "{}")
				assert.Equal(t, c.status, out.Status, out.Text)
			}
			assert.Len(t, person.texts(), c.asked)
			out := p.call("two", "{}")
			if c.grant != "" {
				by := c.grant
				if by == "always" {
					by = "granted"
				}
				assert.Contains(t, out.Uses, registry.Use{Kind: "file", Target: "out/a", Effect: "write", Grant: by})
			}
			kept, err := store.Grants(p.host.Access("x").Key())
			require.NoError(t, err)
			assert.Len(t, kept, c.kept)
		})
	}
}

func TestNobodyIsAskedForWhatTheManifestDoesNotAskFor(t *testing.T) {
	t.Parallel()
	person := &asked{answer: answering(registry.Always)}
	p := newProject(t, map[string]string{"x.ts": twice}, func(o *host.Options) { o.AskPermission = person })
	require.Equal(t, registry.StatusDenied, doIt(p, "write", "elsewhere").Status)
	require.Equal(t, registry.StatusDenied, doIt(p, "append", ".env").Status)
	require.Empty(t, person.texts())
}

func TestWhatLiesOutsideOrIsSecretIsAskedForByItsName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "o.txt", "outside")
	person := &asked{answer: answering(registry.Once)}
	p := newProject(t, map[string]string{"x.ts": twice}, func(o *host.Options) {
		o.AskPermission = person
		write(t, o.Root, ".env", "KEY=1")
	})
	require.Equal(t, "KEY=1", doIt(p, "read", ".env").Text)
	require.Equal(t, "outside", doIt(p, "read", dir+"/o.txt").Text)
	require.Equal(t, []string{"reading .env", "reading " + person.list[1].Grant.Target}, person.texts())
	require.Equal(t, "a.txt", func() string { write(t, p.root, "a.txt", "a.txt"); return doIt(p, "read", "a.txt").Text }())
	require.Len(t, person.texts(), 2)
}

func TestACallCannotAskForEver(t *testing.T) {
	t.Parallel()
	person := &asked{answer: no}
	p := newProject(t, map[string]string{"x.ts": `export default { name: "x", permissions: { write: ["."] }, tools: [{ name: "nag", description: "d", risk: "write", async execute(_: any, ctx: any) {
		for (let i = 0; i < 100; i++) { try { await ctx.fs.write("f" + i, "x") } catch {} } return "gave up" } }] }`}, func(o *host.Options) { o.AskPermission = person })
	require.Equal(t, "gave up", p.call("nag", "{}").Text)
	require.Len(t, person.texts(), 20)
}

func TestTheDeadlineStandsStillWhileAPersonIsAsked(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"write", "rho.writeFile"} { // one waits, the other holds the runtime
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			asking, answer := make(chan struct{}), make(chan struct{})
			person := &asked{answer: func(ctx context.Context, q permission.Question) (permission.Answer, error) {
				close(asking)
				<-answer
				return permission.Answer{ID: q.ID, Allow: true}, ctx.Err()
			}}
			p := newProject(t, map[string]string{"x.ts": twice}, func(o *host.Options) { o.AskPermission = person })
			args := fmt.Sprintf(`{"op":%q,"path":"out/a"}`, op)
			done := make(chan *registry.Outcome, 2)
			ask := func(args string) {
				done <- p.door.Call(context.Background(), registry.Request{Tool: "do", Arguments: []byte(args), Timeout: 250 * time.Millisecond})
			}
			go ask(args)
			<-asking
			go ask(`{"op":"list","path":"."}`) // it shares the runtime, and waits for it where that is held
			time.Sleep(500 * time.Millisecond) // more than the deadline; nothing else would show that it stands still
			close(answer)
			for range 2 {
				out := <-done
				require.Equal(t, registry.StatusSuccess, out.Status, out.Text)
			}
		})
	}
}

func TestACancelledCallTakesItsQuestionAway(t *testing.T) {
	t.Parallel()
	asking := make(chan struct{})
	var over atomic.Bool
	person := &asked{answer: func(ctx context.Context, q permission.Question) (permission.Answer, error) {
		close(asking)
		<-ctx.Done()
		over.Store(true)
		return permission.Answer{ID: q.ID, Allow: true, Scope: registry.Session}, nil // too late
	}}
	p := newProject(t, map[string]string{"x.ts": twice}, func(o *host.Options) { o.AskPermission = person })
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan *registry.Outcome)
	go func() {
		done <- p.door.Call(ctx, registry.Request{Tool: "do", Arguments: []byte(`{"op":"write","path":"out/a"}`)})
	}()
	<-asking
	cancel()
	require.Equal(t, registry.KindCancelled, (<-done).Failure.Kind)
	require.Eventually(t, over.Load, 5*time.Second, time.Millisecond)
	person.mu.Lock()
	person.answer = no
	person.mu.Unlock()
	require.Equal(t, registry.StatusDenied, doIt(p, "write", "out/a").Status, "the late yes granted nothing")
}

func TestOneQuestionIsOpenAtATime(t *testing.T) {
	t.Parallel()
	var open, most atomic.Int64
	person := &asked{answer: func(_ context.Context, q permission.Question) (permission.Answer, error) {
		if n := open.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer open.Add(-1)
		return permission.Answer{ID: q.ID, Allow: true, Scope: registry.Session}, nil
	}}
	p := newProject(t, map[string]string{"x.ts": `export default { name: "x", permissions: { write: ["out"] }, tools: [{ name: "many", description: "d", risk: "write", async execute(_: any, ctx: any) {
		await Promise.all(Array.from({ length: 10 }, () => ctx.fs.write("out/same", "x"))); return "done" } }] }`}, func(o *host.Options) { o.AskPermission = person })
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { assert.Equal(t, "done", p.call("many", "{}").Text) })
	}
	wg.Wait()
	require.EqualValues(t, 1, most.Load())
	require.Len(t, person.texts(), 1, "the others are settled by the first answer")
}
