package memory

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of what is shown of a note among others.
const (
	listedBytes = 200
	words       = 40 // of the place that a search has found
	maxTerms    = 30
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
	a, err := s.page(ctx, "FROM documents d WHERE "+where, args, columns, "ORDER BY d.updated_at DESC, d.id DESC", limit, offset)
	if err != nil {
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
	return s.page(ctx, from, args, selected, "ORDER BY documents_fts.rank", limit, offset)
}

// page counts what matches and shows a part of it.
func (s *store) page(ctx context.Context, from string, args []any, selected, order string, limit, offset int) (*Answer, error) {
	db, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	a := &Answer{Notes: []Note{}, Offset: offset}
	if err := db.QueryRowContext(ctx, "SELECT count(*) "+counted(from), args...).Scan(&a.Total); err != nil {
		return nil, failed(ctx, err)
	}
	all := append(append([]any{}, args...), limit, offset)
	if strings.Contains(selected, "?") {
		all = append([]any{words}, all...)
	}
	rows, err := db.QueryContext(ctx, "SELECT "+selected+" "+from+" "+order+" LIMIT ? OFFSET ?", all...)
	if err != nil {
		return nil, failed(ctx, err)
	}
	defer rows.Close()
	for rows.Next() {
		n, err := scan(rows)
		if err != nil {
			return nil, failed(ctx, err)
		}
		a.Notes = append(a.Notes, n)
	}
	if err := rows.Err(); err != nil {
		return nil, failed(ctx, err)
	}
	return a, nil
}

// counted is the same without a join that nothing asks for.
func counted(from string) string {
	if !strings.Contains(from, "d.tags") {
		return strings.Replace(from, " JOIN documents d ON d.rowid = documents_fts.rowid", "", 1)
	}
	return from
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
