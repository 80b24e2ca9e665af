package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/registry"
)

const settingsExt = `import { defineTool } from "rho-ext";
export default {
  name: "Weather",
  settings: { apiKey: { type: "string", secret: true, env: "WEATHER_KEY" }, days: { type: "number" } },
  tools: [
    { name: "leaks", description: "d", risk: "read", parameters: {}, execute(_: any, ctx: any) {
      const key = SECRET;
      ctx.log.warn("with " + key, { key, url: "https://x/?k=" + encodeURIComponent(key) });
      ctx.progress("at " + key);
      return { content: [{ type: "text", text: key + " " + btoa(unescape(encodeURIComponent("user:" + key))) }, { type: "json", value: { key } }], details: { key } };
    } },
    { name: "throws", description: "d", risk: "read", execute() { throw new Error("no " + SECRET); } },
  ],
};
`

// awkward is a secret that every way of writing changes.
const awkward = `p"a\ss wörd/+<&>=%`

// written lists the ways in which a secret may be written.
func waysToWrite(secret string) []string {
	asJSON, _ := json.Marshal(secret)
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(secret)
	return []string{
		secret, string(asJSON[1 : len(asJSON)-1]), strings.Trim(plain.String(), "\"\n"), url.QueryEscape(secret), url.PathEscape(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
		strings.TrimRight(base64.StdEncoding.EncodeToString([]byte("user:" + secret))[8:], "="),
	}
}

// notIn wants a secret to be written nowhere in a text.
func notIn(t *testing.T, about, text, secret string) {
	t.Helper()
	for _, way := range waysToWrite(secret) {
		require.NotContains(t, text, way, about)
	}
}

// home runs the program with a home directory that lasts.
func home(t *testing.T, root string) (dir string, call func(stdin string, args ...string) ran) {
	dir = trusting(t, root)
	t.Setenv("RHO_HOME", dir)
	return dir, func(stdin string, args ...string) ran {
		var out, errs bytes.Buffer
		code := run(t.Context(), append(args, "--root", root), streams{in: strings.NewReader(stdin), out: &out, err: &errs})
		return ran{code: code, out: out.String(), err: errs.String()}
	}
}

func TestNoVerbPrintsASecret(t *testing.T) {
	secret := awkward + "\nsecond line"
	root := project(t, map[string]string{"weather.ts": strings.ReplaceAll(settingsExt, "SECRET", `"x"`)})
	dir, call := home(t, root)
	got := call(secret+"\r\n", "secret", "set", "weather", "apiKey", "--json")
	require.Equal(t, 0, got.code, got.err)
	validate(t, "secret", got.out)
	for _, args := range []string{
		"secret set weather apiKey", "secret list", "secret list weather", "list", "info weather", "doctor", "run leaks", "run throws", "run nope",
		"secret set weather days", "secret remove weather nope", "secret set weather --json", "secret remove weather apiKey",
	} {
		for _, format := range []string{"", "--json"} {
			got := call(secret, append(strings.Fields(args), strings.Fields(format)...)...)
			notIn(t, args, got.out+got.err, secret)
			if args == "secret list" && format != "" {
				validate(t, "secrets", got.out)
				require.Contains(t, got.out, `"set": true`)
			}
			if args == "list" && format != "" {
				validate(t, "list", got.out)
				require.Contains(t, got.out, `"name": "apiKey"`)
			}
			if args == "secret remove weather apiKey" && format == "" {
				require.Equal(t, 0, got.code)
				got = call(secret, "secret", "set", "weather", "apiKey")
				require.Equal(t, 0, got.code)
			} else if args == "secret remove weather apiKey" {
				validate(t, "secret", got.out)
			}
		}
	}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		notIn(t, path, string(data), secret)
		return err
	}))
}

// TestOneRedactorServesAll makes a secret known as the host does, and looks at
// everything that a call prints and keeps, also with redaction turned off.
func TestOneRedactorServesAll(t *testing.T) {
	literal, err := json.Marshal(awkward)
	require.NoError(t, err)
	root := project(t, map[string]string{"weather.ts": strings.ReplaceAll(settingsExt, "SECRET", string(literal))})
	for _, enabled := range []string{"true", "false"} {
		dir, _ := home(t, root)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "config.toml"), []byte("redaction.enabled = "+enabled+"\nlog.level = 'debug'"), 0o600))
		var out, errs bytes.Buffer
		a := &app{streams: streams{in: strings.NewReader(""), out: &out, err: &errs}, root: root, rootGiven: true}
		w, err := a.open(t.Context(), "", nil)
		require.NoError(t, err)
		require.True(t, w.hide.Add(awkward))
		for _, tool := range []string{"leaks", "throws"} {
			o := w.door.Call(t.Context(), registry.Request{Tool: tool, Progress: a.progress})
			text, err := json.Marshal(o)
			require.NoError(t, err)
			notIn(t, tool, string(text)+o.Text, awkward)
			require.Contains(t, o.Text, "[REDACTED:secret]")
			require.NoError(t, a.printOutcome(o, true))
			a.json = true
			require.NoError(t, a.printOutcome(o, true))
			a.json = false
		}
		require.NoError(t, a.printJSON(map[string]string{"text": awkward}))
		w.close()
		require.Contains(t, errs.String(), "with [REDACTED:secret]")
		require.Contains(t, errs.String(), "at [REDACTED:secret]")
		notIn(t, "stdout and stderr", out.String()+errs.String(), awkward)
		logs := 0
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".jsonl" || d.Name() == permission.TrustFile {
				return err
			}
			logs++
			data, err := os.ReadFile(path)
			require.Contains(t, string(data), "[REDACTED:secret]")
			notIn(t, path, string(data), awkward)
			return err
		}))
		require.Equal(t, 1, logs)
	}
}

func TestAFailureToLoadShowsNoSecretThatWasHandedOut(t *testing.T) {
	root := project(t, map[string]string{"bad.ts": `throw new Error("no hunter2hunter2");`})
	_, _ = home(t, root)
	var out, errs bytes.Buffer
	a := &app{streams: streams{in: strings.NewReader(""), out: &out, err: &errs}, root: root, rootGiven: true}
	w, err := a.open(t.Context(), "", nil)
	require.NoError(t, err)
	defer w.close()
	w.hide.Add("hunter2hunter2")
	require.NoError(t, a.printListing(listOf(w)))
	require.NoError(t, a.printJSON(listOf(w)))
	require.Contains(t, errs.String(), "no [REDACTED:secret]")
	require.NotContains(t, out.String()+errs.String(), "hunter2")
}

func TestAnErrorOfTheConfigurationShowsNoSecretBesideIt(t *testing.T) {
	root := project(t, nil)
	_, call := home(t, root)
	require.NoError(t, os.WriteFile(filepath.Join(root, ".rho", "config.toml"), []byte("[settings.weather]\napiKey = \"hunter2hunter2\"\nother = [\n"), 0o600))
	got := call("", "list")
	require.Equal(t, exitUsage, got.code)
	require.NotContains(t, got.out+got.err, "hunter2")
}
