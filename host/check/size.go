package check

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/host"
)

// budget is how large a bundle may be before somebody should know why.
const budget = 256 << 10

// sizeRules look at how much there is to load.
func sizeRules(u *unit) {
	if u.Size <= budget {
		return
	}
	list := slices.Clone(u.Inputs)
	slices.SortFunc(list, func(a, b host.Input) int { return cmp.Compare(b.Size, a.Size) })
	var parts []string
	for _, i := range list[:min(3, len(list))] {
		parts = append(parts, fmt.Sprintf("%s (%s)", i.File, kilobytes(i.Size)))
	}
	u.say("bundle-size", at{}, "import less, or keep data in a file that the tool reads when it runs", "the bundle has %s, more than %s; the largest files are %s",
		kilobytes(int64(u.Size)), kilobytes(budget), joined(parts))
}

func kilobytes(n int64) string { return fmt.Sprintf("%d KB", (n+512)/1024) }

// testRules ask for a test.
func testRules(u *unit) {
	dir, stem := u.Source.Dir, u.Source.ID+"."
	single := u.Source.Dir == u.Source.Folder || filepath.Dir(u.Source.Entry) == u.Source.Folder
	if !single {
		stem = "" // any test in its folder
	}
	found := false
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || found || d.IsDir() && path != dir && (single || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		name := d.Name()
		found = found || !d.IsDir() && strings.HasPrefix(name, stem) && (strings.Contains(name, ".test.") || strings.Contains(name, ".spec."))
		return nil
	})
	if !found && len(u.Failures) == 0 {
		name := u.Source.ID + ".test.ts"
		if stem == "" {
			name = u.Source.ID + "/index.test.ts"
		}
		u.say("no-test", at{}, "rho-ext test runs "+name, "there is no test for it")
	}
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
