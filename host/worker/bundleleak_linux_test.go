package worker

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/bundle"
)

// It counts for the whole process, so it runs beside no other test. Goroutines
// are counted when all tests are done.
func TestBundlersLeaveNothingBehind(t *testing.T) {
	descriptors := func() map[string]int {
		list, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		open := map[string]int{}
		for _, fd := range list {
			target, _ := os.Readlink("/proc/self/fd/" + fd.Name())
			kind, _, _ := strings.Cut(target, ":[") // of pipes the number
			open[kind]++
		}
		return open
	}
	var list []bundle.Options
	for range 6 {
		list = append(list, single(t, "export default 1"))
	}
	var pids []int
	round := func() {
		b, err := NewBundler(Options{})
		require.NoError(t, err)
		b.Expect(list...)
		l, err := b.current.wait(context.Background())
		require.NoError(t, err)
		pids = append(pids, l.proc.os.Pid)
		var all sync.WaitGroup
		for _, o := range list {
			all.Go(func() { _, _ = b.Build(context.Background(), o) })
		}
		require.NoError(t, l.proc.os.Kill())
		all.Wait()
		require.NoError(t, b.Close())
	}
	round()
	before := descriptors()
	for range 5 {
		round()
	}
	require.Eventually(t, func() bool { return maps.Equal(before, descriptors()) }, 10*time.Second, time.Millisecond, "%v", before)
	for _, pid := range pids {
		require.NoDirExists(t, fmt.Sprint("/proc/", pid), "a zombie")
	}
}
