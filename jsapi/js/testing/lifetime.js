// What begins and ends with each test besides its hooks.
(function () {
  "use strict";
  const starters = []; // functions of the state, run when a test or its suite's hooks begin
  const enders = new WeakMap(); // state → functions
  const { get, set } = WeakMap.prototype;
  const { apply } = Reflect;

  // atEnd runs fn when the test of the state has ended.
  function atEnd(state, fn) {
    const list = apply(get, enders, [state]);
    if (list === undefined) apply(set, enders, [state, [fn]]);
    else list[list.length] = fn;
    state.ends = true;
  }
  function endOf(state) {
    if (state.ends !== true) return;
    const list = apply(get, enders, [state]);
    for (let i = list.length - 1; i >= 0; i--) {
      try { list[i](); } catch (e) { state.fail(e); }
    }
  }
  return { starters, atEnd, endOf };
})
