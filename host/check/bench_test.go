package check_test

import (
	"fmt"
	"testing"
)

// BenchmarkFiftyExtensions is a check of a large project, with the start of the
// worker processes.
func BenchmarkFiftyExtensions(b *testing.B) {
	files := map[string]string{}
	for i := range 50 {
		files[fmt.Sprintf("e%d.ts", i)] = greeter(fmt.Sprintf("greet_%d", i))
	}
	root := project(b, extensions(files))
	o := options(b, root)
	for b.Loop() {
		if r := run(b, o); len(r.Extensions) != 50 || r.Failed(true) {
			b.Fatal(r.Findings)
		}
	}
}
