import { defineExtension, defineTool, s, ToolError } from "rho-ext";

const log = defineTool({
  name: "git_log",
  description: "List the latest commits of the project, newest first.",
  risk: "destructive", // it runs a program: whoever uses it is asked, and git needs a grant
  parameters: {
    count: s.integer({ minimum: 1, maximum: 100 }).describe("how many to list").default(10),
    path: s.string().describe("only commits that touched this file or directory").optional(),
  },
  async execute({ count, path }, { exec, progress, signal }) {
    progress("asking git");
    // Arguments go to the program as they are; no shell takes them apart.
    const args = ["log", `--max-count=${count}`, "--format=%h %as %s", ...(path === undefined ? [] : ["--", path])];
    const { stdout, stderr, exitCode } = await exec("git", args, { timeoutMs: 10_000, signal });
    if (exitCode !== 0) throw new ToolError(`git log failed: ${stderr.trim()}`, { hint: "is the project a git repository?" });
    const commits = stdout.trimEnd().split("\n").filter(Boolean).map((line) => {
      const [, hash, date, subject] = /^(\S+) (\S+) (.*)$/.exec(line)!;
      return { hash, date, subject };
    });
    return { commits };
  },
});

export default defineExtension({
  name: "Git log",
  version: "1.0.0",
  permissions: { run: ["git log"] }, // git, and no other of its commands
  tools: [log],
});
