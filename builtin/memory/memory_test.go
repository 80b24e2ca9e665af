package memory

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

const childVariable = "RHO_TEST_MEMORY_CHILD"

func TestMain(m *testing.M) {
	if root := os.Getenv(childVariable); root != "" {
		storeForEver(root)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock")) // it ends by itself
}

func doorTo(t testing.TB, root string, redact func(string) string) *registry.Door {
	t.Helper()
	r := registry.New()
	require.NoError(t, Register(r, Options{Root: root, Redact: redact}))
	t.Cleanup(func() { require.NoError(t, r.Swap("", nil)) })
	return registry.NewDoor(r, nil)
}

func call(t testing.TB, d *registry.Door, args map[string]any) (*registry.Outcome, Answer) {
	t.Helper()
	raw, err := json.Marshal(args)
	require.NoError(t, err)
	o := d.Call(context.Background(), registry.Request{Tool: "memory", Arguments: raw})
	var a Answer
	if o.Structured != nil {
		require.NoError(t, json.Unmarshal(o.Structured, &a))
	}
	return o, a
}

func TestMemory(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := doorTo(t, root, nil)
	assert.NoFileExists(t, filepath.Join(root, path), "nothing is made before it is needed")
	o, a := call(t, d, map[string]any{"operation": "store", "title": "Release", "content": "Tags are signed with the key of the maintainers.", "tags": []string{"process", "git", "process"}})
	require.Equal(t, registry.StatusSuccess, o.Status, o.Text)
	id := a.Notes[0].ID
	assert.Equal(t, []string{"process", "git"}, a.Notes[0].Tags)
	if runtime.GOOS != "windows" {
		st, err := os.Stat(filepath.Join(root, path))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	}

	o, a = call(t, d, map[string]any{"operation": "store", "title": "Other title", "content": "Tags are signed with the key of the maintainers."})
	assert.True(t, a.Known)
	assert.Equal(t, id, a.Notes[0].ID, "the same content is found again")
	assert.Contains(t, o.Text, "kept already")
	call(t, d, map[string]any{"operation": "store", "title": "Café", "content": "Die Küche öffnet um neun; maintaining <memory> frames </memory> is hard.", "tags": []string{"git"}})

	for query, want := range map[string]int{
		"signed": 1, "SIGNED tags": 1, "signed nothing": 0, "maint*": 2, "maint": 0, `"signed with the"`: 1, `"with signed"`: 0, "cafe": 1, "kuche": 1,
		"": 2, "   ": 2, "AND OR NOT": 0, "*": 2, `"`: 2, "release": 1, "process": 1, `") OR 1=1 --`: 0, "title:signed": 0, "NEAR(signed key)": 0, "{": 2, "signed^2": 0, "\x00signed": 1,
	} {
		o, a = call(t, d, map[string]any{"operation": "search", "query": query})
		assert.Equal(t, registry.StatusSuccess, o.Status, "%q: %s", query, o.Text)
		assert.Equal(t, want, a.Total, "%q", query)
	}
	_, a = call(t, d, map[string]any{"operation": "search", "query": "signed", "tags": []string{"git", "process"}})
	assert.Equal(t, 1, a.Total)
	assert.Equal(t, "Tags are [signed] with the key of the maintainers.", a.Notes[0].Content)
	_, a = call(t, d, map[string]any{"operation": "search", "query": "signed", "tags": []string{"git", "nothing"}})
	assert.Zero(t, a.Total)
	o, a = call(t, d, map[string]any{"operation": "list", "tags": []string{"git"}, "limit": 1})
	assert.Equal(t, 2, a.Total)
	require.Len(t, a.Notes, 1)
	assert.Equal(t, "Café", a.Notes[0].Title, "the latest first")
	assert.Equal(t, 1, strings.Count(o.Text, "</memory>"), "a note cannot end its frame")

	_, a = call(t, d, map[string]any{"operation": "update", "id": id, "new_content": "Tags are not needed.", "tags": []string{}})
	assert.Equal(t, "Release", a.Notes[0].Title)
	assert.Empty(t, a.Notes[0].Tags)
	_, a = call(t, d, map[string]any{"operation": "search", "query": "signed"})
	assert.Zero(t, a.Total, "the index follows")
	_, a = call(t, d, map[string]any{"operation": "get", "id": strings.ToUpper(id)})
	assert.Equal(t, "Tags are not needed.", a.Notes[0].Content)
	o, _ = call(t, d, map[string]any{"operation": "delete", "id": id})
	assert.Equal(t, fmt.Sprintf(`<memory_delete id="%s" deleted="true" />`, id), o.Text)
	for _, op := range []string{"get", "delete"} {
		o, _ = call(t, d, map[string]any{"operation": op, "id": id})
		assert.Equal(t, registry.KindNotFound, o.Failure.Kind)
	}
	for _, name := range []string{path, path + "-wal"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		assert.NotContains(t, string(data), "Tags are not needed.", "what is deleted is gone")
	}
}

func TestMemoryRefuses(t *testing.T) {
	t.Parallel()
	d := doorTo(t, t.TempDir(), nil)
	_, a := call(t, d, map[string]any{"operation": "store", "title": "a", "content": "one"})
	_, b := call(t, d, map[string]any{"operation": "store", "title": "b", "content": "two"})
	for about, c := range map[string]struct {
		args map[string]any
		text string
	}{
		"no title":           {map[string]any{"operation": "store", "content": "x"}, "title: required for the operation store"},
		"blank content":      {map[string]any{"operation": "store", "title": "x", "content": " "}, "content: required"},
		"no id":              {map[string]any{"operation": "get"}, "id: required for the operation get"},
		"no UUID":            {map[string]any{"operation": "get", "id": "1; DROP TABLE documents"}, "id"},
		"an unknown note":    {map[string]any{"operation": "update", "id": "00000000-0000-0000-0000-000000000000", "new_title": "x"}, "there is no note"},
		"nothing to update":  {map[string]any{"operation": "update", "id": a.Notes[0].ID}, "new_title, new_content or tags: required"},
		"content of another": {map[string]any{"operation": "update", "id": a.Notes[0].ID, "new_content": "two"}, b.Notes[0].ID},
		"an emptied note":    {map[string]any{"operation": "update", "id": a.Notes[0].ID, "new_title": ""}, "delete"},
		"another operation":  {map[string]any{"operation": "drop"}, "operation"},
	} {
		t.Run(about, func(t *testing.T) {
			o, _ := call(t, d, c.args)
			assert.True(t, o.IsError)
			assert.Contains(t, o.Text, c.text)
		})
	}
}

func TestMemoryTakesSecretsOutBeforeItStores(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := doorTo(t, root, func(s string) string { return strings.ReplaceAll(s, "hunter2", "[REDACTED]") })
	_, a := call(t, d, map[string]any{"operation": "store", "title": "the hunter2 title", "content": "the password is hunter2", "tags": []string{"hunter2"}})
	id := a.Notes[0].ID
	call(t, d, map[string]any{"operation": "update", "id": id, "new_title": "again hunter2"})
	for _, name := range []string{path, path + "-wal"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		assert.NotContains(t, string(data), "hunter2")
	}
}

func TestMemoryIsReadToSearchAndWriteToChange(t *testing.T) {
	t.Parallel()
	tool := New(Options{Root: t.TempDir()})
	e, ok := registry.As[registry.Effecter](tool)
	require.True(t, ok)
	for _, op := range []string{"search", "get", "list"} {
		assert.Equal(t, registry.Read, e.EffectsOf(json.RawMessage(`{"operation":"`+op+`"}`)).Risk(), op)
	}
	for _, op := range []string{"store", "update", "delete", "unknown"} {
		assert.Equal(t, registry.Write, e.EffectsOf(json.RawMessage(`{"operation":"`+op+`"}`)).Risk(), op)
	}
	assert.Equal(t, registry.Write, tool.Risk())
}

func TestMemoryWithAFileThatIsNone(t *testing.T) {
	t.Parallel()
	for about, make := range map[string]func(t *testing.T, root string){
		"a damaged file": func(t *testing.T, root string) {
			require.NoError(t, os.WriteFile(filepath.Join(root, path), []byte(strings.Repeat("no database ", 1000)), 0o600))
		},
		"a link": func(t *testing.T, root string) {
			victim := filepath.Join(t.TempDir(), "victim")
			require.NoError(t, os.WriteFile(victim, []byte("keep"), 0o600))
			if os.Symlink(victim, filepath.Join(root, path)) != nil {
				t.Skip("no symbolic links here")
			}
			t.Cleanup(func() {
				data, err := os.ReadFile(victim)
				require.NoError(t, err)
				assert.Equal(t, "keep", string(data))
			})
		},
		"a folder": func(t *testing.T, root string) { require.NoError(t, os.Mkdir(filepath.Join(root, path), 0o755)) },
	} {
		t.Run(about, func(t *testing.T) {
			root := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(root, ".rho"), 0o755))
			make(t, root)
			o, _ := call(t, doorTo(t, root, nil), map[string]any{"operation": "store", "title": "a", "content": "b"})
			assert.True(t, o.IsError)
			assert.Contains(t, o.Text, "move it away")
		})
	}
}

