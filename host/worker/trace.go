package worker

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// trace collects from Go's stack traces which sandboxes were executing. It is
// fed line by line, and forgets the rest.
type trace struct {
	first   uint64          // of the first goroutine; 0: of no sandbox
	seen    bool            // a goroutine
	working map[uint64]bool // of all
	calls   map[uint64]bool // whose code was executing, of those
}

// line takes one line of a trace, such as
//
//	goroutine 20 gp=0x3a m=0 mp=0x5e [running labels:{"sandbox": "3"}]:
func (t *trace) line(text string) {
	text, ok := strings.CutPrefix(text, "goroutine ")
	if !ok || !strings.HasSuffix(text, "]:") {
		return
	}
	_, state, ok := strings.Cut(text, "[")
	if !ok {
		return
	}
	state, labels, _ := strings.Cut(state, " labels:{")
	id, err := label(labels, sandboxLabel)
	if !t.seen {
		t.seen = true
		if err == nil {
			t.first = id
		}
	}
	if err != nil || !isWorking(state) {
		return
	}
	if t.working == nil {
		t.working = map[uint64]bool{}
	}
	t.working[id] = true
	if call, err := label(labels, callLabel); err == nil {
		if t.calls == nil {
			t.calls = map[uint64]bool{}
		}
		t.calls[call] = true
	}
}

// label reads a number from the labels of a goroutine.
func label(labels, name string) (uint64, error) {
	_, number, _ := strings.Cut(labels, strconv.Quote(name)+": \"")
	number, _, _ = strings.Cut(number, "\"")
	return strconv.ParseUint(number, 10, 64)
}

// accusation is a line of a trace that says that a sandbox was executing.
func accusation(sandbox uint64) string {
	return fmt.Sprintf("goroutine 0 [running labels:{%q: \"%d\"}]:", sandboxLabel, sandbox)
}

// isWorking reports whether a goroutine's state is one of code that runs, or
// would if it were let. All others wait for something.
func isWorking(state string) bool {
	for _, s := range []string{"running", "runnable", "preempted", "copystack", "GC assist"} {
		if strings.HasPrefix(state, s) {
			return true
		}
	}
	return false
}

// stacks gives the traces of all goroutines.
func stacks() []byte {
	for size := 256 << 10; ; size *= 2 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size || size >= 16<<20 {
			return buf[:n]
		}
	}
}

// executing gives the sandboxes whose code is executing now.
func executing() map[uint64]bool {
	var t trace
	for line := range strings.Lines(string(stacks())) {
		t.line(strings.TrimSuffix(line, "\n"))
	}
	return t.working
}

// mourn waits for the end of a sandbox and tells the host, also when its code
// goes on where no interrupt reaches it. It does not hold on to the sandbox.
func (s *server) mourn(h *hosted, done <-chan struct{}) {
	<-done
	s.mu.Lock()
	closing, rough := h.closing, h.rough
	s.mu.Unlock()
	if !closing {
		_ = s.conn.send(&frame{header: header{Kind: kindDone, Sandbox: h.id}})
	}
	if closing && !rough {
		return
	}
	for range 12 {
		time.Sleep(25 * time.Millisecond) // there is nothing to wait for
		if !executing()[h.id] {
			_ = s.conn.send(&frame{header: header{Kind: kindSound, Sandbox: h.id}})
			return
		}
	}
	_ = s.conn.send(&frame{header: header{Kind: kindSpent, Sandbox: h.id}})
}
