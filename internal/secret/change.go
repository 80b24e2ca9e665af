package secret

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxStale bounds the items that are remembered to be removed.
const maxStale = 1000

// Set keeps a secret, in place of an older one of its key. Where the keychain
// cannot be used it is kept in the file, and the place has a note that says why.
func (s *Store) Set(ctx context.Context, k Key, v Value) (Place, error) {
	err := k.check()
	if err == nil {
		err = v.check()
	}
	if err != nil {
		return Place{}, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return Place{}, err
	}
	defer unlock()
	c, err := s.read()
	if err != nil {
		return Place{}, err
	}
	if c.find(k) == nil && len(c.Secrets) >= MaxEntries {
		return Place{}, &FileError{Path: s.path, Problem: fmt.Sprintf("it holds %d secrets already, the most it may", MaxEntries)}
	}
	item := ""
	if s.keychain != nil {
		item = account(k)
		c.forget(item)
		if err := s.write(c); err != nil { // before it is there, so that it cannot be lost
			return Place{}, err
		}
	}
	keychain, done := s.within(ctx)
	defer done()
	item, note, err := s.store(ctx, keychain, c, item, v)
	if err != nil {
		return Place{}, err
	}
	next := entry{Key: k, Item: item}
	if item == "" {
		next.Value = v.Reveal()
	}
	c.drop(k)
	c.Secrets = append(c.Secrets, next)
	if err := s.write(c); err != nil {
		return Place{}, err
	}
	place := s.place(&next)
	place.Note = note
	if item != "" {
		_ = s.sweep(keychain, c) // what stays is removed another time
	}
	return place, nil
}

// Delete forgets a secret, or tells [ErrNotFound], and removes it from wherever
// it is. With a [*KeychainError] it is forgotten and given to nobody, but a copy
// stays in the keychain until the next Set or Delete that can ask it.
func (s *Store) Delete(ctx context.Context, k Key) (Place, error) {
	if err := k.check(); err != nil {
		return Place{}, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return Place{}, err
	}
	defer unlock()
	c, err := s.read()
	if err != nil {
		return Place{}, err
	}
	e := c.find(k)
	if e == nil {
		return Place{}, ErrNotFound
	}
	place := s.place(e)
	c.drop(k)
	if err := s.write(c); err != nil {
		return Place{}, err
	}
	if len(c.Stale) == 0 {
		return place, nil
	}
	keychain, done := s.within(ctx)
	defer done()
	err = s.sweep(keychain, c)
	if !slices.ContainsFunc(c.Stale, func(item string) bool { return strings.HasPrefix(item, accountPrefix(k)) }) {
		err = nil // what stays is of others
	}
	return place, err
}

// within is a context for all calls of the keychain in one operation.
func (s *Store) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.keychain == nil {
		return ctx, func() {}
	}
	return s.keychain.limit(ctx)
}

// store puts a value into the keychain, unless item is empty, and gives the item
// that holds it; without one, a note tells why the file has to do.
func (s *Store) store(ctx, keychain context.Context, c *content, item string, v Value) (kept, note string, err error) {
	if item == "" {
		return "", "", nil
	}
	err = s.keychain.set(keychain, item, v.Reveal())
	if ctx.Err() != nil {
		return "", "", context.Cause(ctx)
	}
	if err == nil || !errors.Is(err, errLate) { // a late one may still come to be
		c.Stale = slices.DeleteFunc(c.Stale, func(s string) bool { return s == item })
	}
	if err != nil {
		return "", err.Error(), nil
	}
	return item, "", nil
}

// sweep removes from the keychain what is no longer wanted there.
func (s *Store) sweep(keychain context.Context, c *content) error {
	if s.keychain == nil {
		return &KeychainError{Reason: "a copy stays in the keychain, which is not to be asked here"}
	}
	before := len(c.Stale)
	var failed error
	for len(c.Stale) > 0 {
		last := c.Stale[len(c.Stale)-1] // the newest first
		if err := s.keychain.remove(keychain, last); err != nil && !errors.Is(err, ErrNotFound) {
			failed = err
			break
		}
		c.Stale = c.Stale[:len(c.Stale)-1]
	}
	if len(c.Stale) == before {
		return failed
	}
	return errors.Join(failed, s.write(c))
}

// account names a new item of the keychain: what a person sees there, and a part
// that never comes again.
func account(k Key) string { return accountPrefix(k) + rand.Text() }

func accountPrefix(k Key) string {
	readable := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, k.Extension)
	return readable[:min(len(readable), 64)] + "." + k.Name + "."
}

// drop takes an entry out, and remembers its item to be removed.
func (c *content) drop(k Key) {
	c.Secrets = slices.DeleteFunc(c.Secrets, func(e entry) bool {
		if e.Key == k && e.Item != "" {
			c.forget(e.Item)
		}
		return e.Key == k
	})
}

func (c *content) forget(item string) {
	c.Stale = append(c.Stale, item)
	c.Stale = c.Stale[max(0, len(c.Stale)-maxStale):]
}
