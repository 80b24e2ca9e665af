package host_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/registry"
)

const commands = `import { defineExtension } from "rho-ext";
export default defineExtension({ name: "C", permissions: { write: ["out"], tools: ["echo"] }, commands: [
	{ name: "greet", description: "Greets.", run: (args, ctx) => "hello " + args + " " + typeof ctx.state.get, complete: (prefix) => ["Ada", "Grace"].filter((n) => n.startsWith(prefix)) },
	{ name: "save", run: async (args, ctx) => { await ctx.fs.write("out/x", args); return { output: "saved" }; } },
	{ name: "echo", run: async (args, ctx) => (await ctx.callTool("echo", { text: args })).text },
	{ name: "fail", run: () => { throw new Error("broken"); } },
	{ name: "slow", run: () => new Promise((r) => setTimeout(r, 60_000)), complete: () => { for (;;); } },
	{ name: "reach", run: () => "", complete: async (prefix) => { try { rho.writeFile("out/y", "x"); return ["wrote"]; } catch (e: any) { return [e.name]; } } },
] });`

func TestCommandsRunThroughTheDoor(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"z_echo.ts": echo, "c.ts": commands,
		"old.ts":   `export default { name: "Old", commands: [{ name: "old thing".replace(" ", "-"), handler: (args) => args.toUpperCase() }, { name: "greet", handler: () => "old greet" }] };`,
		"guard.ts": guard(`onToolCall: (e) => e.toolName === "command-fail" ? { block: "not that one: " + e.args.input } : undefined`),
	}, ownHome(t), allowHooks, allowing(t, "write out", "tool echo"))
	require.Empty(t, p.host.Failures())
	policy, err := registry.NewPolicy(registry.PolicyOptions{})
	require.NoError(t, err)
	var asked []registry.Question
	p.door = registry.NewDoor(p.reg, &registry.DoorOptions{ProjectRoot: p.root, Policy: policy, Gate: registry.GateFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
		asked = append(asked, q)
		return registry.Answer{ID: q.ID, Allow: len(asked) > 1}, nil
	})})
	run := func(name, input string) *registry.Outcome {
		o, err := p.host.RunCommand(context.Background(), p.door, name, input)
		require.NoError(t, err)
		return o
	}
	require.Equal(t, "hello Ada function", run("c:greet", "Ada").Text)
	require.Equal(t, "old greet", run("old:greet", "Ada").Text)
	require.Equal(t, "X Y", run("old-thing", "x y").Text)
	require.Equal(t, `got {"text":"a"}`, run("echo", "a").Text)
	o := run("fail", "now")
	require.Equal(t, registry.StatusSkipped, o.Status)
	require.Equal(t, "not that one: now", o.Text, "hooks hear of commands")
	require.Empty(t, asked)
	o = run("save", "text")
	require.Equal(t, registry.StatusSkipped, o.Status, "the policy asks about what writes")
	require.Equal(t, "command-save", asked[0].Tool)
	require.Equal(t, registry.Write, asked[0].Risk)
	require.Equal(t, "saved", run("save", "text").Text)

	_, err = p.host.RunCommand(context.Background(), p.door, "greet", "")
	require.EqualError(t, err, "the extensions c, old all have a command greet: say which, as in c:greet")
	_, err = p.host.RunCommand(context.Background(), p.door, "sav", "")
	require.ErrorContains(t, err, `there is no command "sav"`)
	require.ErrorContains(t, err, "save")

	req, err := p.host.CommandRequest("slow", "")
	require.NoError(t, err)
	req.Timeout = 30 * time.Millisecond
	require.Equal(t, registry.KindTimeout, p.door.Call(context.Background(), req).Failure.Kind)

	_, isTool := p.reg.Snapshot().Lookup("command-greet")
	require.False(t, isTool, "models do not see them")
}

func TestCommandsAreListedWithWhatTheyMayDo(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"z_echo.ts": echo, "c.ts": commands}, ownHome(t))
	list := p.host.Commands()
	require.Len(t, list, 6)
	require.Equal(t, host.CommandInfo{Name: "greet", Extension: "c", Description: "Greets.", Risk: registry.Read, Effects: list[0].Effects, Completes: true}, list[0])
	require.Equal(t, registry.Write, list[1].Risk)
}

