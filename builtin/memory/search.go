package memory

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of what is shown of a note among others.
const (
	listedBytes = 200
	words       = 40 // of the place that a search has found
	maxTerms    = 30
	maxRanked   = 1000 // matches that are ranked: the latest, where there are more
)

// hasTags is the condition that a note has all tags of a list in JSON.
const hasTags = "NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE w.value NOT IN (SELECT value FROM json_each(d.tags)))"

func (s *store) get(ctx context.Context, id string) (*Answer, error) {
	db, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	n, err := scan(db.QueryRowContext(ctx, "SELECT "+columns+" FROM documents d WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, unknownID(id)
	}
	if err != nil {
		return nil, failed(ctx, err)
	}
	return &Answer{Notes: []Note{n}, Total: 1}, nil
}

func (s *store) list(ctx context.Context, tags []string, limit, offset int) (*Answer, error) {
	where, args := "1", []any{}
	if tags = s.tagList(tags); len(tags) > 0 {
		where, args = hasTags, append(args, marshalTags(tags))
	}
	db, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	a := &Answer{Notes: []Note{}, Offset: offset}
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM documents d WHERE "+where, args...).Scan(&a.Total); err != nil {
		return nil, failed(ctx, err)
	}
	args = append(args, limit, offset)
	if err := s.rows(ctx, db, a, "SELECT "+columns+" FROM documents d WHERE "+where+" ORDER BY d.updated_at DESC, d.id DESC LIMIT ? OFFSET ?", args); err != nil {
		return nil, err
	}
	for i := range a.Notes {
		a.Notes[i].Content = cut(a.Notes[i].Content, listedBytes)
	}
	return a, nil
}

// search finds notes by their words.
func (s *store) search(ctx context.Context, query string, tags []string, limit, offset int) (*Answer, error) {
	match := expression(query)
	if match == "" {
		return s.list(ctx, tags, limit, offset)
	}
	where, args := "documents_fts MATCH ?", []any{match}
	if tags = s.tagList(tags); len(tags) > 0 {
		where += " AND " + hasTags
		args = append(args, marshalTags(tags))
	}
	// The index sorts by rank by itself, so that the places are cut out for the
	// notes that are shown alone: that takes a note's text.
	from := "FROM documents_fts JOIN documents d ON d.rowid = documents_fts.rowid WHERE " + where
	selected := strings.Replace(columns, "d.content,", "snippet(documents_fts, 1, '[', ']', '…', ?),", 1)
	db, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	// A word that is everywhere says nothing about which note is meant, and
	// ranking all of them takes its time.
	var found int
	var oldest sql.NullInt64
	counted := from
	if len(tags) == 0 {
		counted = "FROM documents_fts WHERE " + where
	}
	err = db.QueryRowContext(ctx, "SELECT count(*), min(r) FROM (SELECT documents_fts.rowid AS r "+counted+" ORDER BY documents_fts.rowid DESC LIMIT ?)", append(slices.Clone(args), maxRanked+1)...).Scan(&found, &oldest)
	if err != nil {
		return nil, failed(ctx, err)
	}
	a := &Answer{Notes: []Note{}, Total: found, Offset: offset}
	if found == 0 {
		return a, nil
	}
	if found > maxRanked {
		a.Total, a.More = maxRanked, true
		from += " AND documents_fts.rowid > ?"
		args = append(args, oldest.Int64)
	}
	args = append(append([]any{words}, args...), limit, offset)
	return a, s.rows(ctx, db, a, "SELECT "+selected+" "+from+" ORDER BY documents_fts.rank LIMIT ? OFFSET ?", args)
}

// rows adds the notes that a query gives.
func (s *store) rows(ctx context.Context, db *sql.DB, a *Answer, query string, args []any) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return failed(ctx, err)
	}
	defer rows.Close()
	for rows.Next() {
		n, err := scan(rows)
		if err != nil {
			return failed(ctx, err)
		}
		a.Notes = append(a.Notes, n)
	}
	if err := rows.Err(); err != nil {
		return failed(ctx, err)
	}
	return nil
}

// expression makes an expression of FTS5 out of what a person types: all words,
// "phrases" and beginnings*. Nothing in it has another meaning.
func expression(query string) string {
	var terms []string
	add := func(text string, prefix bool) {
		if len(terms) >= maxTerms || !strings.ContainsFunc(text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) {
			return
		}
		term := `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		if prefix {
			term += "*"
		}
		terms = append(terms, term)
	}
	query = strings.ToValidUTF8(strings.ReplaceAll(query, "\x00", " "), " ")
	for i, part := range strings.Split(query, `"`) {
		if i%2 == 1 {
			add(part, false)
			continue
		}
		for word := range strings.FieldsSeq(part) {
			text, prefix := strings.CutSuffix(word, "*")
			add(text, prefix)
		}
	}
	return strings.Join(terms, " AND ")
}

// cut keeps the beginning of a text.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
