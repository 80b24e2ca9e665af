package secret_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/secret"
)

// refused wants every operation to fail over the file, and to leave it as it is.
func refused(t *testing.T, dir, want string) {
	t.Helper()
	path := filepath.Join(dir, secret.FileName)
	before, err := os.Lstat(path)
	require.NoError(t, err)
	s := secret.New(secret.Options{Dir: dir, Keychain: &keychain{}})
	_, _, gotten := s.Get(t.Context(), key("apiKey"))
	_, set := s.Set(t.Context(), key("apiKey"), secret.NewValue("topsecret"))
	_, deleted := s.Delete(t.Context(), key("apiKey"))
	_, listed := s.List(t.Context(), secret.Key{})
	for _, err := range []error{gotten, set, deleted, listed} {
		var fe *secret.FileError
		require.ErrorAs(t, err, &fe)
		require.Equal(t, path, fe.Path)
		require.ErrorContains(t, err, path+": ")
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "hunter2")
	}
	after, err := os.Lstat(path)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after), "it is left as it is")
}

func TestABrokenFileIsNamedAndLeftAsItIs(t *testing.T) {
	t.Parallel()
	entry := func(change string) string {
		k := key("apiKey")
		text := fmt.Sprintf(`{"scope":"user","root":%q,"dir":%q,"extension":"weather","name":"apiKey","value":"hunter2"}`, k.Root, k.Dir)
		old, now, _ := strings.Cut(change, "→")
		return strings.Replace(text, old, now, 1)
	}
	file := func(entries ...string) string {
		return `{"version":1,"secrets":[` + strings.Join(entries, ",") + `]}`
	}
	for _, tc := range []struct{ text, want string }{
		{"", "broken at line 1, column 1"},
		{"hunter2", "broken at line 1, column 1"},
		{"{\n  \"version\": 1,\n  \"secrets\": [hunter2]}", "broken at line 3, column 15"},
		{`{"version":1,"secrets":"hunter2"}`, "broken at line 1"},
		{`{"version":"hunter2"}`, "broken at line 1"},
		{file(entry("")) + "hunter2", "broken at line 1"},
		{file(entry("")) + file(), "broken at line 1"},
		{file(entry(""))[:100], "broken at line 1"},
		{`{"version":1,"hunter2":[]}`, "broken at line 1"},
		{`{"secrets":[]}`, "it has no version"},
		{`{"version":2,"secrets":[]}`, "version 2, which a later rho-ext wrote"},
		{`null`, "it has no version"},
		{file(entry(""), entry("")), "entry 2 is broken"},
		{file(entry(`"user"→"root"`)), "entry 1 is broken"},
		{file(entry(`"hunter2"→""`)), "entry 1 is broken"},
		{file(entry(`"value"→"keychain":"x","value"`)), "entry 1 is broken"},
		{file(entry(`"apiKey"→"../x"`)), "entry 1 is broken"},
		{file(strings.Repeat("{},", 1000) + "{}"), "more than 1000 secrets"},
		{strings.Repeat(" ", 4<<20+1), "which is more than 4194304"},
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, secret.FileName), []byte(tc.text), 0o600))
		refused(t, dir, tc.want)
		require.Equal(t, tc.text, text(t, dir))
	}
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, secret.FileName), 0o700))
	refused(t, dir, "no regular file")
}

func TestAHomeThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	inTheWay := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(inTheWay, nil, 0o600))
	s := secret.New(secret.Options{Dir: filepath.Join(inTheWay, "home"), FileOnly: true})
	_, err := s.Set(t.Context(), key("apiKey"), secret.NewValue("topsecret"))
	require.ErrorContains(t, err, "secrets.json: cannot make its folder: ")
	require.NotContains(t, err.Error(), "topsecret")

	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("whoever runs this may write everything")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o500))
	s = secret.New(secret.Options{Dir: dir, FileOnly: true})
	_, err = s.Set(t.Context(), key("apiKey"), secret.NewValue("topsecret"))
	require.ErrorContains(t, err, "permission denied")
}

func TestAFolderInTheWayOfTheTemporaryFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := secret.New(secret.Options{Dir: dir, FileOnly: true})
	_, err := s.Set(t.Context(), key("apiKey"), secret.NewValue("v1"))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, secret.FileName+".tmp", "x"), 0o700))
	_, err = s.Set(t.Context(), key("apiKey"), secret.NewValue("v2"))
	require.ErrorContains(t, err, "cannot write it: ")
	v, _ := get(t, s, "apiKey")
	require.Equal(t, "v1", v)
}
