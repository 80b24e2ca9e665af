package sandbox_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

func frame(kind byte, text string) string { return string(kind) + text }

// testWait and testTick are for what happens beside a call.
const testWait, testTick = 5 * time.Second, time.Millisecond

const endFrame = "\x03" + `{"exitCode":0,"stdout":"","stderr":""}`

// program answers ctx.exec with frames. After them it blocks until the stream
// is closed, where it is told to hang.
type program struct {
	frames []string
	hang   bool
	blocks chan struct{} // closed when it hangs

	mu     sync.Mutex
	credit []int
	at     int
}

func (p *program) on(b *broker) {
	p.blocks = make(chan struct{})
	b.do = func(_ context.Context, r wire.Request) (wire.Response, error) {
		if r.Op != wire.OpExec {
			return wire.Response{Payload: []byte("text")}, nil
		}
		return wire.Response{Stream: 7}, nil
	}
	b.read = func(ctx context.Context, s wire.Stream, max int) ([]byte, error) {
		p.mu.Lock()
		p.credit = append(p.credit, max)
		at := p.at
		p.at++
		p.mu.Unlock()
		if at < len(p.frames) {
			return []byte(p.frames[at]), nil
		}
		if p.hang {
			close(p.blocks)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return nil, io.EOF
	}
}

func TestExecTellsItsOutputInOrderWhileItRuns(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, tools(`tool("run", async (_: any, ctx: any) => {
		const heard: string[] = [];
		const end = await ctx.exec("git", [], { onStdout: (t: string) => { heard.push("o" + t) }, onStderr: async (t: string) => { await ctx.fs.read("p"); heard.push("e" + t) } });
		return { heard, end };
	}), tool("one", async (_: any, ctx: any) => { const heard: string[] = []; const end = await ctx.exec("git", [], { onStderr: (t: string) => heard.push(t) }); return { heard, end } })`))
	p := &program{frames: []string{
		frame(1, "a"), frame(1, ""), frame(1, "\xe2\x82"), frame(2, "\xff"), frame(1, "\xacb"), frame(2, "x\xf0\x9f"), frame(1, "\ufeffc\xc3"),
		"\x03" + `{"exitCode":3,"signal":"","stdout":"","stderr":"","timedOut":true}`}}
	p.on(r.b)
	require.Equal(t, `{"heard":["oa","e`+"\ufffd"+`","o€b","ex","o`+"\ufeff"+`c","o`+"\ufffd"+`","e`+"\ufffd"+`"],`+
		`"end":{"stdout":"a€b`+"\ufeff"+`c`+"\ufffd"+`","stderr":"`+"\ufffd"+`x`+"\ufffd"+`","exitCode":3,"timedOut":true}}`, r.text("run", "{}"))
	require.Equal(t, []wire.Stream{7}, r.b.closedStreams())
	for _, credit := range p.credit {
		require.Equal(t, 64<<10, credit)
	}
	p.at = 0
	require.Equal(t, `{"heard":["`+"\ufffd"+`","x","`+"\ufffd"+`"],"end":{"stdout":"a€b`+"\ufeff"+`c`+"\ufffd"+`","stderr":"`+"\ufffd"+`x`+"\ufffd"+`","exitCode":3,"timedOut":true}}`, r.text("one", "{}"))
}

func TestExecKeepsTheHeadOfWhatCallbacksGet(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, tools(`tool("run", async (_: any, ctx: any) => {
		let heard = 0;
		const end = await ctx.exec("git", [], { onStdout: (t: string) => { heard += t.length } });
		return [heard, end.stdout.length, end.stdout.endsWith("aé"), end.stderr, end.truncated];
	})`))
	const limit = 256 << 10
	p := &program{frames: []string{frame(1, strings.Repeat("a", limit-4)), frame(1, "aéé"), frame(2, "small"), frame(1, "b"), endFrame}}
	p.on(r.b)
	require.Equal(t, `[262144,262142,true,"small",true]`, r.text("run", "{}"), "the second é is cut, and so left out")
}

func TestExecRejectsWhereTheOutputBreaksOff(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		frames []string
		want   string
	}{
		"no end":           {[]string{frame(1, "a")}, "ctx.exec: the output ended before the program did"},
		"unknown frame":    {[]string{frame(9, "a")}, "ctx.exec: a piece of unknown kind 9"},
		"an end of no use": {[]string{frame(3, "{")}, "ctx.exec: unexpected end of JSON input"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := mustLoad(t, tools(`tool("run", (_: any, ctx: any) => ctx.exec("git", [], { onStdout() {} }))`))
			(&program{frames: tt.frames}).on(r.b)
			res := r.call("run", "{}")
			require.NotNil(t, res.Thrown)
			require.Equal(t, tt.want, res.Thrown.Message)
			require.Equal(t, []wire.Stream{7}, r.b.closedStreams())
		})
	}
}

