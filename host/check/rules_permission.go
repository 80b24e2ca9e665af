package check

const fetching = `
  tools: [
    {
      name: "example",
      description: "Asks a service for its state.",
      risk: "network",
      execute: async () => (await fetch("https://status.example.com/")).text(),
    },
  ],`

const harmlessTools = `
  tools: [{ name: "example", description: "Says that it is there.", risk: "read", execute: () => "here" }],`

var permissionRuleList = []Rule{
	{
		ID: "permission-missing", Severity: Warning,
		Summary: "The code uses what the manifest's permissions do not ask for. Nobody can grant it then, and it is always refused. Hosts, programs, variables and tools count where the code names them as plain text.",
		Bad:     manifest("  permissions: { net: [\"api.example.com\"] }," + fetching),
		Good:    manifest("  permissions: { net: [\"status.example.com\"] }," + fetching),
	},
	{
		ID: "permission-unused", Severity: Warning,
		Summary: "The manifest asks for something that the code never uses. Nothing is said where the code cannot be read.",
		Bad:     manifest("  permissions: { net: [\"status.example.com\"], run: [\"git\"] }," + fetching),
		Good:    manifest("  permissions: { net: [\"status.example.com\"] }," + fetching),
	},
	{
		ID: "permission-wide", Severity: Warning,
		Summary: "The manifest asks for every host, every program, a shell, every tool, or to write every file.",
		Bad:     manifest("  permissions: { net: [\"*\"] }," + fetching),
		Good:    manifest("  permissions: { net: [\"*.example.com\"] }," + fetching),
	},
	{
		ID: "permissions-none", Severity: Info,
		Summary: "The manifest has no permissions, and the code uses the network, writes files or runs programs. What is seen in the code is the most it may be granted; saying it is better.",
		Bad:     manifest(fetching[1:]),
		Good:    manifest("  permissions: { net: [\"status.example.com\"] }," + fetching),
	},
	{
		ID: "unknown-tool", Severity: Warning,
		Summary: "A tool that the extension asks for or calls does not exist, neither built in nor in any extension.",
		Bad: manifest(`  permissions: { tools: ["raed_file"] },
  tools: [
    {
      name: "example",
      description: "Reads the project's README.",
      risk: "read",
      execute: async (_args, ctx) => (await ctx.callTool("raed_file", { path: "README.md" })).text,
    },
  ],`),
		Good: manifest(`  permissions: { tools: ["read_file"] },
  tools: [
    {
      name: "example",
      description: "Reads the project's README.",
      risk: "read",
      execute: async (_args, ctx) => (await ctx.callTool("read_file", { path: "README.md" })).text,
    },
  ],`),
	},
	{
		ID: "hook-not-asked", Severity: Warning,
		Summary: "There is a hook whose event the manifest does not ask for, so that it never runs.",
		Bad:     manifest("  permissions: { read: [] },\n  hooks: {\n    onToolCall({ toolName }) {\n      if (toolName === \"write_file\") return { block: \"not today\" };\n    },\n  },"),
		Good:    manifest("  permissions: { read: [], hooks: [\"tool_call\"] },\n  hooks: {\n    onToolCall({ toolName }) {\n      if (toolName === \"write_file\") return { block: \"not today\" };\n    },\n  },"),
	},
	{
		ID: "setting-secret", Severity: Warning,
		Summary: "A setting is called like a secret and is none, so that it is kept in clear text and shown in logs.",
		Bad: manifest(`  settings: { apiKey: { type: "string", description: "of your account" } },
  tools: [
    { name: "example", description: "Says whether there is a key.", risk: "read", execute: (_args, { config }) => (config.apiKey ? "there is" : "there is none") },
  ],`),
		Good: manifest(`  settings: { apiKey: { type: "string", secret: true, description: "of your account" } },
  tools: [
    { name: "example", description: "Says whether there is a key.", risk: "read", execute: (_args, { config }) => (config.apiKey ? "there is" : "there is none") },
  ],`),
	},
	{
		ID: "setting-unused", Severity: Warning,
		Summary: "A setting is declared and the code never uses it.",
		Bad:     manifest("  settings: { days: { type: \"number\", description: \"how many to show\" } }," + harmlessTools),
		Good: manifest(`  settings: { days: { type: "number", description: "how many to show" } },
  tools: [{ name: "example", description: "Says how many days are shown.", risk: "read", execute: (_args, { config }) => String(config.days) }],`),
	},
	{
		ID: "secret-in-code", Severity: Warning,
		Summary: "A text in the code has the form of a token or key of a well-known service.",
		Bad:     tool("  risk: \"read\",\n  execute: () => \"ghp_" + "0123456789abcdefghijABCDEFGHIJ012345" + "\","),
		Good:    tool("  risk: \"read\",\n  execute: (_args, { config }) => (config.token ? \"there is a token\" : \"there is none\"),"),
	},
}
