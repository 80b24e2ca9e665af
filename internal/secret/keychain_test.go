package secret_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/secret"
)

// quick is the time that a keychain has in tests where it hangs.
const quick = 20 * time.Millisecond

func TestTheKeychainComesFirst(t *testing.T) {
	t.Parallel()
	dir, chain := t.TempDir(), &keychain{}
	s := secret.New(secret.Options{Dir: dir, Keychain: chain})
	place, err := s.Set(t.Context(), key("apiKey"), secret.NewValue("topsecret"))
	require.NoError(t, err)
	require.Equal(t, secret.Place{Store: "keychain"}, place)
	require.NotContains(t, text(t, dir), "topsecret")
	require.Equal(t, []string{"topsecret"}, chain.values())
	v, place := get(t, s, "apiKey")
	require.Equal(t, "topsecret", v)
	require.Equal(t, "keychain", place.Store)

	_, err = s.Set(t.Context(), key("apiKey"), secret.NewValue("the next"))
	require.NoError(t, err)
	require.Equal(t, []string{"the next"}, chain.values(), "the old one is gone")
	require.NotContains(t, text(t, dir), "stale")
	calls := chain.asked()
	require.Equal(t, "apiKey in the keychain", names(t, s, secret.Key{}))
	require.Equal(t, calls, chain.asked(), "listing does not ask it")

	place, err = s.Delete(t.Context(), key("apiKey"))
	require.NoError(t, err)
	require.Equal(t, "keychain", place.Store)
	require.Empty(t, chain.values())
	require.Equal(t, "{\n  \"version\": 1,\n  \"secrets\": []\n}\n", text(t, dir))

	_, _, err = s.Get(t.Context(), key("apiKey"))
	require.ErrorIs(t, err, secret.ErrNotFound)
	require.Equal(t, calls+1, chain.asked(), "what was never set is not asked for")
}

func TestTwoHomesShareAKeychain(t *testing.T) {
	t.Parallel()
	chain := &keychain{}
	one := secret.New(secret.Options{Dir: t.TempDir(), Keychain: chain})
	two := secret.New(secret.Options{Dir: t.TempDir(), Keychain: chain})
	for s, v := range map[*secret.Store]string{one: "first", two: "second"} {
		_, err := s.Set(t.Context(), key("apiKey"), secret.NewValue(v))
		require.NoError(t, err)
	}
	_, err := two.Delete(t.Context(), key("apiKey"))
	require.NoError(t, err)
	v, _ := get(t, one, "apiKey")
	require.Equal(t, "first", v)
}

func TestAKeychainThatFails(t *testing.T) {
	t.Parallel()
	dir, chain := t.TempDir(), &keychain{fail: errLocked}
	s := secret.New(secret.Options{Dir: dir, Keychain: chain})
	place, err := s.Set(t.Context(), key("apiKey"), secret.NewValue("topsecret"))
	require.NoError(t, err)
	require.Equal(t, "file", place.Store)
	require.Equal(t, "the keychain cannot be used: the collection is locked", place.Note)
	require.NotContains(t, text(t, dir), "stale")
	v, place := get(t, s, "apiKey")
	require.Equal(t, "topsecret", v)
	require.Empty(t, place.Note)

	chain.set(nil, nil)
	place, err = s.Set(t.Context(), key("apiKey"), secret.NewValue("moved"))
	require.NoError(t, err)
	require.Equal(t, "keychain", place.Store)
	require.NotContains(t, text(t, dir), "topsecret", "it moves out of the file")

	chain.set(errLocked, nil)
	var ke *secret.KeychainError
	_, _, err = s.Get(t.Context(), key("apiKey"))
	require.ErrorAs(t, err, &ke)
	require.NotErrorIs(t, err, secret.ErrNotFound)

	_, err = s.Set(t.Context(), key("apiKey"), secret.NewValue("in the file"))
	require.NoError(t, err)
	v, _ = get(t, s, "apiKey")
	require.Equal(t, "in the file", v, "and not what the keychain still holds")
	_, err = s.Delete(t.Context(), key("apiKey"))
	require.ErrorAs(t, err, &ke, "a copy stays")
	_, _, err = s.Get(t.Context(), key("apiKey"))
	require.ErrorIs(t, err, secret.ErrNotFound, "but nobody gets it")
	require.Equal(t, []string{"moved"}, chain.values())

	chain.set(nil, nil)
	_, err = s.Set(t.Context(), key("other"), secret.NewValue("another"))
	require.NoError(t, err)
	require.Equal(t, []string{"another"}, chain.values(), "the copy goes when that can be")
	require.NotContains(t, text(t, dir), "stale")
}

