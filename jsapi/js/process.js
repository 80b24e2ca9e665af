// What libraries expect of process everywhere. The rest is absent, and so is
// the tag that tells Node's own by Object.prototype.toString.
(function (host) {
  "use strict";
  return { process: { env: host.env() } };
})
