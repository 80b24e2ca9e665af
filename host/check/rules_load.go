package check

var loadRuleList = []Rule{
	{
		ID: "load-discover", Severity: Error,
		Summary: "Something is named like an extension and cannot be one: a link to nowhere, a folder whose package.json is wrong.",
		Bad:     map[string]string{"example/package.json": `{ "main": "../outside.ts" }` + "\n"},
		Good:    map[string]string{"example/package.json": `{ "main": "tool.ts" }` + "\n", "example/tool.ts": plain},
	},
	{
		ID: "load-resolve", Severity: Error,
		Summary: "An import finds nothing that the sandbox can offer, such as a file that is not there, a package that is not installed, or a module of Node.",
		Bad: one(`import { readFileSync } from "node:fs";
import { defineTool } from "rho-ext";

export default defineTool({
  name: "example",
  description: "Shows the first line of a file.",
  risk: "read",
  execute: () => readFileSync("README.md", "utf8").split("\n")[0],
});
`),
		Good: tool(`  risk: "read",
  async execute(_args, { fs }) {
    return (await fs.read("README.md")).split("\n")[0];
  },`),
	},
	{
		ID: "load-bundle", Severity: Error,
		Summary: "The code is no TypeScript, or uses syntax that the engine does not know.",
		Bad:     tool("  risk: \"read\",\n  execute: () => {\n    return [1, 2;\n  },"),
		Good:    tool("  risk: \"read\",\n  execute: () => {\n    return [1, 2];\n  },"),
	},
	{
		ID: "load-evaluate", Severity: Error,
		Summary: "The module throws while it loads, or does not end. Extensions are loaded with nothing granted here: variables of the environment are not set, as before anybody has granted them.",
		Bad: one(`import { defineTool } from "rho-ext";

if (!process.env.EXAMPLE_KEY) throw new Error("EXAMPLE_KEY is not set");

export default defineTool({
  name: "example",
  description: "Says whether there is a key.",
  risk: "read",
  execute: () => "there is",
});
`),
		Good: tool(`  risk: "read",
  execute: () => process.env.EXAMPLE_KEY ? "there is" : "EXAMPLE_KEY is not set",`),
	},
	{
		ID: "load-manifest", Severity: Error,
		Summary: "The default export is no manifest, a member of it is wrong, or `engines` wants another version of rho-ext.",
		Bad:     tool("  risk: \"harmless\",\n  execute: () => \"done\","),
		Good:    tool("  risk: \"read\",\n  execute: () => \"done\","),
	},
	{
		ID: "load-permission", Severity: Error,
		Summary: "A permission in the manifest cannot be read, or changes with the environment.",
		Bad: manifest(`  permissions: { net: ["https://api.example.com/v1/items"] },
  tools: [{ name: "example", description: "Asks a service for items.", risk: "network", execute: () => fetch("https://api.example.com/v1/items").then((r) => r.text()) }],`),
		Good: manifest(`  permissions: { net: ["api.example.com"] },
  tools: [{ name: "example", description: "Asks a service for items.", risk: "network", execute: () => fetch("https://api.example.com/v1/items").then((r) => r.text()) }],`),
	},
	{
		ID: "not-an-extension", Severity: Warning,
		Summary: "A file or folder in a folder with extensions looks like one and is none, by its name or by what is in it. Folders that extensions import from are left alone, as is what begins with `_` or a dot.",
		Bad:     map[string]string{"example.cjs": "module.exports = {};\n"},
		Good:    map[string]string{"_example.cjs": "module.exports = {};\n"},
	},
	{
		ID: "shadowed", Severity: Info,
		Summary: "Another extension of the same id comes later and takes its place. Within one folder this is a warning.",
		Bad:     map[string]string{"example.ts": plain, "example/mod.ts": plain},
		Good:    map[string]string{"example.ts": plain},
	},
	{
		ID: "tool-clash", Severity: Error,
		Summary: "Two tools have one name, or a tool has the name of a built-in one. All extensions of the user and the project count, also when only one is checked.",
		Bad:     map[string]string{"example.ts": plain, "other.ts": plain},
		Good:    map[string]string{"example.ts": plain},
	},
	{
		ID: "command-clash", Severity: Info,
		Summary: "Two extensions have a command of one name, which can only be run as EXTENSION:NAME then.",
		Bad: map[string]string{
			"example.ts": "export default { name: \"Example\", commands: [{ name: \"greet\", description: \"Says hello.\", run: () => \"hello\" }] };\n",
			"other.ts":   "export default { name: \"Other\", commands: [{ name: \"greet\", description: \"Says hello.\", run: () => \"hello\" }] };\n",
		},
		Good: map[string]string{
			"example.ts": "export default { name: \"Example\", commands: [{ name: \"greet\", description: \"Says hello.\", run: () => \"hello\" }] };\n",
		},
	},
}

// plain is a plain extension without anything to say against it.
const plain = `import { defineTool } from "rho-ext";

export default defineTool({
  name: "example",
  description: "Says that it is there.",
  risk: "read",
  execute: () => "here",
});
`
