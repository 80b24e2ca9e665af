// Package secret keeps the secrets of extensions: in the keychain of the system
// where there is one, else in a file that only its owner may read.
//
// A secret belongs to one extension in one place: to a scope, a project, a
// folder, an extension's id and the name of a setting. An extension of the same
// name in another place has another key, and never gets it.
//
// The file is the index of both. It says of each secret where it is, is replaced
// as a whole, and is written by one process at a time. What is in the keychain
// has a name of its own for every [Store.Set], and the file knows the name before
// the keychain does; so whatever breaks off on the way, the last value that Set
// returned for is the one that Get gives, and what lies around is removed later.
package secret

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// The bounds of a store.
const (
	MaxName    = 64       // bytes of a setting's name
	MaxValue   = 64 << 10 // bytes of a value
	MaxEntries = 1000
	maxFile    = 4 << 20 // bytes of all of it, as a file
	maxPath    = 8 << 10
	maxID      = 255
)

// FileName is the name of the file in [Options.Dir].
const FileName = "secrets.json"

// ErrNotFound says that there is no such secret.
var ErrNotFound = errors.New("there is no such secret")

// Key says whose secret it is.
type Key struct {
	Scope     string `json:"scope"`     // user, project or explicit
	Root      string `json:"root"`      // of the project, absolute and without symbolic links
	Dir       string `json:"dir"`       // that the extension comes from, likewise
	Extension string `json:"extension"` // id
	Name      string `json:"name"`      // of the setting
}

var nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// ValidName reports whether a setting can have this name.
func ValidName(name string) bool { return len(name) <= MaxName && nameForm.MatchString(name) }

// check says what is wrong with a key. Text that is no UTF-8 would not come back
// from the file as it was, and two keys could become one.
func (k Key) check() error {
	switch {
	case k.Scope != "user" && k.Scope != "project" && k.Scope != "explicit":
		return fmt.Errorf("the scope is %q; expected user, project or explicit", k.Scope)
	case !ValidName(k.Name):
		return fmt.Errorf("the name of a secret has 1–%d letters, digits, _ or -, starting with a letter", MaxName)
	case k.Extension == "" || len(k.Extension) > maxID:
		return fmt.Errorf("the id of an extension has 1–%d bytes, got %d", maxID, len(k.Extension))
	case !filepath.IsAbs(k.Root) || !filepath.IsAbs(k.Dir) || len(k.Root) > maxPath || len(k.Dir) > maxPath:
		return fmt.Errorf("the folders of a secret are absolute and have at most %d bytes", maxPath)
	}
	for _, s := range []string{k.Root, k.Dir, k.Extension} {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			return fmt.Errorf("%q is no UTF-8 text, so no secret can be kept for it", s)
		}
	}
	return nil
}

// matches reports whether k has all that is set in a filter.
func (k Key) matches(filter Key) bool {
	is := func(have, want string) bool { return want == "" || have == want }
	return is(k.Scope, filter.Scope) && is(k.Root, filter.Root) && is(k.Dir, filter.Dir) &&
		is(k.Extension, filter.Extension) && is(k.Name, filter.Name)
}

// The two places.
const (
	InKeychain = "keychain"
	InFile     = "file"
)

// Place is where a secret is.
type Place struct {
	Store string // [InKeychain] or [InFile]
	File  string // its path, with InFile
	// Note says for people why it is in the file although the keychain was
	// wanted, or is empty.
	Note string
}

// Entry is a secret without its value.
type Entry struct {
	Key   Key
	Place Place
}

// Options configure a [Store].
type Options struct {
	// Dir is the folder of the file. It is made when there is something to
	// keep.
	Dir string
	// Keychain is asked first; nil means that of the system.
	Keychain Keychain
	// FileOnly leaves every keychain alone.
	FileOnly bool
	// Timeout bounds what the keychain may take of one operation; zero means
	// 5 s.
	Timeout time.Duration
	// LockWait is how long to wait for another process that writes; zero means
	// 15 s, which is more than a keychain may take of that one.
	LockWait time.Duration
}

// Store keeps secrets. It is safe for concurrent use, and beside others of the
// same folder in this process and others.
type Store struct {
	path     string // empty: there is no folder
	wait     time.Duration
	keychain *guarded // nil: the file alone
}

// New makes a store. It touches nothing yet.
func New(o Options) *Store {
	s := &Store{wait: o.LockWait}
	if o.Dir != "" {
		s.path = filepath.Join(o.Dir, FileName)
	}
	if s.wait == 0 {
		s.wait = 15 * time.Second
	}
	if !o.FileOnly {
		if o.Keychain == nil {
			o.Keychain = system{}
		}
		if o.Timeout == 0 {
			o.Timeout = 5 * time.Second
		}
		s.keychain = newGuarded(o.Keychain, o.Timeout)
	}
	return s
}

// Get gives a secret, or [ErrNotFound]. One that is in a keychain which cannot
// be asked is a [*KeychainError].
func (s *Store) Get(ctx context.Context, k Key) (Value, Place, error) {
	if err := k.check(); err != nil {
		return Value{}, Place{}, err
	}
	c, err := s.look(ctx)
	if err != nil {
		return Value{}, Place{}, err
	}
	e := c.find(k)
	switch {
	case e == nil:
		return Value{}, Place{}, ErrNotFound
	case e.Item == "":
		return NewValue(e.Value), s.place(e), nil
	case s.keychain == nil:
		return Value{}, Place{}, &KeychainError{Reason: "the secret is in the keychain, which is not to be asked here"}
	}
	ctx, cancel := s.keychain.limit(ctx)
	defer cancel()
	text, err := s.keychain.get(ctx, e.Item)
	if err != nil {
		return Value{}, Place{}, err
	}
	return NewValue(text), s.place(e), nil
}

// List tells which secrets there are that have all that is set in filter, in
// the order of the file. It does not ask the keychain.
func (s *Store) List(ctx context.Context, filter Key) ([]Entry, error) {
	c, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	var out []Entry
	for i := range c.Secrets {
		if e := &c.Secrets[i]; e.Key.matches(filter) {
			out = append(out, Entry{Key: e.Key, Place: s.place(e)})
		}
	}
	return out, nil
}

func (s *Store) place(e *entry) Place {
	if e.Item != "" {
		return Place{Store: InKeychain}
	}
	return Place{Store: InFile, File: s.path}
}
