package exttest_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/exttest"
)

func TestEachTestGetsTheExtensionAsNew(t *testing.T) {
	t.Parallel()
	for _, mode := range []host.Isolation{host.InProcess, host.Process} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{"counter.ts": counter, "counter.test.ts": `
import { expect, test, callTool } from "rho-ext/test";
for (const n of [1, 2, 3]) {
  test("run " + n, async () => {
    expect((await callTool("count")).text).toBe("1 1 1");
    expect((await callTool("count")).text).toBe("2 2 2");
  });
}
test.concurrent("beside one", async () => { expect((await callTool("count")).text).toBe("1 1 1"); });
test.concurrent("beside two", async () => { expect((await callTool("count")).text).toBe("1 1 1"); });
`})
			p.opts.Isolation = mode
			p.passes(5)
		})
	}
}

func TestWhatRunsAndWhatDoesNot(t *testing.T) {
	t.Parallel()
	const file = `
import { describe, expect, test } from "rho-ext/test";
test("plain", () => {});
test.skip("skipped", () => { throw new Error("ran"); });
test.todo("to be written");
describe("suite", () => {
  test("inside", () => {});
  test("fails", () => { throw new Error("on purpose"); });
});
describe.skip("left out", () => { test("inside", () => { throw new Error("ran"); }); });
`
	tests := []struct {
		name string
		file string
		opts func(*exttest.Options)
		want string
	}{
		{"all", file, nil, `pass plain
skip skipped
todo to be written
pass suite > inside
fail suite > fails | on purpose
skip left out > inside`},
		{"by name", file, func(o *exttest.Options) { o.Name = regexp.MustCompile("suite inside$") }, `skip plain
skip skipped
todo to be written
pass suite > inside
skip suite > fails
skip left out > inside`},
		{"only", `
import { describe, test } from "rho-ext/test";
test("a", () => { throw new Error("ran"); });
test.only("b", () => {});
describe("s", () => { test.only("c", () => {}); test("d", () => { throw new Error("ran"); }); });
describe.only("o", () => { test("e", () => {}); test.skip("f", () => {}); });`, nil, `skip a
pass b
pass s > c
skip s > d
pass o > e
skip o > f`},
		{"bail", `
import { test } from "rho-ext/test";
test("a", () => { throw new Error("one"); });`, func(o *exttest.Options) { o.Bail = 1 }, "fail a | one"},
		{"hooks that fail", `
import { describe, test, beforeAll, beforeEach, afterEach } from "rho-ext/test";
describe("all", () => { beforeAll(() => { throw new Error("no"); }); test("a", () => {}); test("b", () => {}); });
describe("each", () => { beforeEach(() => { throw new Error("no"); }); test("c", () => {}); });
describe("after", () => { afterEach(() => { throw new Error("no"); }); test("d", () => {}); });`, nil,
			`fail all > a | in beforeAll: no
fail all > b | in beforeAll: no
fail each > c | in beforeEach: no
fail after > d | in afterEach: no`},
		{"a file that does not load", `import "./nothing";`, nil, `broken .rho/extensions/x.test.ts: cannot find "./nothing"`},
		{"a file without tests", `import { test } from "rho-ext/test";`, nil, `broken .rho/extensions/x.test.ts: the file holds no tests`},
		{"a file that throws", `throw new Error("at once");`, nil, `broken .rho/extensions/x.test.ts: at once`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{"x.ts": counter, "x.test.ts": tt.file})
			if tt.opts != nil {
				tt.opts(&p.opts)
			}
			require.Equal(t, tt.want, outcome(p.run()))
		})
	}
}

func TestABusyLoopFailsItsTestAndTheOthersGoOn(t *testing.T) {
	t.Parallel()
	for _, mode := range []host.Isolation{host.InProcess, host.Process} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{"x.ts": counter, "x.test.ts": `
import { beforeAll, describe, expect, test } from "rho-ext/test";
let ready = 0;
describe("with a hook", () => {
  beforeAll(() => { ready++; });
  test("before", () => { expect(ready).toBe(1); });
  test("busy", () => { for (;;) {} }, 200);
  test("after", () => { expect(ready).toBe(1); });
  test("waits", async () => { await new Promise((r) => setTimeout(r, 60_000)); }, 100);
  test("last", () => { expect(ready).toBe(1); });
});
`})
			p.opts.Isolation = mode
			rep := p.run()
			require.Equal(t, `pass with a hook > before
fail with a hook > busy | Test timed out in 200ms.
pass with a hook > after
fail with a hook > waits | Test timed out in 100ms.
pass with a hook > last`, outcome(rep))
			e := rep.Files[0].Tests[1].Errors[0]
			require.Equal(t, 7, e.Line, "the line is where it was stopped")
			require.Contains(t, e.Frame, "for (;;) {}")
		})
	}
}

func TestTheOrderFollowsTheSeed(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("import { test } from \"rho-ext/test\";\n")
	for _, n := range strings.Split("a b c d e f g h", " ") {
		b.WriteString("test(\"" + n + "\", () => { console.log(\"" + n + "\"); });\n")
	}
	b.WriteString("test(\"order\", () => {});\n")
	order := func(seed uint64) string {
		p := newProject(t, map[string]string{"x.ts": counter, "x.test.ts": strings.ReplaceAll(b.String(), "console.log(", "(globalThis as any).order = ((globalThis as any).order ?? \"\") + (") +
			"import { afterAll } from \"rho-ext/test\"; afterAll(() => { console.log((globalThis as any).order); });\n"})
		p.opts.Seed = seed
		rep := p.passes(9)
		require.Len(t, rep.Files[0].Logs, 1)
		return rep.Files[0].Logs[0].Message
	}
	require.Equal(t, "abcdefgh", order(0))
	once := order(7)
	require.NotEqual(t, "abcdefgh", once)
	require.Equal(t, once, order(7))
	require.NotEqual(t, once, order(8))
}

func TestARunThatIsInterruptedSaysSo(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": counter, "x.test.ts": `
import { test } from "rho-ext/test";
test("endless", async () => { await new Promise((r) => setTimeout(r, 60_000)); }, 120_000);`})
	r, err := exttest.New(p.opts)
	require.NoError(t, err)
	defer r.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	begin := time.Now()
	rep, _ := r.Run(ctx, p.files(), exttest.Watcher{})
	require.True(t, rep.Stopped)
	require.False(t, rep.OK())
	require.Less(t, time.Since(begin), 30*time.Second)
}

func TestFilesAreToldOfInTheirOrder(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{
		"a.test.ts": `import { test } from "vitest"; test("slow", async () => { await new Promise((r) => setTimeout(r, 200)); });`,
		"b.test.ts": `import { test } from "vitest"; test("fast", () => {});`,
		"c.test.ts": `import { test } from "vitest"; test("fast", () => {});`,
	})
	r, err := exttest.New(p.opts)
	require.NoError(t, err)
	defer r.Close()
	var got []string
	_, err = r.Run(context.Background(), p.files(), exttest.Watcher{Ended: func(f exttest.FileReport) { got = append(got, f.File) }})
	require.NoError(t, err)
	require.Equal(t, []string{".rho/extensions/a.test.ts", ".rho/extensions/b.test.ts", ".rho/extensions/c.test.ts"}, got)
}