// storeForEver is the child of the tests below: it says each id that it has
// stored.
func storeForEver(root string) {
	db := newStore(Options{Root: root})
	for i := 0; ; i++ {
		a, err := db.add(context.Background(), "title", fmt.Sprintf("note %d of process %d", i, os.Getpid()), []string{"t"})
		if err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		fmt.Println(a.Notes[0].ID)
	}
}

func TestMemoryLosesNothingWhenProcessesAreKilled(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	rounds := 4
	if os.Getenv("RHO_LONG") != "" {
		rounds = 60
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	var stored []string
	for range rounds {
		var wg sync.WaitGroup
		var mu sync.Mutex
		for range 2 { // two at once
			wg.Go(func() {
				cmd := exec.Command(exe)
				cmd.Env = append(os.Environ(), childVariable+"="+root)
				out, err := cmd.StdoutPipe()
				if !assert.NoError(t, err) || !assert.NoError(t, cmd.Start()) {
					return
				}
				lines := bufio.NewScanner(out)
				for n := rand.N(60) + 1; lines.Scan(); n-- {
					mu.Lock()
					stored = append(stored, lines.Text())
					mu.Unlock()
					if n == 0 {
						assert.NoError(t, cmd.Process.Kill())
					}
				}
				_ = cmd.Wait()
			})
		}
		wg.Wait()
	}
	d := doorTo(t, root, nil)
	require.Greater(t, len(stored), rounds)
	for _, id := range stored {
		o, _ := call(t, d, map[string]any{"operation": "get", "id": id})
		require.Equal(t, registry.StatusSuccess, o.Status, "%s: %s", id, o.Text)
	}
	db := newStore(Options{Root: root})
	defer func() { require.NoError(t, db.close()) }()
	conn, err := db.open(t.Context())
	require.NoError(t, err)
	_, err = conn.Exec("INSERT INTO documents_fts (documents_fts, rank) VALUES ('integrity-check', 1)")
	require.NoError(t, err, "the index has what the table has")
	t.Logf("%d notes stored by %d processes that were killed, none lost", len(stored), 2*rounds)
}

func TestMemoryFindsInTime(t *testing.T) {
	t.Parallel()
	n := 5000
	if os.Getenv("RHO_LONG") != "" {
		n = 100_000
	}
	db := newStore(Options{Root: t.TempDir()})
	defer func() { require.NoError(t, db.close()) }()
	conn, err := db.open(t.Context())
	require.NoError(t, err)
	tx, err := conn.Begin()
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([]string, 20_000)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("word%d", i)
	}
	// Words are as unevenly spread as those of a language.
	spread := rand.NewZipf(random, 1.1, 5, uint64(len(vocabulary)-1))
	for i := range n {
		var b strings.Builder
		for range 80 {
			b.WriteString(vocabulary[spread.Uint64()] + " ")
		}
		_, err := tx.Exec("INSERT INTO documents (id, title, content, content_hash, tags, created_at, updated_at) VALUES (?, ?, ?, ?, '[\"t\"]', ?, ?)",
			fmt.Sprintf("%036d", i), fmt.Sprintf("note %s", vocabulary[spread.Uint64()]), b.String(), fmt.Sprint(i), stamp(), stamp())
		require.NoError(t, err)
	}
	require.NoError(t, tx.Commit())
	for about, query := range map[string]func() string{
		"two words":     func() string { return vocabulary[spread.Uint64()] + " " + vocabulary[random.IntN(len(vocabulary))] },
		"one rare word": func() string { return vocabulary[1000+random.IntN(19_000)] },
		"any word":      func() string { return vocabulary[spread.Uint64()] },
		"a beginning":   func() string { return vocabulary[100+random.IntN(9000)] + "*" },
	} {
		var took []time.Duration
		found := 0
		for range 200 {
			q := query()
			start := time.Now()
			a, err := db.search(t.Context(), q, nil, 10, 0)
			took = append(took, time.Since(start))
			require.NoError(t, err)
			found += a.Total
		}
		slices.Sort(took)
		t.Logf("%d notes, %s: p50 %v, p95 %v, %d found on average", n, about, took[100], took[190], found/200)
		assert.Less(t, took[100], time.Second)
	}
}

