package permission

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is in a line counts for the key that it has, letter by letter.
func TestALineCountsForItsOwnKeyAlone(t *testing.T) {
	t.Parallel()
	key := Key{Scope: "project", Root: "/p", Dir: "/p/.rho/extensions", Extension: "x", Hash: "h"}
	line := func(change ...string) string {
		return strings.NewReplacer(change...).Replace(
			`{"scope":"project","root":"/p","dir":"/p/.rho/extensions","extension":"x","hash":"h","grant":{"kind":"net","target":"*"},"time":"t"}`)
	}
	for about, c := range map[string]struct {
		file string
		want int
	}{
		"as it is written":       {line(), 1},
		"with CRLF":              {line() + "\r\n", 1},
		"with unknown members":   {line(`"time"`, `"more":1,"time"`), 1},
		"cut off":                {line()[:60], 0},
		"cut off, and a new one": {line()[:60] + "\n" + line(), 1},
		"another scope":          {line(`"project"`, `"user"`), 0},
		"a slash at the end":     {line(`"/p"`, `"/p/"`), 0},
		"another case":           {line(`"/p"`, `"/P"`), 0},
		"a way around":           {line(`"/p"`, `"/q/../p"`), 0},
		"another folder":         {line(`/p/.rho/extensions`, `/p/.rho/other`), 0},
		"a longer name":          {line(`"x"`, `"x2"`), 0},
		"a name with a NUL":      {line(`"x"`, `"x\u0000"`), 0},
		"no name":                {line(`"extension":"x",`, ``), 0},
		"no hash":                {line(`,"hash":"h"`, ``), 0},
		"an unknown kind":        {line(`"net"`, `"all"`), 1}, // it is listed, and allows nothing
		"revoked by a later one": {line() + "\n" + line(`"time"`, `"revoked":true,"time"`), 0},
		"revoked before":         {line(`"time"`, `"revoked":true,"time"`) + "\n" + line(), 1},
		"two objects in a line":  {line() + line(), 0},
		"an array":               {"[" + line() + "]", 0},
		"NUL bytes":              {"\x00\x00" + line(), 0},
		"a byte order mark":      {"\ufeff" + line(), 0},
		"a line that is long":    {`{"x":"` + strings.Repeat("x", 5<<20) + "\"}\n" + line(), 1},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(home, GrantsFile), []byte(c.file), 0o600))
			list, _ := NewFileStore(home).Grants(key)
			assert.Len(t, list, c.want)
			n := NeedNet("https", "example.org", 443)
			a := NewAccess(AccessOptions{Key: key, Ceiling: &Ceiling{any: map[Kind]bool{KindNet: true}}, Kept: NewFileStore(home)})
			_, denied := a.Check(&n, nil)
			assert.Equal(t, c.want == 1 && about != "an unknown kind", denied == nil)
		})
	}
}

func TestAFileThatOthersCanWriteGrantsNothing(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	key := Key{Extension: "x"}
	s := NewFileStore(home)
	require.NoError(t, s.Add(key, Grant{KindNet, "*"}))
	path := filepath.Join(home, GrantsFile)
	for about, spoil := range map[string]func() error{
		"a file for all": func() error { return os.Chmod(path, 0o666) },
		"a link":         func() error { return os.Rename(path, path+"2") },
	} {
		require.NoError(t, spoil())
		if about == "a link" {
			if err := os.Symlink(path+"2", path); err != nil {
				t.Skip("no symbolic links here: ", err)
			}
		}
		list, err := NewFileStore(home).Grants(key)
		if os.PathSeparator == '/' || about == "a link" {
			assert.Error(t, err, about)
			assert.Empty(t, list, about)
		}
		_ = os.Remove(path + "2")
		_ = os.Remove(path)
		require.NoError(t, s.Add(key, Grant{KindNet, "*"}))
	}
}

// JSON has text alone: two names that are none would become the same.
func TestANameThatIsNoTextIsNotKept(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	trust := NewTrust(home)
	require.ErrorContains(t, trust.Set("/p\xff", true), "not valid UTF-8")
	require.ErrorContains(t, NewFileStore(home).Add(Key{Root: "/p\xfe", Extension: "x"}, Grant{KindNet, "*"}), "not valid UTF-8")
	for _, root := range []string{"/p\xff", "/p\xfe", "/p\ufffd"} {
		trusted, _, err := trust.Trusted(root)
		require.NoError(t, err)
		assert.False(t, trusted)
		list, err := NewFileStore(home).Grants(Key{Root: root, Extension: "x"})
		require.NoError(t, err)
		assert.Empty(t, list)
	}
}
