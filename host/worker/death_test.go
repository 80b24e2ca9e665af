package worker

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
)

func TestTracesTellWhoWasAtWork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		first      uint64
		working    []uint64
	}{
		{"nothing", "", 0, nil},
		{"a death", "fatal error: stack overflow\n\nruntime stack:\n\ngoroutine 20 gp=0x3a2a m=0 mp=0x5e64a0 [running labels:{\"sandbox\": \"3\"}]:\nmain.f()\n\ngoroutine 1 gp=0x3a m=nil [select labels:{\"sandbox\": \"4\"}]:", 3, []uint64{3}},
		{"one of ours first", "goroutine 1 [running]:\ngoroutine 2 [runnable labels:{\"sandbox\": \"5\"}]:", 0, []uint64{5}},
		{"those that wait", "goroutine 1 [chan receive, 2 minutes labels:{\"sandbox\": \"1\"}]:\ngoroutine 2 [IO wait labels:{\"sandbox\": \"2\"}]:\ngoroutine 3 [sync.Mutex.Lock labels:{\"sandbox\": \"3\"}]:", 1, nil},
		{"those that allocate", "goroutine 1 [GC assist wait labels:{\"sandbox\": \"1\"}]:\ngoroutine 2 [GC assist marking, locked to thread labels:{\"x\": \"y\", \"sandbox\": \"2\"}]:", 1, []uint64{1, 2}},
		{"a call's code", "goroutine 1 [running labels:{\"call\": \"9\", \"sandbox\": \"6\"}]:", 6, []uint64{6}},
		{"no numbers", "goroutine 1 [running labels:{\"sandbox\": \"x\"}]:\ngoroutine 2 [running labels:{\"other\": \"2\"}]:\ngoroutine [\ngoroutine ]:\ngoroutine 3 [running labels:{\"sandbox\": \"99999999999999999999999\"}]:", 0, nil},
	} {
		var tr trace
		for line := range strings.Lines(c.text) {
			tr.line(strings.TrimSuffix(line, "\n"))
		}
		require.Equal(t, c.first, tr.first, c.name)
		require.Len(t, tr.working, len(c.working), c.name)
		for _, id := range c.working {
			require.True(t, tr.working[id], c.name)
		}
		require.Equal(t, c.name == "a call's code", tr.calls[9], c.name)
	}
}

func TestDeathsHaveCauses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ending    Cause
		words     string
		signalled bool
		large     bool
		want      Cause
	}{
		{"", "", true, false, ""},
		{CauseCrash, "fatal error: runtime: out of memory\n", false, false, CauseMemory},
		{CauseCrash, "runtime: out of memory: cannot allocate 4194304-byte block (1 in use)\n", false, false, CauseMemory},
		{CauseCrash, "fatal error: rho-ext: out of memory\n", false, false, CauseMemory},
		{CauseCrash, "runtime: goroutine stack exceeds 67108864-byte limit\n", false, false, CauseStack},
		{CauseCrash, "runtime/cgo: pthread_create failed: Resource temporarily unavailable\n", true, false, CauseMemory},
		{CauseCrash, "runtime: failed to create new OS thread (have 9 already; errno=11)\n", false, false, CauseMemory},
		{CauseCrash, "panic: x\n", false, false, CauseCrash},
		{CauseCrash, "", true, false, CauseKilled},
		{CauseCrash, "", true, true, CauseMemory},
		{CauseCrash, "SIGQUIT: quit\n", false, false, CauseKilled},
		{CauseTimeout, "SIGQUIT: quit\n", false, false, CauseTimeout},
		{CauseMemory, "", true, false, CauseMemory},
		{CauseProtocol, "", true, false, CauseProtocol},
	} {
		got, _ := classify(ending{cause: c.ending}, c.words, c.signalled, c.large)
		require.Equal(t, c.want, got, "%+v", c)
	}
	require.True(t, isGreedy("runtime: out of memory: cannot allocate 68719476736-byte block (4 in use)"))
	require.True(t, isGreedy("cannot allocate 99999999999999999999999-byte block"))
	require.False(t, isGreedy("cannot allocate 4194304-byte block"))
	require.False(t, isGreedy("fatal error"))
}

func TestBlameFallsOnWhoIsCertain(t *testing.T) {
	t.Parallel()
	const a, b, gone = 1, 2, 9 // sandboxes; the last was closed long ago
	for _, c := range []struct {
		name    string
		cause   Cause
		first   uint64
		working []uint64
		greedy  bool
		late    int      // index of the call, or -1
		calls   []uint64 // the sandbox of each
		guilty  int      // index of the call, or -1
		accused map[uint64]bool
	}{
		{"the only call of the first", CauseStack, a, []uint64{a, b}, false, -1, []uint64{a, b}, 0, map[uint64]bool{a: true}},
		{"one of two calls", CauseStack, a, nil, false, -1, []uint64{a, a}, -1, map[uint64]bool{a: true}},
		{"the first is gone", CauseStack, gone, []uint64{b}, false, -1, []uint64{b}, -1, nil},
		{"the only one at work", CauseMemory, 0, []uint64{b}, false, -1, []uint64{a, b}, 1, map[uint64]bool{b: true}},
		{"two at work", CauseMemory, a, []uint64{a, b}, false, -1, []uint64{a, b}, -1, map[uint64]bool{a: false, b: false}},
		{"two at work, one greedy", CauseMemory, b, []uint64{a, b}, true, -1, []uint64{a, b}, 1, map[uint64]bool{b: true}},
		{"one at work, and one that is gone", CauseMemory, 0, []uint64{a, gone}, false, -1, []uint64{a}, -1, map[uint64]bool{a: false}},
		{"nothing known, one call", CauseMemory, 0, nil, false, -1, []uint64{a}, 0, map[uint64]bool{a: true}},
		{"nothing known, two sandboxes", CauseMemory, 0, nil, false, -1, []uint64{a, b}, -1, map[uint64]bool{a: false, b: false}},
		{"late and silent", CauseTimeout, 0, nil, false, 1, []uint64{a, a, b}, 1, map[uint64]bool{a: true}},
		{"late through another", CauseTimeout, 0, []uint64{b}, false, 0, []uint64{a, b}, -1, map[uint64]bool{b: true}},
		{"late and at work", CauseTimeout, 0, []uint64{a}, false, 1, []uint64{a, a}, 1, map[uint64]bool{a: true}},
	} {
		sandboxes := map[uint64]*remote{a: {}, b: {}}
		calls := map[uint64]*call{}
		var order []*call
		for i, id := range c.calls {
			one := sandboxes[id].newCall(context.Background(), wire.CallRequest{}, nil)
			calls[uint64(i)] = one
			order = append(order, one)
		}
		v := &verdict{cause: c.cause, accused: map[*remote]bool{}}
		if c.late >= 0 {
			v.late = order[c.late]
		}
		tr := trace{first: c.first, working: map[uint64]bool{}}
		for _, id := range c.working {
			tr.working[id] = true
		}
		v.blame(tr, c.greedy, calls, sandboxes)
		if c.guilty < 0 {
			require.Nil(t, v.guilty, c.name)
		} else {
			require.Same(t, order[c.guilty], v.guilty, c.name)
		}
		require.Len(t, v.accused, len(c.accused), c.name)
		for id, sure := range c.accused {
			got, ok := v.accused[sandboxes[id]]
			require.True(t, ok && got == sure, "%s: %d", c.name, id)
		}
	}
}
