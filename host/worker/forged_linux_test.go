package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// TestAForgedFrameEndsTheWorker writes to the host what a worker that was taken
// over could.
func TestAForgedFrameEndsTheWorker(t *testing.T) {
	t.Parallel()
	for name, data := range bad() {
		if strings.HasPrefix(name, "a truncated") || name == "a payload that is short" {
			continue // the rest may yet come
		}
		forged(t, name, data, CauseProtocol)
	}
	forged(t, "an unknown kind", sound(`{"k":"attack"}`, ""), CauseProtocol)
	forged(t, "a request that is none", sound(`{"k":"do","i":1,"s":SANDBOX,"p":[1]}`, "x"), CauseProtocol)
	forged(t, "a result that is none", sound(`{"k":"result","i":CALL,"p":[2]}`, "{}"), CauseProtocol)
}

// forged sends data to the host as if it came from the worker, which is stopped
// meanwhile.
func forged(t *testing.T, name string, data []byte, want Cause) {
	var seen deaths
	f := newFactory(t, Options{OnDeath: seen.add, NoStandby: true})
	r := mustLoad(t, f, "ext", contract)
	l := r.link()
	end := make(chan wire.CallResult, 1)
	go func() { end <- r.within(time.Minute, "wait", "{}") }()
	require.Eventually(t, func() bool { return r.running() == 1 }, 10*time.Second, time.Millisecond)
	l.mu.Lock()
	var id uint64
	for id = range l.calls {
	}
	l.mu.Unlock()
	text := strings.NewReplacer("SANDBOX", fmt.Sprint(r.sb.(*remote).id), "CALL", fmt.Sprint(id)).Replace(string(data[8:]))
	data = append([]byte{}, data[:8]...)
	if head, _, ok := strings.Cut(text, "}"); ok && strings.HasPrefix(text, `{"k"`) {
		binary.LittleEndian.PutUint32(data, uint32(len(head)+1))
	}
	data = append(data, text...)
	require.NoError(t, l.inject(data), name)
	res := <-end
	require.Equal(t, codeLost, res.Thrown.Code, name)
	require.True(t, res.Guilty, name)
	<-l.gone
	require.Equal(t, want, seen.last(t).Cause, name)
}

// inject has the host read data in place of what the worker says.
func (l *link) inject(data []byte) error {
	// The worker's end of the pipe is in the worker: open it again.
	path := fmt.Sprintf("/proc/%d/fd/%d", l.proc.os.Pid, fdOut)
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer w.Close()
	_, err = w.Write(data)
	return err
}

func TestAWorkerThatAsksWithoutEndAndDoesNotListenIsEnded(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{true, false} {
		var seen deaths
		f := newFactory(t, Options{OnDeath: seen.add})
		r := mustLoad(t, f, "ext", contract)
		l := r.link()
		require.NoError(t, l.proc.os.Signal(syscall.SIGSTOP))
		sandbox := uint64(1 << 40)
		if known {
			sandbox = r.sb.(*remote).id
		}
		var flood bytes.Buffer
		var buf []byte
		for i := range 3 * maxRefusals {
			f := &frame{header: header{Kind: kindDo, ID: uint64(1000 + i), Sandbox: sandbox}, parts: [][]byte{[]byte(`{"Call":"none","Op":"read"}`), nil, nil}}
			var err error
			buf, err = f.write(&flood, buf)
			require.NoError(t, err)
		}
		_ = l.inject(flood.Bytes()) // it is cut short
		<-l.gone
		require.Equal(t, CauseProtocol, seen.last(t).Cause)
	}
}

func TestAWorkerThatStopsAnsweringIsReplaced(t *testing.T) {
	t.Parallel()
	var seen deaths
	f := newFactory(t, Options{OnDeath: seen.add})
	r := mustLoad(t, f, "ext", contract)
	require.NoError(t, r.link().proc.os.Signal(syscall.SIGSTOP))
	big, err := json.Marshal(map[string]string{"text": strings.Repeat("x", 4<<20)}) // more than the pipe takes
	require.NoError(t, err)
	start := time.Now()
	res := r.within(50*time.Millisecond, "echo", string(big))
	require.Equal(t, registry.KindTimeout, res.Thrown.Kind)
	require.Less(t, time.Since(start), 5*time.Second)
	<-r.sb.Done()
	again, fail := f.load(t, bundled(t, "other", contract), time.Minute)
	require.Nil(t, fail)
	require.Equal(t, "x", again.text("echo", `{"text":"x"}`))
	require.Equal(t, CauseTimeout, seen.last(t).Cause)
}
