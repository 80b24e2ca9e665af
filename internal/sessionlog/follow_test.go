package sessionlog

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAFollowerHearsOfWhatOthersAppend(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "log")
	open := func() *Log {
		l, err := Open(Options{Dir: dir, MaxBytes: 200}) // a few lines per file
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	first := open()
	require.NoError(t, first.Append(t.Context(), "old", "before"))
	ctx, stop := context.WithCancel(t.Context())
	began, heard, done := make(chan struct{}), make(chan string, 100), make(chan struct{})
	go func() {
		defer close(done)
		close(began)
		Follow(ctx, dir, time.Millisecond, func(e Entry) {
			var s string
			_ = json.Unmarshal(e.Data, &s)
			heard <- s
		})
	}()
	<-began
	second := open()
	// What is there when it begins to look is not told; so it is told of a first
	// one that it surely has begun.
	for begun := false; !begun; {
		require.NoError(t, second.Append(ctx, "new", "begin"))
		select {
		case s := <-heard:
			require.Equal(t, "begin", s)
			begun = true
		case <-time.After(20 * time.Millisecond):
		}
	}
	for i := range 20 {
		l := first
		if i%2 == 0 {
			l = second
		}
		require.NoError(t, l.Append(ctx, "new", string(rune('a'+i))))
	}
	got := map[string]int{}
	for len(got) < 20 {
		if s := <-heard; s != "begin" {
			got[s]++
		}
	}
	stop()
	<-done
	for s, n := range got {
		require.Equal(t, 1, n, s)
	}
}
