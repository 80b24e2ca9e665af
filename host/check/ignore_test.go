package check_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/check"
)

const noDescription = `import { defineTool, s } from "rho-ext";

export default defineTool({
  name: "example",
  description: "Shows what a rule is about.",
  risk: "read",
  COMMENT
  parameters: { path: s.string() },
  execute: ({ path }) => path,
});
`

func TestACommentOnTheLineAboveSilencesARule(t *testing.T) {
	t.Parallel()
	for comment, want := range map[string]struct {
		rules   string // those that are found, but for no-test
		ignored int
	}{
		"// rho-ext-ignore parameter-description: it is clear":   {"", 1},
		"//rho-ext-ignore parameter-description :  it is clear":  {"", 1},
		"// it has no description":                               {"parameter-description", 0},
		"// rho-ext-ignore parameter-description":                {"bad-ignore parameter-description", 0},
		"// rho-ext-ignore parameter-description:":               {"bad-ignore parameter-description", 0},
		"// rho-ext-ignore parameter-descriptoin: it is clear":   {"bad-ignore parameter-description", 0},
		"// rho-ext-ignore":                                      {"bad-ignore parameter-description", 0},
		"// rho-ext-ignore regexp: there is none":                {"parameter-description unused-ignore", 0},
		"// rho-ext-ignore parameter-description: far\n\n  //":   {"parameter-description unused-ignore", 0},
		"// rho-ext-ignore load-bundle: no":                      {"bad-ignore parameter-description", 0},
		"/* rho-ext-ignore parameter-description: no comment */": {"parameter-description", 0},
	} {
		t.Run(comment, func(t *testing.T) {
			t.Parallel()
			r := run(t, options(t, project(t, extensions(map[string]string{"example.ts": strings.Replace(noDescription, "COMMENT", comment, 1)}))))
			seen := map[string]bool{}
			for _, f := range r.Findings {
				seen[f.Rule] = true
			}
			delete(seen, "no-test")
			var rules []string
			for _, rule := range []string{"bad-ignore", "parameter-description", "unused-ignore"} {
				if seen[rule] {
					rules = append(rules, rule)
					delete(seen, rule)
				}
			}
			assert.Equal(t, want.rules, strings.Join(rules, " "))
			assert.Empty(t, seen)
			assert.Equal(t, want.ignored, r.Counts.Ignored)
		})
	}
}

func TestAFailureToLoadCannotBeSilenced(t *testing.T) {
	t.Parallel()
	r := run(t, options(t, project(t, extensions(map[string]string{
		"example.ts": "// rho-ext-ignore load-evaluate: later\nthrow new Error(\"no\");\nexport default {};\n",
	}))))
	require.Len(t, of(r, "load-evaluate"), 1)
	assert.Len(t, of(r, "bad-ignore"), 1)
	assert.Equal(t, 0, r.Counts.Ignored)
}

func TestWhatAnUntrustedFileSaysIsNeverMoreThanText(t *testing.T) {
	t.Parallel()
	r := run(t, options(t, project(t, extensions(map[string]string{
		"example.ts": "export default { name: \"x\", tools: [{ name: \"t\", description: \"\\u001b[2J\\n::error::x\", risk: \"read\", execute() {} }] };\n",
	}))))
	require.NotEmpty(t, r.Findings) // who prints it cleans it
	assert.NotEqual(t, check.Error, r.Findings[0].Severity)
}
