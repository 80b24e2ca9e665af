// What begins and ends with each test besides its hooks.
(function () {
  "use strict";
  const starters = []; // functions of the state, run when a test or its suite's hooks begin

  // atEnd runs fn when the test of the state has ended.
  function atEnd(state, fn) {
    state.ends ??= [];
    state.ends[state.ends.length] = fn;
  }
  // endOf runs them: those of a suite for the state of its hooks.
  function endOf(of, state = of) {
    const list = of.ends;
    if (list === undefined) return;
    of.ends = undefined;
    for (let i = list.length - 1; i >= 0; i--) {
      try { list[i](); } catch (e) { state.fail(e); }
    }
  }
  return { starters, atEnd, endOf };
})
