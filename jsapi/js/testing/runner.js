// How the scripts of the test library reach the runner.
(function (host, use) {
  "use strict";
  const { parse, stringify } = use("testing/base");
  const Wrong = Error;

  // owner is the state of the test whose code runs.
  function owner(what) {
    const s = host.state();
    if (s === undefined) throw new Wrong(`${what} is only possible while a test or a hook runs`);
    return s;
  }
  const decode = (text) => (text === undefined ? undefined : parse(text));

  // ask gives a promise of the runner's answer.
  const ask = async (what, data, as) => decode(await host.ask(what, stringify(data), as)[0]);
  // inTime is the same once the extension under test has followed the clock.
  const inTime = async (what, data, as) => {
    const clock = host.state()?.clock;
    if (clock !== undefined) await clock;
    return await ask(what, data, as);
  };
  // start gives it with a function that gives the request up.
  const start = (what, data, as) => {
    const pair = host.ask(what, stringify(data), as);
    return { answer: (async () => decode(await pair[0]))(), cancel: pair[1] };
  };
  const tell = (what, data) => decode(host.tell(what, stringify(data)));

  return { ...host, options: parse(host.options()), owner, ask, inTime, start, tell };
})
