package check

var otherRuleList = []Rule{
	{
		ID: "command-description", Severity: Warning,
		Summary: "A command has no description.",
		Bad:     manifest("  commands: [{ name: \"greet\", run: () => \"hello\" }],"),
		Good:    manifest("  commands: [{ name: \"greet\", description: \"Says hello.\", run: () => \"hello\" }],"),
	},
	{
		ID: "command-name", Severity: Info,
		Summary: "A command's name has capitals.",
		Bad:     manifest("  commands: [{ name: \"Greet\", description: \"Says hello.\", run: () => \"hello\" }],"),
		Good:    manifest("  commands: [{ name: \"greet\", description: \"Says hello.\", run: () => \"hello\" }],"),
	},
	{
		ID: "bundle-size", Severity: Warning,
		Summary: "The bundle has more than 256 KB; the largest files in it are named.",
		Bad: map[string]string{
			"example.ts":  "import words from \"./_words.json\";\nexport default { name: \"Example\", tools: [{ name: \"example\", description: \"Counts the words it knows.\", risk: \"read\", execute: () => String(words.length) }] };\n",
			"_words.json": bigJSON,
		},
		Good: one(plain),
	},
	{
		ID: "no-test", Severity: Info,
		Summary: "There is no NAME.test.ts beside the extension, nor any test in its folder.",
		Bad:     one(plain),
		Good:    map[string]string{"example.ts": plain, "example.test.ts": "import { expect, test } from \"rho-ext/test\";\n\ntest(\"two\", () => expect(1 + 1).toBe(2));\n"},
	},
	{
		ID: "types", Severity: Error,
		Summary: "The project's own TypeScript compiler finds fault with the types. It is run where `node_modules/.bin/tsc` and a tsconfig.json are found from the extension's folder upward to the project's root, and only in a project that you trust, for it is a program of the project.",
	},
	{
		ID: "bad-ignore", Severity: Warning,
		Summary: "A comment that silences a rule names none, or does not say why.",
		Bad:     one("// rho-ext-ignore no-tset: too small\n" + plain),
		Good:    one("// rho-ext-ignore no-test: too small\n" + plain),
	},
	{
		ID: "unused-ignore", Severity: Info,
		Summary: "A comment silences a rule that nothing breaks there.",
		Bad:     one("// rho-ext-ignore regexp: there was one\n" + plain),
		Good:    one("// rho-ext-ignore no-test: too small\n" + plain),
	},
}

// bigJSON is a list of words of 300 KB.
var bigJSON = func() string {
	b := []byte("[")
	for i := range 30_000 {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, "\"word-"...)
		b = append(b, itoa(100_000 + i)[1:]...)
		b = append(b, '"')
	}
	return string(append(b, ']')) + "\n"
}()
