package secret_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/secret"
)

func TestProcessesAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	const each = 50
	dir := t.TempDir()
	one, _ := another(t, "one", each, dir)
	two, _ := another(t, "two", each, dir)
	require.NoError(t, one.Wait())
	require.NoError(t, two.Wait())
	s := secret.New(secret.Options{Dir: dir, FileOnly: true})
	for _, name := range []string{"one", "two"} {
		for i := range each {
			v, _ := get(t, s, fmt.Sprintf("%s_%d", name, i))
			require.Equal(t, "value of "+name, v)
		}
	}
	list, err := s.List(t.Context(), secret.Key{})
	require.NoError(t, err)
	require.Len(t, list, 2*each)
}

func TestStoresAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	dir, chain := t.TempDir(), &keychain{}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := secret.New(secret.Options{Dir: dir, Keychain: chain, FileOnly: g%2 == 0})
			for i := range 10 {
				_, err := s.Set(t.Context(), key(fmt.Sprintf("n%d_%d", g, i)), secret.NewValue("v"))
				if err == nil {
					_, _, err = s.Get(t.Context(), key(fmt.Sprintf("n%d_%d", g, i)))
				}
				if err == nil && i%2 == 0 {
					_, err = s.Delete(t.Context(), key(fmt.Sprintf("n%d_%d", g, i)))
				}
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	list, err := secret.New(secret.Options{Dir: dir}).List(t.Context(), secret.Key{})
	require.NoError(t, err)
	require.Len(t, list, 20)
	require.Len(t, chain.values(), 10)
}

func TestAProcessThatIsKilledLeavesWholeSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := secret.New(secret.Options{Dir: dir, FileOnly: true})
	for round := range 5 {
		cmd, out := another(t, fmt.Sprintf("round%d", round), 1000, dir)
		kept := 0
		for kept < 5+round && out.Scan() {
			kept++
		}
		require.NoError(t, cmd.Process.Kill())
		for out.Scan() {
			kept++
		}
		_ = cmd.Wait()
		for i := range kept {
			get(t, s, fmt.Sprintf("round%d_%d", round, i))
		}
		_, err := s.Set(t.Context(), key("mine"), secret.NewValue("v"))
		require.NoError(t, err, "the lock ended with the process")
		require.NoFileExists(t, filepath.Join(dir, secret.FileName+".tmp"))
	}
}

func TestALockThatIsHeldIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	dir, hang := t.TempDir(), make(chan struct{})
	chain := &keychain{hang: hang}
	holder := secret.New(secret.Options{Dir: dir, Keychain: chain})
	done := make(chan error)
	go func() {
		_, err := holder.Set(t.Context(), key("apiKey"), secret.NewValue("v"))
		done <- err
	}()
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(dir, secret.FileName))
		return err == nil
	}, 5*time.Second, time.Millisecond)
	s := secret.New(secret.Options{Dir: dir, FileOnly: true, LockWait: quick})
	_, err := s.Set(t.Context(), key("other"), secret.NewValue("v"))
	require.ErrorContains(t, err, "secrets.json.lock: cannot lock it: another process holds it")
	close(hang)
	require.NoError(t, <-done)
	_, err = s.Set(t.Context(), key("other"), secret.NewValue("v"))
	require.NoError(t, err)
}
