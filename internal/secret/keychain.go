package secret

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"
)

// Keychain is a store of the system's. A service and an account name an item.
// What is not there is [ErrNotFound].
type Keychain interface {
	Set(service, account, value string) error
	Get(service, account string) (string, error)
	Delete(service, account string) error
}

// service is what all items are filed under.
const service = "rho-ext"

// KeychainError says that a keychain could not be asked.
type KeychainError struct {
	Reason string
	Err    error // or nil
}

// Error implements error.
func (e *KeychainError) Error() string {
	if e.Err != nil {
		return e.Reason + ": " + e.Err.Error()
	}
	return e.Reason
}

// Unwrap gives the cause.
func (e *KeychainError) Unwrap() error { return e.Err }

// guarded is a keychain that cannot hang who asks it. While a call hangs, which
// may last as long as the process, others fail at once.
type guarded struct {
	keychain Keychain
	timeout  time.Duration
	slot     chan struct{} // holds one while a call runs
	running  atomic.Pointer[call]
}

// call is one that has the slot.
type call struct{ late atomic.Bool } // nobody waits for it any more

func newGuarded(k Keychain, timeout time.Duration) *guarded {
	return &guarded{keychain: k, timeout: timeout, slot: make(chan struct{}, 1)}
}

// errLate says that a call may still do what it was asked for.
var errLate = errors.New("it does not answer; is it locked, or does it wait for a person?")

// limit is the time that one operation has for all of its calls.
func (g *guarded) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, g.timeout, errLate)
}

func (g *guarded) get(ctx context.Context, account string) (string, error) {
	var value atomic.Pointer[string] // a late one must not meet a reader
	err := g.do(ctx, func() error {
		v, err := g.keychain.Get(service, account)
		value.Store(&v)
		return err
	})
	if err != nil {
		return "", err
	}
	return *value.Load(), nil
}

// set never shows the value in its error.
func (g *guarded) set(ctx context.Context, account, value string) error {
	err := g.do(ctx, func() error { return g.keychain.Set(service, account, value) })
	var ke *KeychainError
	if errors.As(err, &ke) && strings.Contains(ke.Error(), value) {
		ke.Err = errors.New("it refused the value")
	}
	return err
}

func (g *guarded) remove(ctx context.Context, account string) error {
	return g.do(ctx, func() error { return g.keychain.Delete(service, account) })
}

// do runs one call. Its error is that of the caller's ctx, [ErrNotFound] or a
// [*KeychainError].
func (g *guarded) do(ctx context.Context, f func() error) error {
	if c := g.running.Load(); c != nil && c.late.Load() {
		return cannotAsk(errLate)
	}
	select {
	case g.slot <- struct{}{}:
	case <-ctx.Done():
		return ended(ctx)
	}
	c := &call{}
	g.running.Store(c)
	done := make(chan error, 1)
	go func() {
		defer func() {
			if recover() != nil {
				done <- errors.New("its library broke down")
			}
			g.running.Store(nil)
			<-g.slot
		}()
		done <- f()
	}()
	select {
	case err := <-done:
		if err == nil || errors.Is(err, ErrNotFound) {
			return err
		}
		return cannotAsk(err)
	case <-ctx.Done():
		c.late.Store(true)
		return ended(ctx)
	}
}

func ended(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, errLate) {
		return cause
	}
	return cannotAsk(errLate)
}

func cannotAsk(err error) error {
	return &KeychainError{Reason: "the keychain cannot be used", Err: err}
}
