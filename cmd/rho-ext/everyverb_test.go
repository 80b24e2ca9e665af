package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// verbRun is a way of running a verb.
type verbRun struct {
	args   string
	in     string // stdin
	code   int
	schema string // of the document with --json
	lines  bool   // each line is a document
}

// everyVerb runs each verb to each of the documents that it prints.
var everyVerb = map[string][]verbRun{
	"rho-ext run":           {{args: "run hello", schema: "outcome"}, {args: "run nope", code: exitFailed, schema: "outcome"}},
	"rho-ext list":          {{args: "list", schema: "list"}},
	"rho-ext info":          {{args: "info living", schema: "info"}, {args: "info hello", schema: "info"}, {args: "info read_file", schema: "info"}},
	"rho-ext dev":           {{args: "dev", schema: "dev", lines: true}},
	"rho-ext test":          {{args: "test", schema: "test"}, {args: "test -t passes", schema: "test"}},
	"rho-ext command":       {{args: "command", schema: "commands"}, {args: "command count", schema: "outcome"}},
	"rho-ext hook":          {{args: "hook tool_call --allow-hook=tool_call", schema: "hook"}, {args: "hook tool_call", code: exitDenied, schema: "hook"}},
	"rho-ext trust":         {{args: "trust", schema: "trust"}, {args: "trust --list", schema: "trust"}},
	"rho-ext grant":         {{args: "grant living --allow-write=out", schema: "grants"}},
	"rho-ext revoke":        {{args: "revoke living --allow-write=out", schema: "grants"}},
	"rho-ext permissions":   {{args: "permissions", schema: "permissions"}, {args: "permissions living", schema: "permissions"}},
	"rho-ext secret set":    {{args: "secret set settled key", in: "value", schema: "secret"}},
	"rho-ext secret list":   {{args: "secret list", schema: "secrets"}},
	"rho-ext secret remove": {{args: "secret remove settled key", schema: "secret"}},
	"rho-ext doctor":        {{args: "doctor", schema: "doctor"}},
	"rho-ext version":       {{args: "version", schema: "version"}},
	"rho-ext init":          {{args: "init fresh", schema: "init"}},
	"rho-ext types":         {{args: "types", schema: "types"}, {args: "types --check", schema: "types"}, {args: "types --stdout", schema: "types"}},
	"rho-ext completion":    {{args: "completion bash", schema: "completion"}},
	"rho-ext bundle": {{args: "bundle living", schema: "bundle"}, {args: "bundle living --analyze", schema: "bundle"},
		{args: "bundle bad", code: exitLoad, schema: "failures"}},
	"rho-ext bench": {{args: "bench hello --count 3 --warmup 0", schema: "bench"}},
	"rho-ext logs":  {{args: "logs", schema: "logs", lines: true}},
	"rho-ext check": {{args: "check living", schema: "check"}},
}

// verbOrder puts first what others need: a grant to revoke, a secret to remove,
// a call for the log.
var verbOrder = []string{"rho-ext run", "rho-ext grant", "rho-ext secret set", "rho-ext secret list"}

// protocols are the verbs that print no document, and why.
var protocols = map[string]string{
	"rho-ext serve":  "it speaks the messages of its protocol, with and without --json",
	"rho-ext secret": "alone it tells what can follow it",
}

func settingOfEveryVerb(t *testing.T) *setting {
	return newSetting(t, map[string]string{
		ext + "living.ts":  strings.Replace(livingExtension, `e.toolName === "hello"`, `e.toolName === "none"`, 1),
		ext + "settled.ts": `export default { name: "settled", settings: { key: { type: "string", secret: true } }, tools: [] };`,
		ext + "living.test.ts": `import { expect, test } from "rho-ext/test";
test("passes", () => { expect(1).toBe(1); });`,
	})
}

// inOrder are all verbs that print documents.
func inOrder(t *testing.T) []string {
	t.Helper()
	list := append([]string(nil), verbOrder...)
	for _, c := range verbs() {
		name := c.CommandPath()
		if protocols[name] != "" {
			continue
		}
		require.NotEmpty(t, everyVerb[name], "no run of %s", name)
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	require.Len(t, list, len(everyVerb), "a run of what is no verb")
	return list
}

func TestWhatEveryVerbPrintsAsJSONIsAsItsSchemaSays(t *testing.T) {
	s := settingOfEveryVerb(t)
	used := map[string]bool{}
	for _, name := range inOrder(t) {
		for _, r := range everyVerb[name] {
			if r.schema == "failures" {
				s.write(ext+"bad.ts", brokenExt)
			}
			got := s.verb(r, nil, "--json")
			require.Equal(t, r.code, got.code, "%s: %s", r.args, got.err)
			require.NotEmpty(t, strings.TrimSpace(got.out), r.args)
			documents := []string{got.out}
			if r.lines {
				documents = strings.Split(strings.TrimSpace(got.out), "\n")
			}
			for _, d := range documents {
				validate(t, r.schema, d)
			}
			used[r.schema] = true
			if r.schema == "failures" {
				require.NoError(t, os.Remove(filepath.Join(s.root, ext, "bad.ts")))
			}
		}
	}
	index, err := os.ReadFile(filepath.Join("..", "..", "docs", "schemas", "README.md"))
	require.NoError(t, err)
	paths, err := filepath.Glob(filepath.Join("..", "..", "docs", "schemas", "*.schema.json"))
	require.NoError(t, err)
	for _, path := range paths {
		require.True(t, used[strings.TrimSuffix(filepath.Base(path), ".schema.json")], "no verb printed a document for %s", path)
		require.Contains(t, string(index), "("+filepath.Base(path)+")", "the index does not name it")
	}
}

func TestEveryVerbRefusesFlagsThatItDoesNotHave(t *testing.T) {
	s := settingOfEveryVerb(t)
	for _, c := range verbs() {
		got := s.verb(verbRun{args: strings.Join(pathOf(c), " ")}, nil, "--no-such-flag")
		require.Equal(t, exitUsage, got.code, c.CommandPath())
		require.Empty(t, got.out, c.CommandPath())
		require.Regexp(t, "unknown flag: --no-such-flag|a flag that it does not know", got.err, c.CommandPath())
	}
}

// full is a stream that takes nothing, as of a disk that is full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// An answer that nobody could read is no success.
func TestEveryVerbFailsWhereItsAnswerCannotBeWritten(t *testing.T) {
	s := settingOfEveryVerb(t)
	for _, name := range inOrder(t) {
		r := everyVerb[name][0]
		if name == "rho-ext dev" { // it goes on: what it prints are news, and not its answer
			continue
		}
		got := s.verb(r, full{}, "--json")
		require.Equal(t, exitFailed, got.code, "%s: %s", r.args, got.err)
		require.Contains(t, got.err, "no space left on device", r.args)
	}
}

// verb runs one; dev ends as soon as it has told of something.
func (s *setting) verb(r verbRun, out interface{ Write([]byte) (int, error) }, more ...string) ran {
	s.t.Helper()
	s.t.Setenv("RHO_HOME", s.home)
	s.t.Setenv("CI", "")
	ctx, stop := context.WithCancel(s.t.Context())
	defer stop()
	heard, errs := &page{}, &page{}
	if out == nil {
		out = heard
	}
	args := append(strings.Fields(r.args), "--root", s.root)
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append(args, more...), streams{in: strings.NewReader(r.in), out: out, err: errs})
	}()
	if r.args == "dev" && r.schema != "" {
		heard.expect(s.t, "\n")
		stop()
	}
	return ran{code: <-ended, out: heard.String(), err: errs.String()}
}