func TestACallbackThatThrowsRejectsExecAndGivesTheProgramUp(t *testing.T) {
	t.Parallel()
	for name, callback := range map[string]string{
		"throws":  `() => { told++; throw new RangeError("mine") }`,
		"rejects": `async () => { told++; await null; throw new RangeError("mine") }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := mustLoad(t, tools(`tool("run", async (_: any, ctx: any) => {
				let told = 0;
				try { await ctx.exec("git", [], { onStdout: `+callback+` }) } catch (e: any) { return e.name + ": " + e.message + " " + told }
			})`))
			p := &program{frames: []string{frame(1, "a"), frame(1, "b"), endFrame}}
			p.on(r.b)
			require.Equal(t, "RangeError: mine 1", r.text("run", "{}"))
			require.Equal(t, []wire.Stream{7}, r.b.closedStreams())
			require.Len(t, p.credit, 1, "no more was asked for")
		})
	}
}

func TestAbortEndsExecWithTheSignalsReason(t *testing.T) {
	t.Parallel()
	const tool = `tool("run", async (_: any, ctx: any) => {
		const c = new AbortController();
		(globalThis as any).abort = () => c.abort(new RangeError("mine"));
		const heard: string[] = [];
		try { await ctx.exec("git", [], { signal: c.signal, OPTIONS }); return "finished" } catch (e: any) { await null; return e.name + ": " + e.message + " " + heard }
	}), tool("abort", () => { (globalThis as any).abort(); return "" })`
	for name, tt := range map[string]struct {
		options string
		frames  []string
		want    string
	}{
		"while it hangs":                {`onStdout: (t: string) => heard.push(t)`, []string{frame(1, "a")}, "RangeError: mine a"},
		"in a callback":                 {`onStdout: (t: string) => { heard.push(t); c.abort(new RangeError("mine")) }`, []string{frame(1, "a"), frame(1, "b"), endFrame}, "RangeError: mine a"},
		"in a callback, at the end":     {`onStdout: (t: string) => { heard.push(t); c.abort(new RangeError("mine")) }, onStderr: (t: string) => heard.push(t)`, []string{frame(1, "a"), frame(2, "\xc3"), endFrame}, "RangeError: mine a"},
		"after its end it does nothing": {`onStdout: (t: string) => heard.push(t)`, []string{endFrame}, "finished"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := mustLoad(t, tools(strings.Replace(tool, "OPTIONS", tt.options, 1)))
			p := &program{frames: tt.frames, hang: true}
			p.on(r.b)
			got := make(chan string)
			go func() { got <- r.text("run", "{}") }()
			if name == "while it hangs" {
				<-p.blocks
				require.Equal(t, "", r.text("abort", "{}"))
			}
			require.Equal(t, tt.want, <-got)
			require.Equal(t, []wire.Stream{7}, r.b.closedStreams())
		})
	}
	t.Run("before it has begun", func(t *testing.T) {
		t.Parallel()
		r := mustLoad(t, tools(strings.Replace(tool, "OPTIONS", "input: ''", 1)))
		began := make(chan struct{})
		cancelled := make(chan struct{})
		r.b.do = func(ctx context.Context, _ wire.Request) (wire.Response, error) {
			close(began)
			<-ctx.Done()
			close(cancelled)
			return wire.Response{Stream: 9}, nil // too late
		}
		got := make(chan string)
		go func() { got <- r.text("run", "{}") }()
		<-began
		r.text("abort", "{}")
		require.Equal(t, "RangeError: mine ", <-got)
		<-cancelled
		require.Eventually(t, func() bool { return len(r.b.closedStreams()) == 1 }, testWait, testTick, "what came too late is closed")
	})
	t.Run("when it was aborted all along", func(t *testing.T) {
		t.Parallel()
		r := mustLoad(t, tools(`tool("run", async (_: any, ctx: any) => { try { await ctx.exec("git", [], { signal: AbortSignal.abort("why") }) } catch (e) { return e } })`))
		require.Equal(t, "why", r.text("run", "{}"))
		require.Empty(t, r.b.requests())
	})
}

func TestTheEndOfACallEndsItsPrograms(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, tools(`tool("run", async (_: any, ctx: any) => { ctx.exec("git", [], { onStdout() {} }); await ctx.fs.read("p"); return "left it" })`))
	p := &program{hang: true}
	p.on(r.b)
	require.Equal(t, "left it", r.text("run", "{}"))
	require.Eventually(t, func() bool { return len(r.b.closedStreams()) == 1 }, testWait, testTick)
}

func TestADeadlineEndsThePrograms(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, tools(`tool("late", (_: any, ctx: any) => ctx.exec("git", [], { onStdout() {}, signal: ctx.signal }))`))
	p := &program{hang: true}
	p.on(r.b)
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() { <-p.blocks; cancel(wire.ErrDeadline) }()
	res := r.sb.Call(ctx, wire.CallRequest{ID: "late", Tool: "late", Args: json.RawMessage("{}")})
	require.Equal(t, registry.KindTimeout, res.Thrown.Kind)
	require.True(t, res.Acted)
	require.Eventually(t, func() bool { return len(r.b.closedStreams()) == 1 }, testWait, testTick)
}
