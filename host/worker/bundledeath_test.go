//go:build unix

package worker

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/bundle"
)

// tangled keeps the bundler's parser busy for longer than anybody waits.
var tangled = strings.Repeat("a ? (b) : c => ", 30) + "d" + strings.Repeat(": e", 30)

// overflowing makes the bundler's parser of settings overflow its stack: it
// reads packages' by itself.
func overflowing(t testing.TB) bundle.Options {
	return written(t, map[string]string{"ext/ext.ts": `import a from "pkg"; export default a`,
		"ext/node_modules/pkg/package.json": `{"name":` + strings.Repeat("[", 2_000_000)}, nil)
}

// hold gives a build that takes its whole time, and waits until it is under way.
func hold(t testing.TB, b *Bundler, within time.Duration) (*bundleLink, <-chan error) {
	t.Helper()
	o := single(t, tangled)
	o.ID, o.Timeout = "held", within
	end := make(chan error, 1)
	go func() {
		_, err := b.Build(context.Background(), o)
		end <- err
	}()
	var l *bundleLink
	require.Eventually(t, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		for l = range b.all {
			l.mu.Lock()
			n := len(l.builds)
			l.mu.Unlock()
			if n > 0 {
				return true
			}
		}
		return false
	}, 20*time.Second, time.Millisecond)
	return l, end
}

func TestABuildThatTakesTooLongLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	var d deaths
	b := newBundler(t, Options{OnDeath: d.add})
	o := single(t, tangled)
	o.Timeout = 100 * time.Millisecond
	_, here := bundle.Build(single(t, "export default 1"))
	require.NoError(t, here)
	_, err := b.Build(context.Background(), o)
	require.Equal(t, bundle.Late(o).List, failed(t, err).List)
	require.Eventually(t, func() bool { return b.processesLeft() == 0 }, 20*time.Second, time.Millisecond, "the parser still runs")
	require.Equal(t, 1, b.startedSoFar())
	require.Empty(t, d.get(), "that was our own will")
	_, err = b.Build(context.Background(), single(t, "export default 1"))
	require.NoError(t, err)
}

func TestABundlerThatDoesNotAnswerFailsTheBuildThatIsLate(t *testing.T) {
	t.Parallel()
	var d deaths
	b := newBundler(t, Options{OnDeath: d.add})
	b.grace = 50 * time.Millisecond
	l, end := hold(t, b, 2*time.Second)
	require.NoError(t, l.proc.os.Signal(syscall.SIGSTOP))
	require.Contains(t, failed(t, <-end).List[0].Message, "could not be bundled within 2s")
	require.Eventually(t, func() bool { return len(d.get()) == 1 }, 10*time.Second, time.Millisecond)
	require.Equal(t, CauseTimeout, d.get()[0].Cause)
	require.Equal(t, "held", d.get()[0].Extension)
	require.Equal(t, 1, b.startedSoFar(), "it is not tried again")
	_, err := b.Build(context.Background(), single(t, "export default 1"))
	require.NoError(t, err)
}

func TestABuildThatKillsItsProcessFailsAlone(t *testing.T) {
	t.Parallel()
	large := "export default [" + strings.Repeat(`{ a: () => [1, "x", f(y)] },`, 120_000) + "]"
	for name, c := range map[string]struct {
		bad     bundle.Options
		opts    Options
		cause   Cause
		message string
	}{
		"stack":  {bad: overflowing(t), cause: CauseStack, message: "overflowed its stack"},
		"memory": {bad: single(t, large), opts: Options{SoftMemory: 24 << 20}, cause: CauseMemory, message: "ran out of memory (more than 24 MB)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d deaths
			c.opts.OnDeath = d.add
			b := newBundler(t, c.opts)
			list := []bundle.Options{c.bad}
			list[0].ID = "bad"
			for range 8 {
				list = append(list, single(t, `import { s } from "rho-ext"; export default s`))
			}
			b.Expect(list...)
			errs := make([]error, len(list))
			var all sync.WaitGroup
			for i, o := range list {
				all.Go(func() { _, errs[i] = b.Build(context.Background(), o) })
			}
			all.Wait()
			for _, err := range errs[1:] {
				require.NoError(t, err)
			}
			f := failed(t, errs[0]).List
			require.Len(t, f, 1)
			require.Contains(t, f[0].Message, c.message)
			require.NotEmpty(t, f[0].Hint)
			require.Equal(t, "ext.ts", f[0].Position.File)
			require.Eventually(t, func() bool { return len(d.get()) > 0 }, 20*time.Second, time.Millisecond)
			require.LessOrEqual(t, len(d.get()), 2, "guilty ones get no third try")
			for _, one := range d.get() {
				require.Equal(t, c.cause, one.Cause, one.Detail)
			}
			last := d.get()[len(d.get())-1]
			require.Equal(t, "bad", last.Extension)

			// Alone from the start, it has one try.
			before := len(d.get())
			_, err := b.Build(context.Background(), list[0])
			require.Contains(t, err.Error(), c.message)
			require.Eventually(t, func() bool { return len(d.get()) > before }, 20*time.Second, time.Millisecond)
		})
	}
}

