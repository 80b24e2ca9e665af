(function (host, use) {
  "use strict";
  const { expose } = use("webidl");
  const timeOrigin = Date.now() - host.now();

  const performance = new (expose(class Performance {
    now() { return host.now(); }
    get timeOrigin() { return timeOrigin; }
    toJSON() { return { timeOrigin }; }
  }, "Performance"))();
  return { performance };
})
