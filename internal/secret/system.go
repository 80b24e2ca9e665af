package secret

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/zalando/go-keyring"
)

// maxItem is what every system's keychain takes: on Windows 2,560 bytes, on
// macOS 4,096 for a whole command in base64. Beyond it the library for macOS
// leaves a process behind.
const maxItem = 2000

// system is the keychain of the system: the Keychain of macOS, the Credential
// Manager of Windows, the Secret Service elsewhere.
type system struct{}

func (system) Set(service, account, value string) error {
	if len(value) > maxItem {
		return fmt.Errorf("the value has %d bytes, which is more than the %d that keychains take", len(value), maxItem)
	}
	if err := reachable(); err != nil {
		return err
	}
	return known(keyring.Set(service, account, value))
}

func (system) Get(service, account string) (string, error) {
	if err := reachable(); err != nil {
		return "", err
	}
	value, err := keyring.Get(service, account)
	return value, known(err)
}

func (system) Delete(service, account string) error {
	if err := reachable(); err != nil {
		return err
	}
	return known(keyring.Delete(service, account))
}

func known(err error) error {
	if errors.Is(err, keyring.ErrNotFound) {
		return ErrNotFound
	}
	return err
}

// reachable keeps the library from starting a D-Bus daemon of its own where
// nobody has a session, such as on a server.
func reachable() error {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return nil
	}
	if bus := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); bus != "" && !strings.HasPrefix(bus, "autolaunch:") {
		return nil
	}
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(fmt.Sprintf("/run/user/%d/%s", os.Getuid(), name)); err == nil {
			return nil
		}
	}
	return errors.New("there is no D-Bus session here")
}

// Reachable says why the keychain of the system cannot be asked, as far as that
// can be known without asking: to ask might have it unlock itself.
func Reachable() error { return reachable() }
