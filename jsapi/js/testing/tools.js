// What a test asks of the extension under test.
(function (host, use) {
  "use strict";
  const { isObject, isArray, PromiseClass, defineProperty } = use("testing/base");
  const { toJSON } = use("json");
  const runner = use("testing/runner");
  const { parse } = JSON;
  const WrongType = TypeError, Wrong = Error;

  const name = (what, v) => {
    if (typeof v !== "string" || v === "") throw new WrongType(`${what}: expected a name, got ${v === null ? "null" : typeof v}`);
    return v;
  };
  // plain makes a value JSON and back, so that what cannot travel is told here.
  const plain = (v, what) => (v === undefined ? undefined : parse(toJSON(v, what)));

  function options(given) {
    if (given === undefined) return {};
    if (!isObject(given)) throw new WrongType("callTool: the options must be an object");
    for (const key of Object.keys(given)) {
      if (key !== "signal" && key !== "callId" && key !== "values" && key !== "timeoutMs") {
        throw new WrongType(`callTool: unknown option ${key}; known are signal, callId, values and timeoutMs`);
      }
    }
    if (given.signal !== undefined && !use("abort").isSignal(given.signal)) throw new WrongType("callTool: signal must be an AbortSignal");
    return given;
  }

  // callTool runs a tool as production does, and gives its outcome also where
  // the call fails. It rejects only when the signal is aborted.
  async function callTool(tool, args, given) {
    name("callTool", tool);
    const { signal, callId, values, timeoutMs } = options(given);
    if (args !== undefined && typeof args !== "string" && !isObject(args)) throw new WrongType("callTool: the arguments must be an object");
    const data = { name: tool, args: plain(args, "callTool: the arguments"), callId, values: plain(values, "callTool: values"), timeoutMs };
    const cancelled = () => {
      const { DOMException } = use("dom_exception");
      const e = new DOMException(`the call of ${tool} was cancelled`, "AbortError");
      defineProperty(e, "cause", { value: signal.reason, writable: true, configurable: true });
      return e;
    };
    if (signal?.aborted) throw cancelled();
    const s = runner.state();
    if (s !== undefined) s.calls++; // the clock moves after it has begun
    if (signal === undefined) return await runner.inTime("tool", data, "callTool");
    if (s?.clock !== undefined) await s.clock;
    if (signal.aborted) throw cancelled();
    const { answer, cancel } = runner.start("tool", data, "callTool");
    return await new PromiseClass((resolve, reject) => {
      const undo = use("abort").follow(signal, () => { cancel(); reject(cancelled()); });
      answer.then((v) => { undo(); resolve(v); }, (e) => { undo(); reject(e); });
    });
  }

  const hookNames = ["onLoad", "onToolCall", "onToolResult", "onBeforeModel"];
  // callHook gives what the hooks of the extension decide: undefined is nothing.
  async function callHook(hook, event) {
    if (!hookNames.includes(hook)) throw new WrongType(`callHook: expected ${hookNames.join(", ")}, got ${typeof hook === "string" ? `"${hook}"` : typeof hook}`);
    return (await runner.inTime("hook", { hook, event: plain(event, "callHook: the event") }, "callHook")) ?? undefined;
  }

  // callCommand runs a command and gives {text, isError}.
  async function callCommand(command, text = "") {
    if (typeof text !== "string") throw new WrongType("callCommand: the arguments must be a text");
    return await runner.inTime("command", { name: name("callCommand", command), text }, "callCommand");
  }
  async function completeCommand(command, prefix = "") {
    if (typeof prefix !== "string") throw new WrongType("completeCommand: the prefix must be a text");
    return await runner.inTime("complete", { name: name("completeCommand", command), text: prefix }, "completeCommand");
  }

  // settings changes settings of the extension under test; null takes one away.
  function settings(values) {
    if (!isObject(values) || isArray(values)) throw new WrongType("settings: expected an object of names and values");
    if (runner.state() === undefined) throw new Wrong("settings is only possible while a test or a hook runs: call it in the test, or in beforeEach");
    runner.tell("settings", plain(values, "settings"));
  }

  return { callTool, callHook, callCommand, completeCommand, settings };
})