func TestAKeychainThatEchoesTheValue(t *testing.T) {
	t.Parallel()
	s := secret.New(secret.Options{Dir: t.TempDir(), Keychain: &keychain{fail: errors.New("cannot store topsecret")}})
	place, err := s.Set(t.Context(), key("apiKey"), secret.NewValue("topsecret"))
	require.NoError(t, err)
	require.Equal(t, "the keychain cannot be used: it refused the value", place.Note)
}

func TestAKeychainThatHangs(t *testing.T) {
	t.Parallel()
	dir, hang := t.TempDir(), make(chan struct{})
	chain := &keychain{hang: hang}
	s := secret.New(secret.Options{Dir: dir, Keychain: chain, Timeout: quick})
	began := time.Now()
	place, err := s.Set(t.Context(), key("apiKey"), secret.NewValue("topsecret"))
	require.NoError(t, err)
	require.Less(t, time.Since(began), 30*time.Second)
	require.Equal(t, "file", place.Store)
	require.Contains(t, place.Note, "it does not answer")
	require.Contains(t, text(t, dir), `"stale": [`, "it may still come to be there")

	_, err = s.Set(t.Context(), key("other"), secret.NewValue("v"))
	require.NoError(t, err)
	require.Equal(t, 1, chain.asked(), "others do not wait for it again")

	chain.set(nil, nil)
	close(hang)
	require.Eventually(t, func() bool { return len(chain.values()) == 1 }, 30*time.Second, time.Millisecond)
	v, _ := get(t, s, "apiKey")
	require.Equal(t, "topsecret", v)
	require.Eventually(t, func() bool {
		place, err := s.Set(t.Context(), key("other"), secret.NewValue("v"))
		return err == nil && place.Store == "keychain" && !strings.Contains(text(t, dir), "stale")
	}, 30*time.Second, time.Millisecond, "it is asked again when it has come back")
	require.Equal(t, []string{"v"}, chain.values(), "what came late is removed")
}

func TestACancelledSetChangesNothing(t *testing.T) {
	t.Parallel()
	dir, hang := t.TempDir(), make(chan struct{})
	chain := &keychain{hang: hang}
	s := secret.New(secret.Options{Dir: dir, Keychain: chain})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := s.Set(ctx, key("apiKey"), secret.NewValue("topsecret"))
		done <- err
	}()
	require.Eventually(t, func() bool { return chain.asked() == 1 }, 30*time.Second, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.NotContains(t, text(t, dir), "topsecret")
	require.Empty(t, names(t, s, secret.Key{}))
	close(hang)
	require.Eventually(t, func() bool { return len(chain.values()) == 1 }, 30*time.Second, time.Millisecond)
}

type broken struct{ secret.Keychain }

func (broken) Set(_, _, value string) error { panic(value) }

func TestAKeychainThatPanics(t *testing.T) {
	t.Parallel()
	s := secret.New(secret.Options{Dir: t.TempDir(), Keychain: broken{}})
	place, err := s.Set(t.Context(), key("apiKey"), secret.NewValue("topsecret"))
	require.NoError(t, err)
	require.Equal(t, "the keychain cannot be used: its library broke down", place.Note)
}

func TestFileOnlyAsksNoKeychain(t *testing.T) {
	t.Parallel()
	dir, chain := t.TempDir(), &keychain{}
	_, err := secret.New(secret.Options{Dir: dir, Keychain: chain}).Set(t.Context(), key("apiKey"), secret.NewValue("topsecret"))
	require.NoError(t, err)
	calls := chain.asked()
	s := secret.New(secret.Options{Dir: dir, Keychain: chain, FileOnly: true})
	_, _, err = s.Get(t.Context(), key("apiKey"))
	require.ErrorContains(t, err, "not to be asked here")
	_, err = s.Delete(t.Context(), key("apiKey"))
	require.ErrorContains(t, err, "a copy stays in the keychain")
	place, err := s.Set(t.Context(), key("apiKey"), secret.NewValue("another"))
	require.NoError(t, err)
	require.Equal(t, secret.Place{Store: "file", File: filepath.Join(dir, secret.FileName)}, place)
	require.Equal(t, calls, chain.asked())
}

// TestTheSystemsKeychainOrTheFile runs where there is no D-Bus, as on
// a server: nothing is started, and the file does.
func TestTheSystemsKeychainOrTheFile(t *testing.T) {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		t.Skip("there is a real keychain here, which is not for tests")
	}
	for _, path := range []string{fmt.Sprintf("/run/user/%d", os.Getuid()), "/usr/bin/security", `C:\Windows`} {
		if _, err := os.Stat(path); err == nil {
			t.Skip("there may be a real keychain here, which is not for tests")
		}
	}
	place, err := secret.New(secret.Options{Dir: t.TempDir()}).Set(t.Context(), key("apiKey"), secret.NewValue(strings.Repeat("x", 100)))
	require.NoError(t, err)
	require.Equal(t, "the keychain cannot be used: there is no D-Bus session here", place.Note)
}
