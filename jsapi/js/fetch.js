(function (host, use) {
  "use strict";
  const { need } = use("webidl");
  const { Request, inner } = use("request");
  const { fromNetwork } = use("response");
  const { listOf } = use("headers");
  const { follow } = use("abort");
  const { parse, stringify } = JSON;

  async function fetch(input, init = undefined) {
    need(arguments, 1, "fetch");
    const { url, method, headers, redirect, signal, body } = inner(new Request(input, init));
    if (signal?.aborted) throw signal.reason;
    let payload;
    if (body.source !== null) {
      payload = await body.take();
      if (signal?.aborted) throw signal.reason;
    }
    const head = { url: url.split("#")[0], method, headers: listOf(headers), redirect };
    const { promise, cancel } = host.fetch(stringify(head), payload);
    let answer = promise;
    if (signal !== undefined) {
      answer = new Promise((resolve, reject) => {
        const undo = follow(signal, () => {
          cancel();
          reject(signal.reason);
        });
        (async () => {
          try {
            resolve(await promise);
          } catch (e) {
            reject(e);
          } finally {
            undo();
          }
        })();
      });
    }
    const [text, stream] = await answer;
    return fromNetwork(parse(text), stream, signal);
  }

  return { fetch };
})
