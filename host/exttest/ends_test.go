package exttest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/exttest"
)

func TestARunStopsAfterSoManyFailures(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": counter, "x.test.ts": `
import { test } from "rho-ext/test";
for (const n of [1, 2, 3, 4]) test("t" + n, () => { if (n > 1) throw new Error("no"); });`})
	p.opts.Bail = 2
	p.opts.Parallel = 1
	rep := p.run()
	require.Equal(t, "pass t1\nfail t2 | no\nfail t3 | no\nskip t4", outcome(rep))
	require.True(t, rep.Stopped)
	require.Equal(t, "too many tests had failed", rep.Files[0].Tests[3].Note)
}

func TestAStrayOnlyFailsWhereItMustNotBe(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": counter, "x.test.ts": `
import { test } from "rho-ext/test";
test.only("a", () => {});
test("b", () => { throw new Error("hidden"); });`})
	p.passes(1)
	p.opts.NoOnly = true
	rep := p.run()
	require.False(t, rep.OK())
	require.Contains(t, outcome(rep), "problem .rho/extensions/x.test.ts: a test or suite is marked with .only")
}

func TestWhatHasRunIsToldOfARunThatIsInterrupted(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": counter, "x.test.ts": `
import { test } from "rho-ext/test";
test("quick", () => { throw new Error("seen"); });
test("long", async () => { console.log("begun"); await new Promise((r) => setTimeout(r, 60_000)); }, 120_000);
test("never", () => {});`})
	r, err := exttest.New(p.opts)
	require.NoError(t, err)
	defer r.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	rep, err := r.Run(ctx, p.files(), exttest.Watcher{})
	require.NoError(t, err)
	require.True(t, rep.Stopped)
	require.Equal(t, "fail quick | seen\nskip long\nskip never", outcome(rep))
}

func TestAPromiseThatNobodyAwaitsFailsItsTest(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": counter, "x.test.ts": `
import { expect, test } from "rho-ext/test";
test("at once", () => { Promise.reject(new Error("boom")); });
test("later", async () => { (async () => { await null; throw new Error("bang"); })(); await new Promise((r) => setTimeout(r, 20)); });
test("caught", async () => { const p = Promise.reject(new Error("fine")); await expect(p).rejects.toThrow("fine"); });`})
	require.Equal(t, `fail at once | in a promise that nobody awaits: boom
fail later | in a promise that nobody awaits: bang
pass caught`, outcome(p.run()))
}

func TestOneBadInlineSnapshotCostsTheOthersNothing(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": counter, "x.test.ts": `import { expect, test } from "rho-ext/test";
test("a", () => { expect("a").toMatchInlineSnapshot(); });
for (const n of [1, 2]) test("b" + n, () => { expect(n).toMatchInlineSnapshot(); });
test("c", () => { expect("new").toMatchInlineSnapshot('"old"'); });
`})
	p.opts.Update = true
	require.Contains(t, outcome(p.run()), "line 3: one matcher has several snapshots")
	got := p.read("x.test.ts")
	require.Contains(t, got, "expect(\"a\").toMatchInlineSnapshot(`\"a\"`)")
	require.Contains(t, got, "expect(\"new\").toMatchInlineSnapshot(`\"new\"`)")
	require.Equal(t, 1, strings.Count(got, "toMatchInlineSnapshot()"))
}

func TestARecordingIsWrittenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": counter, "__fixtures__/a.http.json": "[]", "x.test.ts": `
import { mockFetch, test } from "rho-ext/test";
test("a", async () => { mockFetch({ cassette: "a" }); await fetch("http://127.0.0.1:9/").catch(() => {}); });`})
	p.opts.Record = true
	require.False(t, p.run().OK())
	require.Equal(t, "[]", p.read("__fixtures__/a.http.json"))
}
