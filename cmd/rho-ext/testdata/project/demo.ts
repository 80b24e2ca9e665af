import { boom } from "./lib/boom";

export default {
  name: "Demo",
  version: "1.2.3",
  description: "Shows what a tool can do",
  tools: [
    {
      name: "greet",
      description: "Greets somebody",
      risk: "read",
      parameters: { name: { type: "string", required: true }, times: { type: "integer", default: 1 } },
      execute(args: any) {
        console.log("greeting");
        return Array(args.times).fill("Hello, " + args.name).join("\n");
      },
    },
    {
      name: "fails",
      description: "Throws in a helper, after await",
      risk: "read",
      async execute() {
        await null;
        return boom("no such thing");
      },
    },
    {
      name: "refuses",
      description: "Says that it failed",
      risk: "read",
      execute: () => ({ content: [{ type: "text", text: "not today" }], isError: true }),
    },
    {
      name: "spins",
      description: "Never ends",
      risk: "read",
      execute() {
        for (;;);
      },
    },
    {
      name: "waits",
      description: "Waits for ever, politely",
      risk: "read",
      execute: (_args: any, ctx: any) => new Promise((resolve) => {
        console.log("waiting");
        setInterval(() => {}, 1000);
        ctx.signal.addEventListener("abort", () => console.log("told to stop"));
      }),
    },
    {
      name: "types",
      description: "Tells what it got",
      risk: "read",
      parameters: { s: { type: "string" }, n: { type: "number" }, b: { type: "boolean" }, l: { type: "array" } },
      execute: (args: any) => ({ got: { ...args } }),
    },
    {
      name: "long",
      description: "Says more than a model should read",
      risk: "read",
      execute: () => Array.from({ length: 9000 }, (_, i) => "line " + i).join("\n"),
    },
  ],
};