func TestMemoryConforms(t *testing.T) {
	registrytest.Run(t, New(Options{Root: t.TempDir()}), registrytest.Options{Args: json.RawMessage(`{"operation":"search","query":"x"}`)})
	registrytest.Run(t, New(Options{Root: t.TempDir()}), registrytest.Options{Args: json.RawMessage(`{"operation":"store","title":"t","content":"c"}`)})
}

func TestMemoryWithHostileTexts(t *testing.T) {
	t.Parallel()
	d := doorTo(t, t.TempDir(), nil)
	call(t, d, map[string]any{"operation": "store", "title": "kept", "content": "a plain note"})
	hostile := []string{
		`'; DROP TABLE documents; --`, `" OR "1"="1`, `documents_fts MATCH '*'`, `*`, `-`, `^`, `NEAR(a b)`, `a AND`, `NOT`, `(`, `)`, `{a b}:c`, `title:*`, `""`, `"`, `"""`, `\`, "\x00", "a\x00b",
		"\u202e", "é" + strings.Repeat("\u0301", 100), strings.Repeat("a ", 200), strings.Repeat(`"`, 450), "<memory>", "</memory>", "</memory_search>", "%s%n", "${x}", "`x`", "?1", ":id", "@p", "$1",
		"[", "]", "a*b*c", "++", "a:b", "col : x", `"a" + "b"`, "\U0001F600", "-- x", "/* x */", "1e999", "null", "true",
	}
	for _, v := range hostile {
		for _, args := range []map[string]any{
			{"operation": "search", "query": v}, {"operation": "search", "query": "plain", "tags": []string{v}}, {"operation": "list", "tags": []string{v}},
			{"operation": "store", "title": v + "t", "content": v + " content", "tags": []string{v}},
		} {
			o, _ := call(t, d, args)
			assert.Equal(t, registry.StatusSuccess, o.Status, "%v: %s", args, o.Text)
		}
		o, _ := call(t, d, map[string]any{"operation": "get", "id": v})
		assert.True(t, o.IsError)
	}
	_, a := call(t, d, map[string]any{"operation": "search", "query": "plain"})
	assert.Equal(t, 1, a.Total)
}
