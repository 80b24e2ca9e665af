package registry

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func names(s *Snapshot) []string {
	out := []string{}
	for _, e := range s.Tools() {
		out = append(out, e.Tool.Name())
	}
	return out
}

func TestRegisterKeepsOrderAndOwner(t *testing.T) {
	r := New()
	require.NoError(t, r.Register("", named("b", "a")...))
	require.NoError(t, r.Register("ext", &fakeTool{name: "c", risk: Network}))
	s := r.Snapshot()
	assert.Equal(t, []string{"b", "a", "c"}, names(s))
	e, ok := s.Lookup("c")
	require.True(t, ok)
	assert.Equal(t, "ext", e.Owner)
	assert.Equal(t, Info{Title: "c", Kind: KindOtherTool, Owner: "ext", Effects: EffectNet, DeclaredRisk: Network}, e.Info)
	_, ok = s.Lookup("d")
	assert.False(t, ok)
}

func TestRegisterIsAllOrNothing(t *testing.T) {
	r := New()
	require.NoError(t, r.Register("one", named("a")...))
	before := r.Snapshot()

	err := r.Register("two", named("b", "a", "c")...)
	var dup *DuplicateError
	require.ErrorAs(t, err, &dup)
	assert.Equal(t, DuplicateError{Name: "a", Owner: "one", By: "two"}, *dup)
	assert.Contains(t, err.Error(), `"one"`)
	assert.Contains(t, err.Error(), `"two"`)
	assert.Same(t, before, r.Snapshot(), "nothing changed, not even the generation")

	require.ErrorAs(t, r.Register("two", named("x", "x")...), &dup, "twice in one batch")
	assert.Panics(t, func() { r.MustRegister("two", named("a")...) })
	assert.Contains(t, r.Register("", named("a")...).Error(), "the host program")
}

func TestRegisterNamesTheRuleThatIsBroken(t *testing.T) {
	panicky := &fakeTool{name: "x"}
	for _, c := range []struct {
		about string
		tool  Tool
		rule  string
		text  string
	}{
		{"nil", nil, RuleTool, "is nil"},
		{"a nil pointer that panics", (*fakeTool)(nil), RuleTool, "panicked"},
		{"no name", &fakeTool{}, RuleName, "is empty"},
		{"a digit first", &fakeTool{name: "1a"}, RuleName, "'1' at byte 0"},
		{"a dot", &fakeTool{name: "a.b"}, RuleName, "'.' at byte 1"},
		{"another script", &fakeTool{name: "añadir"}, RuleName, "'ñ'"},
		{"a newline at the end", &fakeTool{name: "a\n"}, RuleName, `'\n'`},
		{"65 characters", &fakeTool{name: strings.Repeat("a", 65)}, RuleName, "65 bytes"},
		{"a risk that is none", &fakeTool{name: "a", risk: 9}, RuleRisk, "risk(9)"},
		{"a schema that is none", &fakeTool{name: "a", params: `{"type":`}, RuleParameters, "not valid JSON"},
		{"a broken output schema", &fakeTool{name: "a", info: Info{OutputSchema: json.RawMessage(`{"type":7}`)}}, RuleOutput, "type"},
	} {
		t.Run(c.about, func(t *testing.T) {
			r := New()
			err := r.Register("ext", panicky, c.tool)
			var invalid *InvalidToolError
			require.ErrorAs(t, err, &invalid)
			assert.Equal(t, c.rule, invalid.Rule)
			assert.Equal(t, "ext", invalid.Owner)
			assert.Contains(t, err.Error(), c.text)
			assert.Zero(t, r.Snapshot().Len())
		})
	}
	assert.NoError(t, CheckName("A-z_9"))
	assert.NoError(t, CheckName(strings.Repeat("a", 64)))
}

func TestReservedNamesAreForTheHostProgram(t *testing.T) {
	r := New()
	require.NoError(t, r.Register("old", named("grep")...))
	r.Reserve("grep", "read_file")
	var reserved *ReservedError
	require.ErrorAs(t, r.Register("ext", named("read_file")...), &reserved)
	assert.Equal(t, "read_file", reserved.Name)
	require.ErrorAs(t, r.Swap("ext", named("read_file")), &reserved)
	assert.NoError(t, r.Register("", named("read_file")...))
	assert.Equal(t, []string{"grep", "read_file"}, names(r.Snapshot()), "who has a name keeps it")
}