func TestEachBuildHasOneResultWhenTheBundlerIsKilled(t *testing.T) {
	t.Parallel()
	var d deaths
	b := newBundler(t, Options{OnDeath: d.add})
	b.slots = make(chan struct{}, 20)
	var list []bundle.Options
	for i := range 20 {
		list = append(list, single(t, fmt.Sprintf("export default [%s 'number %d']", strings.Repeat("{ a: 1 },", 20_000), i)))
	}
	b.Expect(list...)
	made := make([]*bundle.Bundle, len(list))
	errs := make([]error, len(list))
	var all sync.WaitGroup
	for i, o := range list {
		all.Go(func() { made[i], errs[i] = b.Build(context.Background(), o) })
	}
	// In the middle of it.
	var l *bundleLink
	require.Eventually(t, func() bool {
		b.mu.Lock()
		la := b.current
		b.mu.Unlock()
		select {
		case <-la.done:
		default:
			return false
		}
		l = la.link
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.last == 20
	}, 20*time.Second, 100*time.Microsecond)
	require.NoError(t, l.proc.os.Kill())
	all.Wait()
	for i, err := range errs {
		require.NoError(t, err)
		require.True(t, strings.Contains(string(made[i].Script), fmt.Sprintf(`"number %d"`, i)), "its own")
	}
	require.Len(t, d.get(), 1)
	require.Equal(t, CauseKilled, d.get()[0].Cause)
	require.Empty(t, d.get()[0].Extension)
	require.Positive(t, d.get()[0].Lost)
	require.Equal(t, 1+d.get()[0].Lost, b.startedSoFar(), "each of those alone")
	require.Eventually(t, func() bool { return b.processesLeft() == 0 }, 20*time.Second, time.Millisecond)
}

func TestABuildIsTriedTwiceAndNotMore(t *testing.T) {
	t.Parallel()
	b := newBundler(t, Options{})
	first, end := hold(t, b, time.Minute)
	require.NoError(t, first.proc.os.Kill())
	<-first.gone
	var second *bundleLink
	require.Eventually(t, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		for second = range b.all {
			second.mu.Lock()
			n := second.last
			second.mu.Unlock()
			return n > 0
		}
		return false
	}, 20*time.Second, time.Millisecond)
	require.NoError(t, second.proc.os.Kill())
	f := failed(t, <-end).List[0]
	require.Contains(t, f.Message, "was killed, twice")
	require.NotEmpty(t, f.Hint)
	require.Equal(t, 2, b.startedSoFar())
}

func TestClosingABundlerEndsItsBuildsAndProcesses(t *testing.T) {
	t.Parallel()
	b, err := NewBundler(Options{})
	require.NoError(t, err)
	l, end := hold(t, b, time.Minute)
	require.NoError(t, b.Close())
	require.Contains(t, failed(t, <-end).List[0].Message, "closed")
	require.Zero(t, b.processesLeft())
	require.ErrorIs(t, l.proc.os.Signal(syscall.Signal(0)), os.ErrProcessDone, "it was waited for")
}

func TestABuildThatIsGivenUpGoesOnUntilItsTimeIsOver(t *testing.T) {
	t.Parallel()
	b := newBundler(t, Options{})
	b.slots = make(chan struct{}, 1)
	o := single(t, tangled)
	o.Timeout = 300 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := b.Build(ctx, o)
	require.Contains(t, err.Error(), "cancelled")
	// It has the only place until then.
	_, err = b.Build(context.Background(), single(t, "export default 1"))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return b.processesLeft() <= 1 }, 20*time.Second, time.Millisecond)
}
