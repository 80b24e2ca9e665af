package secret_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rho-ext/rho-ext/internal/secret"
)

// helper makes the test binary a process that keeps secrets: "NAME COUNT DIR",
// with a line for each that was kept.
const helper = "RHO_SECRET_TEST"

func TestMain(m *testing.M) {
	if task := os.Getenv(helper); task != "" {
		var name, dir string
		var count int
		_, err := fmt.Sscanf(task, "%s %d %s", &name, &count, &dir)
		s := secret.New(secret.Options{Dir: dir, FileOnly: true})
		for i := 0; i < count && err == nil; i++ {
			_, err = s.Set(context.Background(), key(fmt.Sprintf("%s_%d", name, i)), secret.NewValue("value of "+name))
			fmt.Println("kept", i)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// another is such a process.
func another(t *testing.T, name string, count int, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s", helper, name, count, dir))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

var folder, _ = filepath.Abs(filepath.FromSlash("/a/project"))

func key(name string) secret.Key {
	return secret.Key{Scope: "user", Root: folder, Dir: filepath.Join(folder, "x"), Extension: "weather", Name: name}
}

// keychain is a keychain of a test: it fails with fail, and waits for hang.
type keychain struct {
	mu    sync.Mutex
	items map[string]string
	fail  error
	hang  chan struct{}
	calls int
}

func (k *keychain) do(f func() error) error {
	k.mu.Lock()
	k.calls++
	fail, hang := k.fail, k.hang
	k.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if fail != nil {
		return fail
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return f()
}

func (k *keychain) Set(service, account, value string) error {
	return k.do(func() error {
		if k.items == nil {
			k.items = map[string]string{}
		}
		k.items[service+"/"+account] = value
		return nil
	})
}

func (k *keychain) Get(service, account string) (value string, err error) {
	err = k.do(func() error {
		v, ok := k.items[service+"/"+account]
		if !ok {
			return secret.ErrNotFound
		}
		value = v
		return nil
	})
	return value, err
}

func (k *keychain) Delete(service, account string) error {
	return k.do(func() error {
		if _, ok := k.items[service+"/"+account]; !ok {
			return secret.ErrNotFound
		}
		delete(k.items, service+"/"+account)
		return nil
	})
}

func (k *keychain) set(fail error, hang chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fail, k.hang = fail, hang
}

func (k *keychain) values() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []string
	for v := range maps.Values(k.items) {
		out = append(out, v)
	}
	return out
}

func (k *keychain) asked() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.calls
}

var errLocked = errors.New("the collection is locked")

// get wants a secret to be there.
func get(t *testing.T, s *secret.Store, name string) (string, secret.Place) {
	t.Helper()
	v, place, err := s.Get(t.Context(), key(name))
	require.NoError(t, err)
	return v.Reveal(), place
}

func text(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, secret.FileName))
	require.NoError(t, err)
	return string(data)
}

// names lists what is in a store.
func names(t *testing.T, s *secret.Store, filter secret.Key) string {
	t.Helper()
	list, err := s.List(t.Context(), filter)
	require.NoError(t, err)
	var out []string
	for _, e := range list {
		out = append(out, e.Key.Name+" in the "+e.Place.Store)
	}
	return strings.Join(out, ", ")
}
