package jsapi

// The scripts of the module rho-ext/test. A test file pays for those that it
// uses.
var (
	_ = define("testing/base", map[string]native{"classOf": classOf, "proxyTarget": proxyTarget})
	_ = define("testing/runner", map[string]native{
		"state": testState, "setState": setTestState, "place": testPlace, "explain": explainThrown, "options": testOptions,
		"tell": tellRunner, "ask": askRunner, "now": elapsed,
		"setTimer": setTimer, "setDeadline": setDeadline, "clearTimer": clearTimer,
	})

	testModuleScript = define("testing/module", nil)
	testSuitesScript = define("testing/suites", nil)
	testRunScript    = define("testing/run", nil)
)

func init() {
	for _, name := range []string{
		"api", "context", "diff", "display", "each", "equal", "expect", "failure", "lifetime", "matchers", "tools",
	} {
		define("testing/"+name, nil)
	}
}
