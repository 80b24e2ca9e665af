package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/rho-ext/rho-ext/registry"
)

// path is where the file is in the project.
const path = ".rho/memory.db"

// version is that of the tables.
const version = 1

const tables = `
CREATE TABLE documents (
	id TEXT PRIMARY KEY, title TEXT NOT NULL, content TEXT NOT NULL, content_hash TEXT NOT NULL UNIQUE,
	tags TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX documents_updated ON documents (updated_at DESC);
CREATE VIRTUAL TABLE documents_fts USING fts5 (title, content, tags, content='documents', tokenize='unicode61 remove_diacritics 2', prefix='2 3');
INSERT INTO documents_fts (documents_fts, rank) VALUES ('rank', 'bm25(5.0, 1.0, 3.0)');
CREATE TRIGGER documents_ai AFTER INSERT ON documents BEGIN
	INSERT INTO documents_fts (rowid, title, content, tags) VALUES (new.rowid, new.title, new.content, new.tags);
END;
CREATE TRIGGER documents_ad AFTER DELETE ON documents BEGIN
	INSERT INTO documents_fts (documents_fts, rowid, title, content, tags) VALUES ('delete', old.rowid, old.title, old.content, old.tags);
END;
CREATE TRIGGER documents_au AFTER UPDATE ON documents BEGIN
	INSERT INTO documents_fts (documents_fts, rowid, title, content, tags) VALUES ('delete', old.rowid, old.title, old.content, old.tags);
	INSERT INTO documents_fts (rowid, title, content, tags) VALUES (new.rowid, new.title, new.content, new.tags);
END;
`

// store is the file.
type store struct {
	o Options

	mu     sync.Mutex
	db     *sql.DB
	closed bool
}

func newStore(o Options) *store {
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Root == "" {
		o.Root = "."
	}
	return &store{o: o}
}

func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.db == nil {
		return nil
	}
	db := s.db
	s.db = nil
	return db.Close()
}

// open opens the file, once, and makes it where it is missing.
func (s *store) open(ctx context.Context) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, registry.NewFailure(registry.KindOther, "the memory is closed: the program is ending")
	}
	if s.db != nil {
		return s.db, nil
	}
	file, err := s.prepare()
	if err != nil {
		return nil, unusable(err)
	}
	pragmas := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "secure_delete(ON)", "trusted_schema(OFF)", "cell_size_check(ON)", "mmap_size(0)", "cache_size(-65536)",
	}}
	dsn := (&url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: pragmas.Encode()}).String()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, unusable(err)
	}
	db.SetMaxOpenConns(4)
	if err := migrate(context.WithoutCancel(ctx), db); err != nil {
		_ = db.Close()
		return nil, unusable(err)
	}
	s.db = db
	return db, nil
}

// prepare makes the file, for its owner alone. A project could bring a link in
// its place that leads to a file of the user's.
func (s *store) prepare() (string, error) {
	root, err := os.OpenRoot(s.o.Root)
	if err != nil {
		return "", err
	}
	defer root.Close()
	dir, base := filepath.Split(filepath.FromSlash(path))
	dir = filepath.Clean(dir)
	if err := root.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	for _, name := range []string{dir, filepath.FromSlash(path), filepath.FromSlash(path) + "-wal", filepath.FromSlash(path) + "-shm"} {
		st, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", err
		case name == dir && !st.IsDir():
			return "", fmt.Errorf("%s is not a folder: move it away", name)
		case name != dir && !st.Mode().IsRegular():
			return "", fmt.Errorf("%s is not a regular file: move it away", name)
		}
	}
	f, err := root.OpenFile(filepath.FromSlash(path), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	_ = f.Close()
	real, err := filepath.EvalSymlinks(s.o.Root)
	if err != nil {
		return "", err
	}
	real, err = filepath.Abs(real)
	return filepath.Join(real, dir, base), err
}

// migrate makes the tables, also when another process does so at the same time.
func migrate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var v int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v); err != nil {
		return err
	}
	switch {
	case v > version:
		return fmt.Errorf("%s was written by a newer version of this program (%d, this one knows %d): use that one", path, v, version)
	case v == version:
		return nil
	}
	if _, err := tx.ExecContext(ctx, tables+fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
		return err
	}
	return tx.Commit()
}

// unusable explains why the file cannot be used.
func unusable(err error) error {
	f := &registry.Failure{Kind: registry.KindOther, Code: "memory_unusable", Message: fmt.Sprintf("the memory in %s cannot be used: %v", path, err), Cause: err}
	var se *sqlite.Error
	if errors.As(err, &se) {
		switch se.Code() & 0xff {
		case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
			f.Message += ". The file is damaged: move it away, and a new one is made"
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			f.Message += ". Another program holds it: try again"
			f.Retryable = registry.RetryYes
		case sqlite3.SQLITE_FULL:
			f.Message += ". The disk is full"
		}
	}
	return f
}

func unknownID(id string) error {
	f := registry.NewFailure(registry.KindNotFound, fmt.Sprintf("there is no note %q: search or list gives the ids", id))
	f.Code = "no_such_note"
	return f
}

// failed is the error of a statement.
func failed(ctx context.Context, err error) error {
	var told *registry.Failure
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &told):
		return err
	}
	return unusable(err)
}

const columns = "d.id, d.title, d.content, d.tags, d.content_hash, d.created_at, d.updated_at"

type scanner interface{ Scan(...any) error }

func scan(row scanner) (n Note, err error) {
	var tags string
	if err := row.Scan(&n.ID, &n.Title, &n.Content, &tags, &n.Hash, &n.Created, &n.Updated); err != nil {
		return n, err
	}
	if json.Unmarshal([]byte(tags), &n.Tags) != nil || n.Tags == nil {
		n.Tags = []string{}
	}
	return n, nil
}
