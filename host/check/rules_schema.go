package check

// takes is an example of a tool with parameters.
func takes(parameters string) map[string]string {
	return tool("  risk: \"read\",\n  parameters: " + parameters + ",\n  execute: (args) => JSON.stringify(args),")
}

const strictText = `{ type: "string", description: "what to look for" }`

var schemaRuleList = []Rule{
	{
		ID: "tool-description", Severity: Warning,
		Summary: "A tool's description says next to nothing. A model chooses tools by it.",
		Bad:     one("import { defineTool } from \"rho-ext\";\n\nexport default defineTool({ name: \"example\", description: \"Example\", risk: \"read\", execute: () => \"here\" });\n"),
		Good:    one(plain),
	},
	{
		ID: "parameter-description", Severity: Warning,
		Summary: "Parameters have no description. A model sees nothing else of what they mean.",
		Bad:     takes("{ path: s.string() }"),
		Good:    takes(`{ path: s.string().describe("of the file, from the project's root") }`),
	},
	{
		ID: "parameter-name", Severity: Warning,
		Summary: "A model provider may refuse the whole request because of a parameter's name.",
		Bad:     takes(`{ "search text": ` + strictText + ` }`),
		Good:    takes(`{ search_text: ` + strictText + ` }`),
	},
	{
		ID: "schema-alternatives", Severity: Warning,
		Summary: "The parameters as a whole are alternatives (`anyOf`, `oneOf`) or have a `not`. Providers refuse that, so models are shown all properties as optional ones.",
		Bad:     takes(`{ type: "object", additionalProperties: false, properties: { id: ` + strictText + `, name: ` + strictText + ` }, anyOf: [{ required: ["id"] }, { required: ["name"] }] }`),
		Good:    takes(`{ type: "object", additionalProperties: false, properties: { id: ` + strictText + `, name: ` + strictText + ` } }`),
	},
	{
		ID: "schema-recursive", Severity: Warning,
		Summary: "A part of the parameters contains itself. Models see it cut off there.",
		Bad:     takes(`{ type: "object", additionalProperties: false, properties: { tree: { $ref: "#/$defs/node", description: "of names" } }, $defs: { node: { type: "object", properties: { name: { type: "string" }, parts: { type: "array", items: { $ref: "#/$defs/node" } } } } } }`),
		Good:    takes(`{ type: "object", additionalProperties: false, properties: { tree: { type: "string", description: "of names, as JSON" } } }`),
	},
	{
		ID: "schema-keyword", Severity: Info,
		Summary: "A provider's models are not shown a part of the schema that says something. It holds all the same when the tool is called.",
		Bad:     takes(`{ type: "object", additionalProperties: false, properties: { word: { type: "string", description: "any but stop", not: { const: "stop" } } } }`),
		Good:    takes(`{ word: ` + strictText + ` }`),
	},
	{
		ID: "schema-depth", Severity: Warning,
		Summary: "The parameters are nested so deeply that models make mistakes.",
		Bad:     takes(`{ a: s.object({ b: s.object({ c: s.object({ d: s.object({ e: s.object({ f: s.string() }) }) }) }) }).describe("where it is") }`),
		Good:    takes(`{ a: s.object({ b: s.object({ c: s.string() }) }).describe("where it is") }`),
	},
	{
		ID: "schema-open", Severity: Info,
		Summary: "A full JSON Schema takes parameters that it does not name, so that a misspelt one is silently left aside.",
		Bad:     takes(`{ type: "object", properties: { text: ` + strictText + ` } }`),
		Good:    takes(`{ type: "object", additionalProperties: false, properties: { text: ` + strictText + ` } }`),
	},
	{
		ID: "schema-impossible", Severity: Warning,
		Summary: "A lower bound is above the upper one.",
		Bad:     takes(`{ count: { type: "integer", minimum: 10, maximum: 1, description: "how many" } }`),
		Good:    takes(`{ count: { type: "integer", minimum: 1, maximum: 10, description: "how many" } }`),
	},
	{
		ID: "required-unknown", Severity: Warning,
		Summary: "A name in `required` is not among the properties. It is an error where no other names are allowed, for then no call can be right.",
		Bad:     takes(`{ type: "object", additionalProperties: false, required: ["txet"], properties: { text: ` + strictText + ` } }`),
		Good:    takes(`{ type: "object", additionalProperties: false, required: ["text"], properties: { text: ` + strictText + ` } }`),
	},
	{
		ID: "enum-large", Severity: Warning,
		Summary: "A model has to read more than 100 allowed values each time that it is asked something.",
		Bad:     takes(`{ word: { type: "string", description: "one of the list", enum: Array.from({ length: 101 }, (_, i) => "word" + i) } as const }`),
		Good:    takes(`{ word: { type: "string", description: "one of the list", enum: ["one", "two"] } }`),
	},
	{
		ID: "example-invalid", Severity: Warning,
		Summary: "An example of a tool breaks its schema.",
		Bad:     tool("  risk: \"read\",\n  parameters: { count: s.integer().describe(\"how many\") },\n  examples: [{ args: { count: \"three\" as never } }],\n  execute: ({ count }) => String(count),"),
		Good:    tool("  risk: \"read\",\n  parameters: { count: s.integer().describe(\"how many\") },\n  examples: [{ args: { count: 3 } }],\n  execute: ({ count }) => String(count),"),
	},
}
