package check

var codeRuleList = []Rule{
	{
		ID: "missing-global", Severity: Error,
		Summary: "The code uses a global that the sandbox does not have. It is tried out in the sandbox itself. A name that the code asks for first (`typeof Intl`, `globalThis.Intl`, or inside `try`) is left alone.",
		Bad:     tool("  risk: \"read\",\n  execute: () => new Intl.NumberFormat(\"en-US\").format(1234.5),"),
		Good:    tool("  risk: \"read\",\n  execute: () => (1234.5).toFixed(1),"),
	},
	{
		ID: "missing-member", Severity: Error,
		Summary: "The code calls a member of a global that is not there, such as `Promise.withResolvers` or `process.exit`.",
		Bad:     tool("  risk: \"read\",\n  execute: () => Object.groupBy([1, 2, 3], (n) => (n % 2 ? \"odd\" : \"even\")),"),
		Good:    tool("  risk: \"read\",\n  execute: () => Object.entries({ a: 1 }),"),
	},
	{
		ID: "regexp", Severity: Error,
		Summary: "A regular expression does not compile here, or can never match: the engine takes `\\p{…}` and finds nothing.",
		Bad:     tool("  risk: \"read\",\n  parameters: { text: s.string().describe(\"what to look at\") },\n  execute: ({ text }) => /^\\p{L}+$/u.test(text) ? \"a word\" : \"no word\","),
		Good:    tool("  risk: \"read\",\n  parameters: { text: s.string().describe(\"what to look at\") },\n  execute: ({ text }) => /^[A-Za-zÀ-ÖØ-öø-ÿ]+$/u.test(text) ? \"a word\" : \"no word\","),
	},
	{
		ID: "locale-arguments", Severity: Warning,
		Summary: "A method is given a locale or options that it does not heed: dates come out in one form, and `toLocaleString` of a number throws.",
		Bad:     tool("  risk: \"read\",\n  execute: () => new Date(0).toLocaleDateString(\"en-US\", { month: \"short\" }),"),
		Good:    tool("  risk: \"read\",\n  execute: () => new Date(0).toISOString().slice(0, 10),"),
	},
	{
		ID: "arguments-text", Severity: Error,
		Summary: "A tool's function does something with its arguments that only works on a text, and gets an object. Functions of old files that parse their argument get the text; one that does both cannot be served.",
		Bad:     tool("  risk: \"read\",\n  parameters: { name: s.string().describe(\"whom to greet\") },\n  execute: (args) => \"hello \" + JSON.parse(args as never).name,"),
		Good:    tool("  risk: \"read\",\n  parameters: { name: s.string().describe(\"whom to greet\") },\n  execute: ({ name }) => \"hello \" + name,"),
	},
	{
		ID: "computed-access", Severity: Warning,
		Summary: "A global, the environment or code itself is reached by a name that is made at run time, so that nobody can read what the extension does. What it may do is bounded all the same.",
		Bad:     tool("  risk: \"read\",\n  parameters: { name: s.string().describe(\"which global\") },\n  execute: ({ name }) => typeof (globalThis as Record<string, unknown>)[name],"),
		Good:    tool("  risk: \"read\",\n  execute: () => typeof globalThis.fetch,"),
	},
	{
		ID: "risk-understated", Severity: Warning,
		Summary: "A tool declares a lower risk than its code has. It counts as what the code reaches; the user wonders why it is asked. Where the code of several tools cannot be told apart this is an info.",
		Bad:     tool("  risk: \"read\",\n  execute: async (_args, { fs }) => {\n    await fs.write(\"out.txt\", \"done\");\n    return \"written\";\n  },"),
		Good:    tool("  risk: \"write\",\n  execute: async (_args, { fs }) => {\n    await fs.write(\"out.txt\", \"done\");\n    return \"written\";\n  },"),
	},
}
