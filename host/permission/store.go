package permission

import (
	"path/filepath"
	"slices"
	"sync"
)

// FileStore keeps grants in a file of the user's own, one line for each that
// was given or taken back. Programs that run see at once what another one
// changes.
type FileStore struct{ journal journal[grantLine] }

var _ Store = (*FileStore)(nil)

// GrantsFile is the name of the file in the user's folder.
const GrantsFile = "grants.jsonl"

type grantLine struct {
	Key
	Grant   Grant  `json:"grant"`
	Revoked bool   `json:"revoked,omitempty"`
	Time    string `json:"time"`
}

// NewFileStore makes a store in the user's folder, which need not exist yet. An
// empty one is nowhere, and keeps nothing.
func NewFileStore(home string) *FileStore {
	s := &FileStore{}
	if home != "" {
		s.journal.path = filepath.Join(home, GrantsFile)
	}
	return s
}

// Grants implements [Store].
func (s *FileStore) Grants(k Key) ([]Grant, error) {
	lines, err := s.journal.read()
	var out []Grant
	for _, l := range lines {
		if l.Key == k {
			out = change(out, l.Grant, !l.Revoked)
		}
	}
	return out, err
}

// Add implements [Store].
func (s *FileStore) Add(k Key, grants ...Grant) error { return s.add(k, grants, false) }

// Remove implements [Store].
func (s *FileStore) Remove(k Key, grants ...Grant) error { return s.add(k, grants, true) }

func (s *FileStore) add(k Key, grants []Grant, revoked bool) error {
	var lines []grantLine
	for _, g := range grants {
		lines = append(lines, grantLine{k, g, revoked, now()})
	}
	if len(lines) == 0 {
		return nil
	}
	return s.journal.append(lines...)
}

// Keys lists everything that is granted now, in the order in which it was
// first granted.
func (s *FileStore) Keys() ([]Key, error) {
	lines, err := s.journal.read()
	var seen []Key
	held := map[Key]map[Grant]bool{}
	for _, l := range lines {
		if held[l.Key] == nil {
			seen = append(seen, l.Key)
			held[l.Key] = map[Grant]bool{}
		}
		if l.Revoked {
			delete(held[l.Key], l.Grant)
		} else {
			held[l.Key][l.Grant] = true
		}
	}
	return slices.DeleteFunc(seen, func(k Key) bool { return len(held[k]) == 0 }), err
}

func change(list []Grant, g Grant, add bool) []Grant {
	at := slices.Index(list, g)
	switch {
	case add && at < 0:
		return append(list, g)
	case !add && at >= 0:
		return slices.Delete(list, at, at+1)
	}
	return list
}

// MemoryStore keeps grants for as long as it lives. The zero value is empty.
type MemoryStore struct {
	mu     sync.Mutex
	grants map[Key][]Grant
}

var _ Store = (*MemoryStore)(nil)

// Grants implements [Store].
func (s *MemoryStore) Grants(k Key) ([]Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.grants[k]), nil
}

// Keys lists whose grants are kept, in no order.
func (s *MemoryStore) Keys() ([]Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Key
	for k, list := range s.grants {
		if len(list) > 0 {
			out = append(out, k)
		}
	}
	return out, nil
}

// Add implements [Store].
func (s *MemoryStore) Add(k Key, grants ...Grant) error { return s.change(k, grants, true) }

// Remove implements [Store].
func (s *MemoryStore) Remove(k Key, grants ...Grant) error { return s.change(k, grants, false) }

func (s *MemoryStore) change(k Key, grants []Grant, add bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.grants == nil {
		s.grants = map[Key][]Grant{}
	}
	for _, g := range grants {
		s.grants[k] = change(s.grants[k], g, add)
	}
	return nil
}
