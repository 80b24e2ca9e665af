package jsapi

import (
	"fmt"
	"runtime"
	"testing"
)

func TestZZ(t *testing.T) {
	order := []string{"testing/base", "json", "webidl", "testing/runner", "testing/failure", "testing/suites", "testing/lifetime", "testing/context", "testing/run", "testing/api", "testing/display", "testing/equal", "testing/matchers", "testing/expect", "testing/vi", "testing/mock", "testing/tools", "testing/mock_fetch"}
	for pass := 0; pass < 2; pass++ {
		r := newTestRig(t)
		var a, b runtime.MemStats
		for _, n := range order {
			runtime.ReadMemStats(&a)
			r.g.run(scriptNamed[n])
			runtime.ReadMemStats(&b)
			if pass == 1 {
				fmt.Println(n, b.TotalAlloc-a.TotalAlloc, b.Mallocs-a.Mallocs)
			}
		}
	}
}
