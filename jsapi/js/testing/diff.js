(function () {
  "use strict";
  return { compare: () => "", pretty: (v) => String(v) };
})