func TestACommandCompletesItsTextAndTouchesNothing(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"z_echo.ts": echo, "c.ts": commands}, ownHome(t), allowing(t, "write out"))
	complete := func(name, prefix string) ([]string, error) {
		return p.host.CompleteCommand(context.Background(), name, prefix)
	}
	list, err := complete("greet", "A")
	require.NoError(t, err)
	require.Equal(t, []string{"Ada"}, list)
	list, err = complete("save", "")
	require.NoError(t, err)
	require.Empty(t, list)
	list, err = complete("reach", "")
	require.NoError(t, err)
	require.Equal(t, []string{"PermissionDenied"}, list)
	_, err = complete("slow", "")
	require.Error(t, err, "one that hangs ends")
	_, err = complete("nothing", "")
	require.Error(t, err)
	list, err = complete("greet", "G")
	require.NoError(t, err)
	require.Equal(t, []string{"Grace"}, list, "and harms nobody")
}

func TestWhatIsNoCommandIsAFailure(t *testing.T) {
	t.Parallel()
	table := map[string]string{
		`commands: {}`:                                                 "commands must be an array",
		`commands: [{ run() {} }]`:                                     "commands[0].name",
		`commands: [{ name: "a b", run() {} }]`:                        "no space",
		`commands: [{ name: "a" }]`:                                    "command a has no handler function",
		`commands: [{ name: "a", run() {} }, { name: "a", run() {} }]`: "a second command",
		`commands: [{ name: "a", run() {}, complete: 1 }]`:             "complete must be a function",
		`hooks: { onToolcall() {} }`:                                   "onToolcall",
		`hooks: { onToolCall: true }`:                                  "onToolCall must be a function",
		`hooks: []`:                                                    "hooks must be an object",
	}
	files, wants := map[string]string{}, map[string]string{}
	for source, want := range table {
		id := fmt.Sprintf("c%d", len(files))
		files[id+".ts"] = `import { defineExtension } from "rho-ext"; export default defineExtension({ name: "C", tools: [], ` + source + ` } as any);`
		wants[id] = want
	}
	p := newProject(t, files)
	require.Len(t, p.host.Failures(), len(table))
	for _, f := range p.host.Failures() {
		require.Contains(t, f.Message, wants[f.Extension], files[f.Extension+".ts"])
	}
}

func TestAPersonIsAskedForACommandAndNeverForAHook(t *testing.T) {
	t.Parallel()
	var asked []permission.Question
	p := newProject(t, map[string]string{"z_echo.ts": echo, "c.ts": commands,
		"guard.ts": `export default { name: "G", permissions: { hooks: ["tool_call"], write: ["."], tools: ["writes"] }, hooks: {
			async onToolCall(_: any, ctx: any) { const said = []; try { await ctx.fs.write("x", "y"); said.push("wrote"); } catch (e) { said.push(e.name); }
				if (_.toolName === "echo") return { block: said.join() + (await ctx.callTool("writes")).text }; } } };`,
		"writes.ts": `export default { name: "W", permissions: { write: ["w"] }, tools: [{ name: "writes", description: "d", risk: "write", execute: async (_: any, ctx: any) => { await ctx.fs.write("w", "x"); return "wrote"; } }] };`,
	}, ownHome(t), allowHooks, allowing(t, "tool writes"), func(o *host.Options) {
		o.AskPermission = permission.AskerFunc(func(_ context.Context, q permission.Question) (permission.Answer, error) {
			asked = append(asked, q)
			return permission.Answer{ID: q.ID, Allow: true}, nil
		})
	})
	require.Empty(t, p.host.Failures())
	o, err := p.host.RunCommand(context.Background(), p.door, "save", "text")
	require.NoError(t, err)
	require.Equal(t, "saved", o.Text)
	require.Len(t, asked, 1)
	require.Equal(t, "command-save", asked[0].Tool)
	require.Equal(t, "out/x", asked[0].Grant.Target)
	o = p.call("echo", `{"text":"a"}`)
	require.Contains(t, o.Text, "PermissionDenied")
	require.NotContains(t, o.Text, "wrote")
	require.Len(t, asked, 1)
}
