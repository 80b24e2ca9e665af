package builtin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

func TestRustdocOfTheStandardLibrary(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	if o := w.call(t, "rustdoc_lookup", map[string]any{"query": "Vec"}, nil); o.Failure != nil && o.Failure.Code == "docs_missing" {
		t.Skip("there are no Rust documentation pages on this machine: install rust-docs or rust-doc to run this test")
	}
	for _, c := range []struct {
		query, section string
		title          string
		holds          []string
		not            string
	}{
		{"Vec", "all", "# struct std::vec::Vec\n\n```rust\npub struct Vec<T", []string{"A contiguous growable array type", "## Methods", "push(&mut self, value: T)", "## Trait implementations"}, "§"},
		{"std::vec::Vec", "signature", "# struct std::vec::Vec\n\n```rust\npub struct Vec<T", nil, "contiguous"},
		{"Vec<String>", "methods", "# struct std::vec::Vec\n\n- `pub", []string{"with_capacity"}, "contiguous"},
		{"vec::Vec", "examples", "# struct std::vec::Vec\n\n```rust\nlet mut vec = Vec::new();\nvec.push(1);", nil, "contiguous"},
		{"Vec", "traits", "# struct std::vec::Vec\n\n- `impl", []string{"Clone for Vec<T"}, "contiguous"},
		{"Option::map", "all", "# std::option::Option::map\n\n#### `pub", []string{"Maps an `Option<T>` to `Option<U>`", "maybe_some_len"}, "unwrap_or_else"},
		{"Option::map()", "signature", "# std::option::Option::map\n\n```rust\npub", []string{"self, f: F"}, "Maps an"},
		{"Option::Some", "all", "# std::option::Option::Some", []string{"Some value of type `T`"}, ""},
		{"Iterator::next", "all", "# std::iter::Iterator::next", []string{"Advances the iterator"}, ""},
		{"println!", "all", "# macro std::println", []string{"Prints to the standard output"}, ""},
		{"str", "all", "# primitive std::str", []string{"String slices", "‘string slice’"}, "â"},
		{"std::fs", "all", "# module std::fs", []string{"`read_to_string`"}, ""},
		{"String::from_utf8", "all", "# std::string::String::from_utf8", nil, ""},
		{"HashMap", "signature", "# struct std::collections::", nil, ""},
		{"std::fs::read", "signature", "# fn std::fs::read", []string{"pub fn read<P"}, ""},
	} {
		t.Run(c.query+" "+c.section, func(t *testing.T) {
			o := w.call(t, "rustdoc_lookup", map[string]any{"query": c.query, "section": c.section}, nil)
			assert.Equal(t, registry.StatusSuccess, o.Status, o.Text)
			assert.True(t, strings.HasPrefix(o.Text, c.title), "%.300s", o.Text)
			for _, h := range c.holds {
				assert.Contains(t, o.Text, h)
			}
			if c.not != "" {
				assert.NotContains(t, o.Text, c.not)
			}
			assert.False(t, o.Truncated)
		})
	}
	for query, text := range map[string]string{
		"Vek":           "did you mean Vec",
		"Option::mapp":  "std::option::Option has no \"mapp\" (did you mean map",
		"::":            "there is no page about",
		"../../Cargo":   "there is no page about",
		"std::nothing!": "std has no \"nothing\"",
	} {
		o := w.call(t, "rustdoc_lookup", map[string]any{"query": query}, nil)
		assert.Equal(t, registry.KindNotFound, o.Failure.Kind, query)
		assert.Contains(t, o.Text, text)
	}
	start := time.Now()
	w.call(t, "rustdoc_lookup", map[string]any{"query": "Option::map"}, nil)
	t.Logf("a look-up takes %v once the index is read", time.Since(start))
	hostileCalls(t, w, "rustdoc_lookup", nil, []string{"query", "section"})
}

// TestRustdocOfOldPages reads what rustdoc wrote years ago, as Debian has it.
func TestRustdocOfOldPages(t *testing.T) {
	t.Parallel()
	const dir = "/usr/share/doc/rust-doc/html"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the package rust-doc is not installed")
	}
	w := newWorkshop(t, nil, CommandOptions{RustDocs: []string{dir}}, nil)
	for query, text := range map[string]string{
		"Option::map": "Maps an `Option<T>` to `Option<U>`", "Option::Some": "Some value", "Vec": "A contiguous growable array type", "println!": "Prints to the standard output",
	} {
		o := w.call(t, "rustdoc_lookup", map[string]any{"query": query}, nil)
		assert.Contains(t, o.Text, text, "%.200s", o.Text)
	}
	o := w.call(t, "rustdoc_lookup", map[string]any{"query": "Vec", "section": "methods"}, nil)
	assert.Contains(t, o.Text, "with_capacity")
}

func TestRustdocOfTheProject(t *testing.T) {
	needsCargo(t)
	t.Parallel()
	w := newWorkshop(t, map[string]string{
		"Cargo.toml": "[package]\nname = \"own\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"src/lib.rs": "//! A crate of ours.\n\n/// Something *special*.\npub struct Special;\n\nimpl Special {\n    /// Makes it.\n    pub fn make() -> Special { Special }\n}\n",
	}, CommandOptions{}, nil)
	cmd := exec.Command("cargo", "doc", "--no-deps", "--offline")
	cmd.Dir = w.root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, w.call(t, "rustdoc_lookup", map[string]any{"query": "Special"}, nil).Text, "# struct own::Special\n\n```rust\npub struct Special;\n```\n\nSomething *special*.")
	assert.Contains(t, w.call(t, "rustdoc_lookup", map[string]any{"query": "Special::make"}, nil).Text, "Makes it.")
	assert.Contains(t, w.call(t, "rustdoc_lookup", map[string]any{"query": "own"}, nil).Text, "A crate of ours.")

	// A link in the place of the pages leads nowhere.
	require.NoError(t, os.Rename(filepath.Join(w.root, "target", "doc"), filepath.Join(t.TempDir(), "doc")))
	require.NoError(t, os.Symlink(os.TempDir(), filepath.Join(w.root, "target", "doc")))
	o := w.call(t, "rustdoc_lookup", map[string]any{"query": "Special"}, nil)
	assert.True(t, o.IsError)
}

func TestRustdocLookupConforms(t *testing.T) {
	p := &programs{jail: jailOf(t, t.TempDir())}
	registrytest.Run(t, newRustdocLookup(p), registrytest.Options{Patience: 20 * time.Second})
}
