package host_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

func TestJSToolConformsToTheContract(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"greet.ts": `export default { name: "Greet", tools: [
		{ name: "greet", title: "Greet", description: "Greets somebody.", risk: "read",
			parameters: { name: { type: "string", required: true }, times: { type: "integer", default: 1 } },
			examples: [{ args: { name: "Ada" } }, { args: { name: "Ada", times: 2 } }],
			execute: async (args: string) => { await new Promise(r => setTimeout(r, 5)); return "Hello " + JSON.parse(args).name } },
		{ name: "count", description: "Counts.", risk: "read",
			parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
			execute: (args: any) => ({ content: [{ type: "text", text: String(args.text.length) }], structured: { length: args.text.length } }) },
	] }`})
	require.Empty(t, p.host.Failures())
	for name, o := range map[string]registrytest.Options{
		"greet": {Args: json.RawMessage(`{"name":"Ada"}`), Invalid: []json.RawMessage{json.RawMessage(`{"name":"Ada","times":1.5}`)}},
		"count": {Args: json.RawMessage(`{"text":"abc"}`)},
	} {
		e, ok := p.reg.Snapshot().Lookup(name)
		require.True(t, ok)
		registrytest.Run(t, e.Tool, o)
	}
}

// TestRig has the case of Rig's contract that needs a tool in JavaScript; the
// others are in registry.
func TestRig(t *testing.T) {
	t.Run("B16_a_fraction_for_an_integer_never_reaches_the_sandbox", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"count.ts": `let runs = 0; export default { name: "c", tools: [
			{ name: "count", description: "d", risk: "read", parameters: { n: { type: "integer" } }, execute: () => String(++runs) }] }`})
		out := p.call("count", `{"n":1.5}`)
		require.Equal(t, registry.KindInvalidArgs, out.Failure.Kind)
		require.Equal(t, "1", p.call("count", `{"n":1}`).Text, "the first call did not run")
	})
	t.Run("D14_what_JavaScript_throws_stays_with_its_call", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"throws.ts": `export default { name: "t", tools: [
			{ name: "throws", description: "d", risk: "read", execute: () => { throw new Error("thrown") } },
			{ name: "rejects", description: "d", risk: "read", execute: () => Promise.reject(new Error("rejected")) },
			{ name: "works", description: "d", risk: "read", execute: () => "fine" }] }`})
		for tool, text := range map[string]string{"throws": "thrown", "rejects": "rejected"} {
			out := p.call(tool, "")
			require.Equal(t, registry.KindOther, out.Failure.Kind)
			require.Contains(t, out.Text, text)
			require.NotContains(t, out.Text, "throws.ts", "the place is the operator's")
			require.NotNil(t, out.Failure.Location)
		}
		require.Equal(t, "fine", p.call("works", "").Text)
	})
	t.Run("D15_a_busy_loop_is_interrupted", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"spin.ts": `export default { name: "s", tools: [{ name: "spin", description: "d", risk: "read", execute: () => { for (;;); } }] }`})
		require.Equal(t, registry.KindTimeout, p.within(50*time.Millisecond, "spin", "").Failure.Kind)
	})
}
