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

	_ = define("testing/mock_fetch", bytesNatives)
	_ = define("testing/project", bytesNatives)

	testModuleScript = define("testing/module", nil)
	testSuitesScript = define("testing/suites", nil)
	testRunScript    = define("testing/run", nil)
)

// bytesNatives are what scripts need that send and get bytes.
var bytesNatives = map[string]native{"encode": encodeBase64, "decode": decodeBase64, "text": decodeText}

func init() {
	for _, name := range []string{
		"api", "assert", "asymmetric", "context", "diff", "display", "each", "equal", "expect", "extend",
		"failure", "fake_timers", "fixtures", "format", "hinted", "lifetime", "matchers", "mock", "mock_matchers", "poll",
		"snapshot", "stub", "subset", "throws", "tools", "vi", "wait",
	} {
		define("testing/"+name, nil)
	}
}
