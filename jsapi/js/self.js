(function () {
  "use strict";
  return { self: globalThis };
})
