package memory

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/rho-ext/rho-ext/registry"
)

// tagList is a note's tags as they are kept: without secrets, blanks and doubles.
func (s *store) tagList(tags []string) []string {
	out := []string{}
	for _, t := range tags {
		if t = strings.TrimSpace(s.o.Redact(t)); t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

func marshalTags(tags []string) string {
	raw, _ := json.Marshal(tags) // of strings
	return string(raw)
}

func hash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// change runs f in a transaction that writes. A call that has ended changes
// nothing, and one that has changed something is not ended.
func (s *store) change(ctx context.Context, f func(*sql.Tx) (*Answer, error)) (*Answer, error) {
	db, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, failed(ctx, err)
	}
	defer func() { _ = tx.Rollback() }()
	a, err := f(tx)
	if err != nil {
		return nil, failed(ctx, err)
	}
	if err := tx.Commit(); err != nil {
		return nil, failed(ctx, err)
	}
	return a, nil
}

func byID(ctx context.Context, tx *sql.Tx, id string) (Note, error) {
	n, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM documents d WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return n, unknownID(id)
	}
	return n, err
}

// add stores a note, or finds the one with the same content.
func (s *store) add(ctx context.Context, title, content string, tags []string) (*Answer, error) {
	title, content, tags = s.o.Redact(title), s.o.Redact(content), s.tagList(tags)
	return s.change(ctx, func(tx *sql.Tx) (*Answer, error) {
		n, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM documents d WHERE content_hash = ?", hash(content)))
		if err == nil {
			return &Answer{Notes: []Note{n}, Total: 1, Known: true}, nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		id, err := uuid.NewV7()
		if err != nil {
			return nil, err
		}
		now := stamp()
		n = Note{ID: id.String(), Title: title, Content: content, Tags: tags, Hash: hash(content), Created: now, Updated: now}
		_, err = tx.ExecContext(ctx, "INSERT INTO documents (id, title, content, content_hash, tags, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
			n.ID, n.Title, n.Content, n.Hash, marshalTags(tags), n.Created, n.Updated)
		return &Answer{Notes: []Note{n}, Total: 1}, err
	})
}

func (s *store) update(ctx context.Context, id string, title, content *string, tags []string) (*Answer, error) {
	return s.change(ctx, func(tx *sql.Tx) (*Answer, error) {
		n, err := byID(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		if title != nil {
			n.Title = s.o.Redact(*title)
		}
		if content != nil {
			n.Content = s.o.Redact(*content)
			n.Hash = hash(n.Content)
		}
		if tags != nil {
			n.Tags = s.tagList(tags)
		}
		if strings.TrimSpace(n.Title) == "" || strings.TrimSpace(n.Content) == "" {
			return nil, registry.NewFailure(registry.KindInvalidArgs, "a note needs a title and content: use the operation delete to remove it")
		}
		var other string
		err = tx.QueryRowContext(ctx, "SELECT id FROM documents WHERE content_hash = ? AND id <> ?", n.Hash, id).Scan(&other)
		if err == nil {
			f := registry.NewFailure(registry.KindInvalidArgs, fmt.Sprintf("note %q has that content already: update or delete that one", other))
			f.Code = "same_content"
			return nil, f
		} else if !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		n.Updated = stamp()
		_, err = tx.ExecContext(ctx, "UPDATE documents SET title = ?, content = ?, content_hash = ?, tags = ?, updated_at = ? WHERE id = ?",
			n.Title, n.Content, n.Hash, marshalTags(n.Tags), n.Updated, id)
		return &Answer{Notes: []Note{n}, Total: 1}, err
	})
}

func (s *store) remove(ctx context.Context, id string) (*Answer, error) {
	a, err := s.change(ctx, func(tx *sql.Tx) (*Answer, error) {
		n, err := byID(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		n.Content = ""
		_, err = tx.ExecContext(ctx, "DELETE FROM documents WHERE id = ?", id)
		return &Answer{Notes: []Note{n}, Total: 1, Deleted: true}, err
	})
	if db, e := s.open(ctx); err == nil && e == nil {
		// So that it is not in the journal either. Another process that reads can
		// put it off.
		_, _ = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return a, err
}
