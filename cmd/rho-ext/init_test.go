package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/internal/scaffold"
	"github.com/rho-ext/rho-ext/jsapi"
)

func TestWhatInitAndTypesPrintIsAsTheirSchemasSay(t *testing.T) {
	s := newSetting(t, map[string]string{ext + "small.ts": "export default { name: 'small', tools: [] };"})
	s.home = t.TempDir()
	for _, tt := range []struct {
		schema string
		args   []string
		code   int
	}{
		{"init", []string{"init", "one"}, exitOK},
		{"init", []string{"init", "two", "--template", "hooks"}, exitOK},
		{"types", []string{"types", "--check"}, exitFailed},
		{"types", []string{"types"}, exitOK},
		{"types", []string{"types", "--check"}, exitOK},
		{"types", []string{"types", "--stdout"}, exitOK},
		{"types", []string{"types", t.TempDir()}, exitOK},
	} {
		got := s.run(append(tt.args, "--json")...)
		require.Equal(t, tt.code, got.code, got.err)
		validate(t, tt.schema, got.out)
	}
}

// TestTemplatesAreTheExtensionsThatTheySayTheyAre loads, tests and checks each as an
// author gets it.
func TestTemplatesAreTheExtensionsThatTheySayTheyAre(t *testing.T) {
	s := newSetting(t, nil)
	for _, template := range scaffold.Templates {
		require.Equal(t, exitOK, s.run("init", "Ext-"+template.Name, "--template", template.Name).code)
	}
	got := s.run("list", "--json")
	require.Equal(t, exitOK, got.code, got.err)
	var l listing
	require.NoError(t, json.Unmarshal([]byte(got.out), &l))
	require.Len(t, l.Extensions, len(scaffold.Templates))
	for _, e := range l.Extensions {
		template, ok := scaffold.Find(e.ID[len("Ext-"):])
		require.True(t, ok)
		require.Equal(t, host.StateLoaded, e.State)
		var tools []string
		for _, tool := range e.Tools {
			require.Equal(t, tool.DeclaredRisk, tool.Risk, "%s declares what it does", tool.Name)
			tools = append(tools, tool.Name)
		}
		require.Equal(t, template.Tools(e.ID), tools)
	}
	for _, template := range scaffold.Templates {
		require.Equal(t, jsapi.Types, read(t, filepath.Join(s.root, ext, "Ext-"+template.Name, scaffold.TypesFile)))
	}

	got = s.run("test", "--json")
	require.Equal(t, exitOK, got.code, got.out+got.err)
	validate(t, "test", got.out)
	var tests struct {
		Files  []struct{ Tests []any }
		Passed int
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &tests))
	require.Len(t, tests.Files, len(scaffold.Templates))
	for _, f := range tests.Files {
		require.GreaterOrEqual(t, len(f.Tests), 4)
	}
	require.GreaterOrEqual(t, tests.Passed, 25)

	got = s.run("check", "--strict")
	require.Equal(t, exitOK, got.code, got.out+got.err)
}

func TestInitTellsWhereTrustCannotBeKept(t *testing.T) {
	s := newSetting(t, nil)
	s.home = t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(s.home, permission.TrustFile), 0o700))
	got := s.run("init", "one", "--json")
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.err, "this project is not trusted yet: the answer could not be kept")
	var r initReport
	require.NoError(t, json.Unmarshal([]byte(got.out), &r))
	require.False(t, r.Trusted)
}
