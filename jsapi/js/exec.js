// ctx.exec: other programs, for one call.
(function (host, use) {
  "use strict";
  const { text, strings, data, options } = use("check");
  const { freeze } = Object;
  const { isFinite } = Number;
  const Wrong = TypeError, PromiseClass = Promise;
  const STDOUT = 1, STDERR = 2; // kinds of pieces, see host.piece
  const known = ["cwd", "input", "timeoutMs", "signal", "onStdout", "onStderr"];

  function settings(o) {
    const { cwd, input, timeoutMs, signal, onStdout, onStderr } = options("ctx.exec", o, known);
    if (cwd !== undefined) text("ctx.exec: cwd", cwd);
    if (timeoutMs !== undefined && !(isFinite(timeoutMs) && timeoutMs > 0)) {
      throw new Wrong("ctx.exec: timeoutMs must be a positive number of milliseconds");
    }
    if (signal !== undefined && !use("abort").isSignal(signal)) throw new Wrong("ctx.exec: signal must be an AbortSignal");
    if (onStdout !== undefined && typeof onStdout !== "function") throw new Wrong("ctx.exec: onStdout must be a function");
    if (onStderr !== undefined && typeof onStderr !== "function") throw new Wrong("ctx.exec: onStderr must be a function");
    return { cwd, input: input === undefined ? undefined : data("ctx.exec: input", input), timeoutMs, signal, onStdout, onStderr };
  }

  // What the natives tell of a program's end becomes the author's object.
  function result(end) {
    const out = { stdout: end[0], stderr: end[1], exitCode: end[2] };
    if (end[3] !== "") out.signal = end[3];
    if (end[4]) out.timedOut = true;
    if (end[5]) out.truncated = true;
    return out;
  }

  // Pulls the output piece by piece: the next one is asked for when the callback
  // is done with this one.
  async function follow(port, stream, o, run) {
    const collector = host.collector();
    const tell = async (callback, piece) => {
      if (callback !== undefined && piece !== "" && !run.over) await callback(piece);
    };
    try {
      while (!run.over) {
        const piece = host.piece(collector, await host.pull(port, stream));
        if (piece[0] === STDOUT) await tell(o.onStdout, piece[1]);
        else if (piece[0] === STDERR) await tell(o.onStderr, piece[1]);
        else {
          await tell(o.onStdout, piece[1]);
          await tell(o.onStderr, piece[2]);
          return result(piece[3]);
        }
      }
    } finally {
      host.close(port, stream);
    }
  }

  // over is set when the signal has fired: what comes then goes nowhere.
  function start(port, command, args, o) {
    const run = { over: false, stop: undefined };
    const asked = host.exec(port, command, args, o.cwd, o.timeoutMs, o.input, o.onStdout !== undefined || o.onStderr !== undefined);
    run.stop = asked[1];
    run.result = (async () => {
      const answer = await asked[0];
      if (typeof answer !== "number") return result(answer);
      run.stop = () => host.close(port, answer);
      return await follow(port, answer, o, run);
    })();
    return run;
  }

  function make(port) {
    const f = {
      async exec(command, args, opts) {
        text("ctx.exec: the command", command);
        const list = strings("ctx.exec: args", args);
        const o = settings(opts), { signal } = o;
        if (signal === undefined) return await start(port, command, list, o).result;
        if (signal.aborted) throw signal.reason;
        const run = start(port, command, list, o);
        let undo;
        const aborted = new PromiseClass((_, reject) => {
          undo = use("abort").follow(signal, () => {
            run.over = true;
            run.stop();
            reject(signal.reason);
          });
        });
        try {
          return await first(run.result, aborted);
        } finally {
          undo();
        }
      },
    };
    return freeze(f.exec);
  }

  // The outcome of whichever settles first.
  const first = (a, b) => new PromiseClass((resolve, reject) => {
    const wait = async (p) => { try { resolve(await p); } catch (e) { reject(e); } };
    wait(a);
    wait(b);
  });

  return { make };
})
