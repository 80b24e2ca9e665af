package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzBuild bundles arbitrary text: it must give a bundle or failures with a
// place in the file, without a panic and soon.
func FuzzBuild(f *testing.F) {
	for _, s := range []string{
		"", "// only a comment", "export default {}", "const = 2;", "const a = `text", "\x00\xff", "#!/usr/bin/env node\nexport {}",
		"import a from \"./nowhere\";", "import \"node:fs\"", "import a from \"./ext.ts\"; export default a", "import(\"./\" + x)",
		"import a from \"../../etc/passwd\" with { type: \"text\" }", "import a from \"/etc/passwd.json\"", "import a from \"data:,x\"", "import \"rho-ext\"; import { s } from \"rho-ext\"",
		"await 1; export default await 2", "export default { name: \"x\", tools: [{ execute() { return 2n ** 3n } }] }",
		"enum A { B = 1, C = \"x\" } namespace N { export const a = A.B } export = N", "abstract class A<T> { declare x: T; @d() y = 1; accessor z; #p = 1 }",
		"export default <T,>(x: T) => x", "/(?i:a)b/;/[/*]/;`${`${1}`}`", "a ? b : c ? d : e;", "if (x) {} else if (y) {} else {}", "for await (const x of y) using z = x",
		strings.Repeat("(", 1200), strings.Repeat("[", 999) + strings.Repeat("]", 999), strings.Repeat("!", 6000) + "1", strings.Repeat("a=>", 6000), "x" + strings.Repeat(".a", 6000),
		"x" + strings.Repeat("<x", 6000), strings.Repeat("for(;;)", 6000), strings.Repeat("`${", 1200), "x" + strings.Repeat("()", 6000), strings.Repeat("typeof ", 6000),
		strings.Repeat("if(x){}else ", 6000), "/[/*]/;" + strings.Repeat("(", 6000), "const a = \"\\\n\\u{10ffff}\";", "\u2028\u2029\ufeff", "import.meta.url; import.meta.x; new.target",
	} {
		f.Add(s)
	}
	modules := map[string]string{"rho-ext": "export const s = {}, defineTool = (t) => t;"}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 64<<10 {
			t.Skip()
		}
		dir, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		entry := filepath.Join(dir, "ext.ts")
		require.NoError(t, os.WriteFile(entry, []byte(src), 0o644))
		start := time.Now()
		b, err := Build(Options{ID: "ext", Entry: entry, Root: dir, Limit: dir, Modules: modules})
		require.Less(t, time.Since(start), 10*time.Second)
		if err == nil {
			require.NotEmpty(t, b.Script)
			require.Equal(t, []string{entry}, b.Inputs)
			require.NotContains(t, string(b.Script), "root:x:0:0")
			return
		}
		fails, ok := err.(*Failures)
		require.True(t, ok, "%T", err)
		require.NotEmpty(t, fails.List)
		for _, one := range fails.List {
			require.NotEmpty(t, one.Message)
			require.NotEmpty(t, one.Stage)
			require.Equal(t, entry, fails.Path(one.Position.File), one.Message)
			require.LessOrEqual(t, one.Position.Line, 1+strings.Count(src, "\n")+strings.Count(src, "\r")+strings.Count(src, "\u2028")+strings.Count(src, "\u2029"))
		}
	})
}

// FuzzShiftColumns: only columns change, by one each, and writing what was read
// gives it back.
func FuzzShiftColumns(f *testing.F) {
	for _, s := range []string{"", ";", ";;", "A", "AAAA", "AAAA,CAAC;AACA", "AAAA;;gBACS,EAAE", "A;AAAA", "A,C;E,AAAA", ",", "AAAAA", "gggggggggB", "D", "////////"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, mappings string) {
		before, ok := absolute(mappings)
		out, err := shiftColumns(mappings)
		if !ok {
			return // what is no map may be refused or passed on, but not panic
		}
		require.NoError(t, err)
		after, ok := absolute(out)
		require.True(t, ok, "%q", out)
		require.Len(t, after, len(before))
		for i, line := range before {
			require.Len(t, after[i], len(line))
			for j, seg := range line {
				want := append([]int{}, seg...)
				want[0]++
				if len(want) >= 4 {
					want[3]++
				}
				require.Equal(t, want, after[i][j])
			}
		}
	})
}

// absolute decodes mappings into absolute fields, or says that they are none.
func absolute(mappings string) (lines [][][]int, ok bool) {
	var sum [5]int
	for line := range strings.SplitSeq(mappings, ";") {
		var segs [][]int
		sum[0] = 0
		if line != "" {
			for seg := range strings.SplitSeq(line, ",") {
				f, err := decodeVLQ(seg)
				if err != nil || len(f) != 1 && len(f) != 4 && len(f) != 5 {
					return nil, false
				}
				abs := make([]int, len(f))
				for i, v := range f {
					sum[i] += v
					abs[i] = sum[i]
				}
				segs = append(segs, abs)
			}
		}
		lines = append(lines, segs)
	}
	return lines, true
}

func FuzzVLQ(f *testing.F) {
	f.Add(0, 1, -1)
	f.Add(15, 16, -16)
	f.Add(1<<30, -1<<30, 31)
	f.Fuzz(func(t *testing.T, a, b, c int) {
		const most = 1 << 30
		in := []int{a % most, b % most, c % most}
		text := encodeVLQ(in)
		require.True(t, utf8.ValidString(text))
		out, err := decodeVLQ(text)
		require.NoError(t, err)
		require.Equal(t, in, out)
	})
}
