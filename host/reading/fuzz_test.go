package reading

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja/parser"
	"github.com/stretchr/testify/require"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"fetch()", "({name:'a',execute(){}})", "2n**2n**9n", "`${a}`", "class A{#x=1}", "/(/", "x=>y=>z", "'\\u{110000}'",
		"const {a:{b=rho},...c}=rho;({name:'t',execute:async(x,{fs,...r})=>{for(const y of r.exec)fs[y]=y}})",
		"(async()=>{var h;function s(f){h=f}s(fetch);m={name:'m',tools:[{name:'a',execute(){h()}}].map(w),hooks:{onLoad(c){c.exec(x)}},commands:[{name:'c',run:s}]}})()",
		"class A extends B{static{this.x=rho}static y=1;get [z](){super.q;return new.target}}label:for(let i in x)switch(i){case 1:let j;break label}",
		"[a,b.c,...d]=e??=f;delete a?.[b]?.c;({a,b:[c=1],...d}=e);function*g(a=1,{b},...[c]){yield*arguments}", "Reflect.get(globalThis,k);Object.assign(a,{execute:b})",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 4096 {
			return
		}
		start := time.Now()
		s, fail := Parse("x.js", []byte(src), nil)
		if (s == nil) == (fail == nil) {
			t.Fatal(fmt.Sprint("neither or both: ", s, fail))
		}
		if s != nil {
			for _, tool := range s.Tools {
				if !s.Uses.Effects.Has(tool.Uses.Effects) || tool.Uses.CallsTools && !s.Uses.CallsTools {
					t.Fatalf("a tool has more than its script: %+v, %+v", tool.Uses, s.Uses)
				}
			}
		}
		TextUse(src, nil)
		if d := time.Since(start); d > 5*time.Second {
			t.Fatalf("took %v", d)
		}
	})
}

// generated is a script as bundles are, of about the given size: functions,
// classes and state that refer to each other, and tools that use them.
func generated(size, tools int) string {
	var b strings.Builder
	b.WriteString("(async()=>{\"use strict\";\nconst cache = new Map();\nfunction f0(x) { return x }\n")
	n := 1
	for b.Len() < size-tools*100 {
		fmt.Fprintf(&b, `async function f%d(items, options = {}) {
  const { limit = 10, sort } = options;
  const found = items.filter((item) => item.value > limit && !item.hidden).map((item) => ({ ...item, label: `+"`${item.name}: ${item.value}`"+` }));
  if (sort) found.sort((a, b) => a.label.localeCompare(b.label));
  cache.set("f%[1]d", found.length);
  return f%[2]d(found.concat(await f%[3]d([])), { ...options, limit: limit + 1 });
}
class C%[1]d { #n = %[1]d; get n() { return this.#n } go(x) { return new C%[1]d().go(f%[3]d(x)) } }
`, n, n/2, max(0, n-7))
		n++
	}
	b.WriteString("const m = { name: \"m\", tools: [\n")
	for i := range tools {
		fmt.Fprintf(&b, "{ name: \"t%d\", risk: \"read\", execute: async (args, ctx) => f%d(args, await ctx.fs.read(args.path)) },\n", i, n-1-i%n)
	}
	b.WriteString("] };\n__rho_load(m) })()")
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	for _, size := range []int{10, 300} {
		src := []byte(generated(size<<10, 5))
		b.Run(fmt.Sprintf("%dKB", size), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, fail := Parse("x.js", src, nil); fail != nil {
					b.Fatal(fail)
				}
			}
		})
	}
}

func TestTheGraphIsInProportionToTheScript(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"an ordinary script": generated(100<<10, 10),
		"many tools":         generated(50<<10, 300),
		"a chain of names":   "var a0 = fetch;" + repeated(5_000, "var a%d = a%d;") + "x = { name: 't', execute: () => a4999 }",
		"deep functions":     strings.Repeat("(a) => {let b; ", 300) + strings.Repeat("a(b);", 5_000) + strings.Repeat("}", 300),
		"a chain of members": "x = a" + strings.Repeat(".fs", 2_000),
		"a chain of calls":   "x = a" + strings.Repeat(".b(c)", 1_000),
		"nested calls":       "x = " + strings.Repeat("a.b(", 1_000) + "1" + strings.Repeat(")", 1_000),
		"one store, touched": "const m = new Map();" + strings.Repeat("m.set(1, m);", 5_000) + "x = { name: 't', execute: () => m }",
		"nested wrappers":    "x = " + strings.Repeat("w([", 500) + "{ name: 't', execute: fetch }" + strings.Repeat("])", 500),
		"patterns":           "const {a" + strings.Repeat(":{b = fetch, c", 500) + strings.Repeat("}", 500) + "} = rho",
	} {
		prg, err := parser.ParseFile(nil, "x.js", src, 0)
		require.NoError(t, err, name)
		r := &reader{script: &Script{}, file: prg.File, found: newFound()}
		require.NoError(t, walk(prg, r.visit), name)
		r.found.settle()
		g := read(prg, r.found)
		size := 0
		for _, n := range g.nodes {
			size += 1 + len(n.edges) + len(n.touches) + len(n.holders) + len(n.facts) + len(n.eaches) + len(n.recast)
		}
		require.Less(t, size, 3*len(src), name)
		r.spread(g)
		most := 0
		for _, root := range g.roots {
			before := g.steps
			g.reach(root)
			most = max(most, g.steps-before)
		}
		require.LessOrEqual(t, most, 4*size, "%s: one tool looks at everything a few times", name)
		g.steps = maxSteps
		for _, root := range g.roots {
			_, ok := g.reach(root)
			require.False(t, ok, "%s: nothing more is told apart", name)
		}
	}
}

func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n - 1 {
		fmt.Fprintf(&b, format, i+1, i)
	}
	return b.String()
}
