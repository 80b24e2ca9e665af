// Uses all of the types: tsc accepts it where they say what they should.
import { defineExtension, defineTool, s, ToolError, type ToolContext, type Context, type ExecOptions, type ExecResult, type SettingDef, type Permissions, type Files, type State, type Hooks, type HookContext, type Command, type CommandContext, type ToolCallEvent, type Message } from "rho-ext";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const is = <T extends true>(_?: T) => {};

const everything = defineTool({
  name: "everything",
  description: "d",
  risk: "write",
  parameters: { path: s.string(), n: s.integer().optional() },
  timeoutMs: 1000,
  async execute({ path, n }, ctx) {
    is<Same<typeof ctx, ToolContext>>();
    is<Same<typeof path, string>>();
    is<Same<typeof n, number | undefined>>();
    const text = await ctx.fs.read(path);
    const bytes = await ctx.fs.readBytes(path);
    await ctx.fs.write("a", text);
    await ctx.fs.write("a", bytes);
    await ctx.fs.write("a", bytes.buffer as ArrayBuffer);
    await ctx.fs.append("a", new Uint8Array(2));
    for (const e of await ctx.fs.list(".")) { const x: [string, boolean, boolean] = [e.name, e.isDirectory, e.isSymlink]; void x; }
    const st = await ctx.fs.stat("a");
    const when: number = st.mtime.getTime() + st.size;
    await ctx.fs.remove("a"); await ctx.fs.rename("a", "b"); await ctx.fs.mkdir("c");
    const found: string[] = await ctx.fs.glob("**/*.ts");
    const options: ExecOptions = { cwd: "x", input: "in", timeoutMs: 5, signal: ctx.signal, onStdout(t) { t.trim(); }, onStderr: async (t) => { t.trim(); } };
    const r: ExecResult = await ctx.exec("git", ["status"] as const, options);
    const out: string = r.stdout + r.stderr + r.exitCode + (r.signal ?? "") + (r.timedOut ?? false) + (r.truncated ?? false);
    const c = await ctx.callTool("read_file", { path });
    if (c.isError) throw new ToolError(c.text, { hint: "h" });
    const v: unknown = c.structured;
    const limit = ctx.config["limit"];
    is<Same<typeof limit, string | number | boolean | undefined>>();
    // @ts-expect-error the settings are frozen
    ctx.config["limit"] = 1;
    // @ts-expect-error there is no shell
    await ctx.exec("git status", [], { shell: true });
    // @ts-expect-error a program's arguments are strings
    await ctx.exec("git", [1]);
    // @ts-expect-error data is text or bytes
    await ctx.fs.write("a", { a: 1 });
    ctx.progress({ message: "m", done: 1, total: 2 });
    ctx.log.info("m", { a: 1 });
    const { read }: Files = ctx.fs;
    void [when, found, out, v, ctx.values["x"], ctx.callId, ctx.toolName, ctx.projectRoot, ctx.extensionDir, read];
    helper(ctx);
    return text;
  },
});
function helper(ctx: Context) { ctx.log.debug(ctx.projectRoot); }

const permissions: Permissions = { net: ["api.github.com"], read: ["."], write: ["./out"], run: ["git"], env: ["GITHUB_TOKEN"], tools: ["read_file"], hooks: ["tool_call"] };
const settings: Record<string, SettingDef> = { key: { type: "string", secret: true, env: "KEY" }, limit: { type: "number", default: 5, description: "d" }, on: { type: "boolean", default: true } };
// @ts-expect-error a secret has no default
const bad: SettingDef = { type: "string", secret: true, default: "x" };
// @ts-expect-error the default has the type
const bad2: SettingDef = { type: "number", default: "x" };
void [bad, bad2];

const fetched = (): string => {
  rho.writeFile("a", "b");
  const r = rho.runCommand("git", ["x"]);
  const f = rho.fetchUrl({ url: "http://h/", method: "POST", headers: { a: "b" }, body: "c", max_bytes: 5 });
  rho.log("info", rho.getModel() + rho.getCwd() + rho.getProjectRoot() + rho.readFile("a"));
  const home = process.env.HOME;
  is<Same<typeof home, string | undefined>>();
  process.env.X = "1";
  delete process.env.X;
  // @ts-expect-error it is no node
  process.cwd();
  return r.stdout + r.stderr + r.exitCode + f.status + f.body + (f.headers["a"] ?? "");
};
void fetched;

const hooks: Hooks = {
  async onLoad(ctx) { is<Same<typeof ctx, Context>>(); seen = (await ctx.state.get<number>("seen")) ?? 0; },
  async onToolCall(e, ctx) {
    is<Same<typeof e, ToolCallEvent>>();
    is<Same<typeof ctx, HookContext>>();
    if (e.toolName === "bash" && /rm -rf/.test(e.args.command)) return { block: "no" };
    if (e.risk === "write") return { args: { ...e.args, path: await ctx.fs.read("p") } };
    if (e.callId === "x") return { result: [{ type: "text", text: "cached" }] };
    if (e.callId === "y") return { stop: "enough" };
    // @ts-expect-error the event is not to be changed
    e.toolName = "x";
  },
  onToolResult: (e) => (e.status === "error" && e.failure?.kind === "timeout" ? { content: "late", isError: true, details: { ms: e.durationMs } } : undefined),
  onBeforeModel(e) { return { messages: [{ role: "system", content: "x" }, ...(e.messages as Message[])] }; },
};
let seen = 0;
// @ts-expect-error there is no such decision
const badHooks: Hooks = { onToolCall: () => ({ blok: "no" }) };
const keep = async (state: State) => { await state.set("k", { a: 1 }); const n: string[] = await state.keys(); const had: boolean = await state.delete("k"); const v: unknown = await state.get("k"); return [n, had, v, seen]; };
const commands: Command[] = [
  { name: "a", description: "d", run: async (args: string, ctx: CommandContext) => { ctx.progress("p"); await keep(ctx.state); return args + ctx.callId; }, complete: (prefix) => [prefix] },
  { name: "b", handler: (args) => args.trim() },
];
void badHooks;

export default defineExtension({ name: "x", permissions, settings, tools: [everything], hooks, commands });
