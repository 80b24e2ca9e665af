package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/secret"
)

func TestSecretsOfTheFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "when needed")
	s := secret.New(secret.Options{Dir: dir, FileOnly: true})
	require.Empty(t, names(t, s, secret.Key{}))
	_, _, err := s.Get(t.Context(), key("apiKey"))
	require.ErrorIs(t, err, secret.ErrNotFound)
	require.NoDirExists(t, dir, "looking makes nothing")

	place, err := s.Set(t.Context(), key("apiKey"), secret.NewValue("v1"))
	require.NoError(t, err)
	require.Equal(t, secret.Place{Store: "file", File: filepath.Join(dir, "secrets.json")}, place)
	_, err = s.Set(t.Context(), key("other"), secret.NewValue("line\nline \u00e4 \" <&>"))
	require.NoError(t, err)
	_, err = s.Set(t.Context(), key("apiKey"), secret.NewValue("v2"))
	require.NoError(t, err)

	v, _ := get(t, secret.New(secret.Options{Dir: dir, FileOnly: true}), "apiKey")
	require.Equal(t, "v2", v)
	require.NotContains(t, text(t, dir), "v1")
	v, _ = get(t, s, "other")
	require.Equal(t, "line\nline \u00e4 \" <&>", v)
	require.Equal(t, "other in the file, apiKey in the file", names(t, s, secret.Key{}))
	require.Equal(t, "apiKey in the file", names(t, s, secret.Key{Name: "apiKey"}))
	require.Empty(t, names(t, s, secret.Key{Extension: "other"}))

	place, err = s.Delete(t.Context(), key("apiKey"))
	require.NoError(t, err)
	require.Equal(t, "file", place.Store)
	_, err = s.Delete(t.Context(), key("apiKey"))
	require.ErrorIs(t, err, secret.ErrNotFound)
	require.NotContains(t, text(t, dir), "v2")
	_, err = s.Delete(t.Context(), key("other"))
	require.NoError(t, err)
	require.Equal(t, "{\n  \"version\": 1,\n  \"secrets\": []\n}\n", text(t, dir))
}

// TestNobodyElseGetsIt changes one part of the key at a time.
func TestNobodyElseGetsIt(t *testing.T) {
	t.Parallel()
	s := secret.New(secret.Options{Dir: t.TempDir(), FileOnly: true})
	k := key("apiKey")
	_, err := s.Set(t.Context(), k, secret.NewValue("mine"))
	require.NoError(t, err)
	for about, change := range map[string]func(*secret.Key){
		"a project's own that shadows the user's": func(k *secret.Key) { k.Scope = "project" },
		"a folder that a flag names":              func(k *secret.Key) { k.Scope = "explicit" },
		"another project":                         func(k *secret.Key) { k.Root += "2" },
		"another folder":                          func(k *secret.Key) { k.Dir = k.Root },
		"another extension":                       func(k *secret.Key) { k.Extension = "Weather" },
		"another setting":                         func(k *secret.Key) { k.Name = "apikey" },
	} {
		other := k
		change(&other)
		_, _, err := s.Get(t.Context(), other)
		require.ErrorIs(t, err, secret.ErrNotFound, about)
		_, err = s.Delete(t.Context(), other)
		require.ErrorIs(t, err, secret.ErrNotFound, about)
	}
}

func TestWhatCannotBeKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := secret.New(secret.Options{Dir: dir, FileOnly: true})
	with := func(change func(*secret.Key)) secret.Key {
		k := key("apiKey")
		change(&k)
		return k
	}
	for _, tc := range []struct {
		key   secret.Key
		value string
		want  string
	}{
		{key("apiKey"), "", "the value is empty"},
		{key("apiKey"), strings.Repeat("x", 64<<10+1), "65537 bytes, which is more than 65536"},
		{key("apiKey"), "\xff", "no UTF-8"},
		{key(""), "v", "1–64 letters"},
		{key(strings.Repeat("n", 65)), "v", "1–64 letters"},
		{key("a.b"), "v", "1–64 letters"},
		{with(func(k *secret.Key) { k.Scope = "" }), "v", `the scope is ""`},
		{with(func(k *secret.Key) { k.Extension = "" }), "v", "1–255 bytes, got 0"},
		{with(func(k *secret.Key) { k.Extension = "\xff" }), "v", `"\xff" is no UTF-8 text`},
		{with(func(k *secret.Key) { k.Root = "relative" }), "v", "absolute"},
		{with(func(k *secret.Key) { k.Dir += "/\xfe" }), "v", "no UTF-8 text"},
		{with(func(k *secret.Key) { k.Dir += strings.Repeat("/d", 5000) }), "v", "at most 8192 bytes"},
	} {
		_, err := s.Set(t.Context(), tc.key, secret.NewValue(tc.value))
		require.ErrorContains(t, err, tc.want)
		if tc.value == "v" {
			_, _, err = s.Get(t.Context(), tc.key)
			require.ErrorContains(t, err, tc.want)
			_, err = s.Delete(t.Context(), tc.key)
			require.ErrorContains(t, err, tc.want)
		}
	}
	require.NoFileExists(t, filepath.Join(dir, secret.FileName))

	_, err := secret.New(secret.Options{}).Set(t.Context(), key("apiKey"), secret.NewValue("v"))
	require.ErrorContains(t, err, "there is no folder")
	_, err = secret.New(secret.Options{}).List(t.Context(), secret.Key{})
	require.ErrorContains(t, err, "there is no folder")
}

func TestAStoreIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := secret.New(secret.Options{Dir: dir, FileOnly: true})
	var list []map[string]string
	for i := range secret.MaxEntries {
		k := key(fmt.Sprintf("n%d", i))
		list = append(list, map[string]string{"scope": k.Scope, "root": k.Root, "dir": k.Dir, "extension": k.Extension, "name": k.Name, "value": "v"})
	}
	put := func() {
		data, err := json.Marshal(map[string]any{"version": 1, "secrets": list})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, secret.FileName), data, 0o600))
	}
	put()
	_, err := s.Set(t.Context(), key("one_more"), secret.NewValue("v"))
	require.ErrorContains(t, err, "holds 1000 secrets already")
	_, err = s.Set(t.Context(), key("n7"), secret.NewValue("another"))
	require.NoError(t, err, "one of them can change")

	large := strings.Repeat("\x01", 64<<10) // six bytes each in the file
	for i := range 10 {
		list[i]["value"] = large
	}
	put()
	_, err = s.Set(t.Context(), key("n500"), secret.NewValue(large))
	require.ErrorContains(t, err, "which is more than 4194304")
	list = list[:5]
	put()
	_, err = s.Set(t.Context(), key("large"), secret.NewValue(large))
	require.NoError(t, err)
	v, _ := get(t, s, "large")
	require.Equal(t, large, v)
}

func TestAValueNeverShows(t *testing.T) {
	t.Parallel()
	const secretText = "hunter2hunter2"
	v := secret.NewValue(secretText)
	type holder struct {
		V secret.Value
		p *secret.Value
		v secret.Value
	}
	h := holder{v, &v, v}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		for _, x := range []any{v, &v, h, &h, []secret.Value{v}, map[string]secret.Value{"a": v}, []any{h}} {
			fmt.Fprintf(&out, verb+"\n", x)
		}
	}
	require.NoError(t, json.NewEncoder(&out).Encode(map[string]any{"v": v, "p": &v, "h": h, "l": []secret.Value{v}}))
	for _, log := range []*slog.Logger{slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))} {
		log.Info("x", "v", v, "h", h, slog.Any("p", &v))
	}
	fmt.Fprintln(&out, v, h)
	require.NotContains(t, out.String(), secretText)
	require.NotContains(t, out.String(), fmt.Sprintf("%x", secretText))
	require.Contains(t, out.String(), "[secret]")
	require.Equal(t, secretText, v.Reveal())
	require.Empty(t, secret.Value{}.Reveal())
}
