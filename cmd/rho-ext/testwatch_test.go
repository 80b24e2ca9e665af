package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const watchedTest = `import { callTool, expect, test } from "rho-ext/test";
test("greets", async () => { expect((await callTool("salute")).text).toBe("hello"); });
`

func greeting(text string) string {
	return `export default { name: "g", tools: [{ name: "salute", description: "d", risk: "read", execute: () => "` + text + `" }] };`
}

func TestWatchRunsTheTestsThatASaveTouches(t *testing.T) {
	root := project(t, map[string]string{"g.ts": greeting("hello"), "g.test.ts": watchedTest,
		"other/index.ts": greeting2, "other/index.test.ts": strings.Replace(watchedTest, "salute\"", "other\"", 1)})
	t.Setenv("RHO_HOME", trusting(t, root))
	t.Setenv("CI", "")
	out, errs := &page{}, &page{}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"test", "--watch", "--root", root}, streams{in: strings.NewReader(""), out: out, err: errs})
	}()
	out.expect(t, "Tests  2 passed\n")
	errs.expect(t, "waiting for changes; ctrl-C ends it\n")

	saveExtension(t, root, "g.ts", greeting("bye"))
	errs.expect(t, "changed .rho/extensions/g.ts\n")
	out.expect(t, "expected 'bye' to be 'hello'")
	out.expect(t, "Tests  1 failed\n")
	saveExtension(t, root, "g.ts", greeting("hello"))
	out.expect(t, "Tests  1 passed\n")
	require.Equal(t, 1, strings.Count(out.String(), "other/index.test.ts"), "it was not touched")
	stop()
	require.Equal(t, exitInterrupted, <-ended)
}

const greeting2 = `export default { name: "o", tools: [{ name: "other", description: "d", risk: "read", execute: () => "hello" }] };`

func TestDevRunsTheTestsThatASaveTouches(t *testing.T) {
	root := project(t, map[string]string{"g.ts": greeting("hello"), "g.test.ts": watchedTest})
	t.Setenv("CI", "")
	out, errs := develop(t, root, "--json")
	tests := func(want string) {
		t.Helper()
		out.expect(t, want)
		for line := range strings.Lines(out.String()) {
			validate(t, "dev", line)
			var e struct {
				Event string
				Tests json.RawMessage
			}
			require.NoError(t, json.Unmarshal([]byte(line), &e))
			if e.Event == "tests" {
				validate(t, "test", string(e.Tests))
			}
		}
	}
	out.expect(t, `"ready"`)
	saveExtension(t, root, "g.ts", greeting("bye"))
	tests(`"failed":1`)
	saveExtension(t, root, "g.ts", "export default {")
	out.expect(t, `"change":"failed"`)
	saveExtension(t, root, "g.ts", greeting("hello"))
	tests(`"passed":1`)
	saveExtension(t, root, "g.test.ts", watchedTest+`test("more", () => {});`)
	tests(`"passed":2`)
	require.NotContains(t, errs.String(), "FAIL", "with --json people's words are left out")
}
