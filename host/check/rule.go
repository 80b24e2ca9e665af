package check

import (
	"slices"
	"strings"
)

// Rule is one thing that is checked.
type Rule struct {
	ID       string // as in findings and in comments that silence it
	Severity Severity
	Summary  string // what it finds, and why that matters
	// Bad breaks the rule, Good is how it ought to be: extensions of a project,
	// by their names below .rho/extensions. Rules about what surrounds an
	// extension have none.
	Bad, Good map[string]string
}

// Rules are all rules, in the order of the documentation.
func Rules() []Rule {
	return slices.Concat(loadRuleList, codeRuleList, permissionRuleList, schemaRuleList, otherRuleList)
}

var byID = func() map[string]Rule {
	m := map[string]Rule{}
	for _, r := range Rules() {
		m[r.ID] = r
	}
	return m
}()

func ruleOf(id string) *Rule {
	if r, ok := byID[id]; ok {
		return &r
	}
	return nil
}

func ruleIDs() []string { return sorted(byID) }

func severityOf(id string) Severity { return byID[id].Severity }

// one is an example of one file.
func one(text string) map[string]string { return map[string]string{"example.ts": text} }

// tool is an example of one tool that has a few more lines.
func tool(more string) map[string]string {
	names := "defineTool"
	if strings.Contains(more, " s.") {
		names = "defineTool, s"
	}
	return one(`import { ` + names + ` } from "rho-ext";

export default defineTool({
  name: "example",
  description: "Shows what a rule is about.",
` + more + `
});
`)
}

// manifest is an example of a manifest that has a few more lines.
func manifest(more string) map[string]string {
	return one(`import { defineExtension } from "rho-ext";

export default defineExtension({
  name: "Example",
` + more + `
});
`)
}