func TestSwap(t *testing.T) {
	r := New()
	require.NoError(t, r.Register("ext", named("a", "b", "c")...))
	require.NoError(t, r.Register("other", named("z")...))

	next := named("d", "c", "a")
	require.NoError(t, r.Swap("ext", next))
	assert.Equal(t, []string{"a", "c", "z", "d"}, names(r.Snapshot()), "names that stay keep their place")
	e, _ := r.Snapshot().Lookup("a")
	assert.Same(t, next[2], e.Tool, "the new tool under the old name")

	before := r.Snapshot()
	var dup *DuplicateError
	require.ErrorAs(t, r.Swap("ext", named("q", "z")), &dup)
	var invalid *InvalidToolError
	require.ErrorAs(t, r.Swap("ext", named("no.name")), &invalid)
	assert.Same(t, before, r.Snapshot(), "an error changes nothing")

	require.NoError(t, r.Swap("ext", nil))
	assert.Equal(t, []string{"z"}, names(r.Snapshot()))
	g := r.Snapshot().Generation()
	require.NoError(t, r.Swap("ext", nil))
	assert.Equal(t, g, r.Snapshot().Generation(), "no change is no change")
	assert.Len(t, names(before), 4, "an old snapshot stays as it was")
}

func TestRemove(t *testing.T) {
	r := New()
	require.NoError(t, r.Register("", named("a", "b")...))
	g := r.Snapshot().Generation()
	assert.True(t, r.Remove("a"))
	assert.Greater(t, r.Snapshot().Generation(), g)
	assert.False(t, r.Remove("a"))
	assert.Equal(t, []string{"b"}, names(r.Snapshot()))
	assert.True(t, r.Remove("b"))
	assert.Empty(t, r.Snapshot().Tools())
}

func TestToolsReturnsACopy(t *testing.T) {
	r := New()
	require.NoError(t, r.Register("", named("a")...))
	r.Snapshot().Tools()[0].Owner = "evil"
	e, _ := r.Snapshot().Lookup("a")
	assert.Equal(t, "", e.Owner)
}

func TestSubscribersHearOfEachChangeInOrder(t *testing.T) {
	r := New()
	require.NoError(t, r.Register("", named("before")...))
	var heard []uint64
	var other int
	cancel := r.Subscribe(func(s *Snapshot) {
		heard = append(heard, s.Generation())
		if s.Generation() == 2 { // a change from within: no deadlock, and told after this one
			require.NoError(t, r.Register("", named("nested")...))
			assert.Equal(t, []uint64{2}, heard)
		}
	})
	stop := r.Subscribe(func(*Snapshot) { other++ })
	require.NoError(t, r.Register("", named("a")...))
	assert.Equal(t, []uint64{2, 3}, heard)
	stop()
	stop()
	r.Remove("a")
	cancel()
	r.Remove("nested")
	assert.Equal(t, []uint64{2, 3, 4}, heard)
	assert.Equal(t, 2, other)
}

func TestSubscriberThatPanicsDoesNotSilenceTheRest(t *testing.T) {
	r := New()
	cancel := r.Subscribe(func(*Snapshot) { panic("oh") })
	assert.Panics(t, func() { _ = r.Register("", named("a")...) })
	cancel()
	n := 0
	r.Subscribe(func(*Snapshot) { n++ })
	require.NoError(t, r.Register("", named("b")...))
	assert.Equal(t, 1, n)
	assert.Equal(t, []string{"a", "b"}, names(r.Snapshot()))
}

func TestConcurrentChangesStayConsistent(t *testing.T) {
	r := New()
	var mu sync.Mutex
	var last uint64
	r.Subscribe(func(s *Snapshot) {
		mu.Lock()
		defer mu.Unlock()
		assert.Greater(t, s.Generation(), last)
		last = s.Generation()
	})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			owner := fmt.Sprintf("ext%d", i)
			for range 50 {
				a, b := fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i)
				assert.NoError(t, r.Swap(owner, named(a, b)))
				s := r.Snapshot()
				_, hasA := s.Lookup(a)
				_, hasB := s.Lookup(b)
				assert.True(t, hasA && hasB, "never a half swap")
				assert.NoError(t, r.Swap(owner, nil))
			}
		})
	}
	wg.Wait()
	assert.Empty(t, r.Snapshot().Tools())
	assert.Equal(t, uint64(800), r.Snapshot().Generation())
}
