package rustdoc

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
	require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
}

func TestFindAndRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "own/all.html", `<a href="a/struct.Thing.html">a::Thing</a><a href="fn.thing.html">x</a><a href="../std/struct.Far.html"></a><a href="https://x/struct.Y.html"></a><a href="moved/struct.Old.html">`)
	write(t, dir, "own/index.html", `<main><section id="main-content"><details class="toggle top-doc"><div class="docblock"><p>The crate.</p></div></details></section></main>`)
	write(t, dir, "own/a/struct.Thing.html", `<main><section id="main-content"><pre class="rust item-decl"><code>pub struct Thing;</code></pre>
		<details class="toggle top-doc"><summary class="hideme">x</summary><div class="docblock"><p>A <a href="x">thing</a> é.<script>alert(1)</script></p><pre class="rust"><code>let a = 1;
let b = 2;</code></pre></div></details>
		<div id="implementations-list"><details class="toggle method-toggle"><summary><section id="method.go" class="method"><a class="src">src</a><h4 class="code-header">pub fn <a>go</a>(&amp;self)</h4></section></summary><div class="docblock"><p>Goes.</p></div></details></div>
		<div id="trait-implementations-list"><section id="impl-Clone-for-Thing" class="impl"><h3 class="code-header">impl Clone for Thing</h3></section></div></section></main>`)
	write(t, dir, "own/moved/struct.Old.html", `<meta http-equiv="refresh" content="0;URL=../../own/a/struct.Thing.html">`)
	write(t, dir, "own/fn.thing.html", `<html>`)
	r, err := Open(dir)
	require.NoError(t, err)
	defer r.Close()
	assert.Equal(t, []string{"own"}, r.Crates)

	read := func(query, section string) string {
		t.Helper()
		found := Find([]*Root{r}, query)
		require.NotEmpty(t, found, query)
		p, err := found[0].Read()
		require.NoError(t, err)
		text, err := p.Markdown(section)
		require.NoError(t, err)
		return text
	}
	assert.Equal(t, "```rust\npub struct Thing;\n```\n\nA thing é.\n\n```rust\nlet a = 1;\nlet b = 2;\n```\n\n## Methods\n\n- `pub fn go(&self)`\n\n## Trait implementations\n\n- `impl Clone for Thing`", read("Thing", All))
	assert.Equal(t, "```rust\nlet a = 1;\nlet b = 2;\n```", read("own::a::Thing", Examples))
	assert.Equal(t, "#### `pub fn go(&self)`\n\nGoes.", read("Thing::go", All))
	assert.Equal(t, "```rust\npub fn go(&self)\n```", read("Thing.go", Signature))
	assert.Equal(t, "The crate.", read("own", All))
	assert.Equal(t, "```rust\npub struct Thing;\n```", read("Old", Signature), "a page that was moved")
	assert.Empty(t, Find([]*Root{r}, "Far"), "a link out of the crate is none of its items")
	_, err = Find([]*Root{r}, "thing")[0].Read()
	assert.ErrorContains(t, err, "is no page of rustdoc")

	require.NoError(t, os.Remove(filepath.Join(dir, "own/a/struct.Thing.html")))
	if os.Symlink("/etc/hostname", filepath.Join(dir, "own/a/struct.Thing.html")) == nil {
		_, err = Find([]*Root{r}, "Thing")[0].Read()
		assert.Error(t, err, "links do not lead out")
	}
	_, err = Open(t.TempDir())
	assert.ErrorContains(t, err, "no pages")
}

func FuzzFind(f *testing.F) {
	for _, q := range []string{"Vec", "a::b!", "<<>", "::", "Vec<T>::push()"} {
		f.Add(q)
	}
	root := &Root{Items: []Item{{Crate: "std", Path: "std::vec::Vec", Kind: "struct"}}}
	f.Fuzz(func(t *testing.T, q string) { Find([]*Root{root}, q) })
}
