package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/rho-ext/rho-ext/internal/grep"
	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/internal/textenc"
	"github.com/rho-ext/rho-ext/registry"
)

//go:embed search_files.md
var searchFilesDescription string

const searchFilesParameters = `{
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "minLength": 1, "description": "Regular expression of Go (RE2), compared with each line"},
    "path": {"type": "string", "minLength": 1, "default": ".", "description": "Directory or file to search, relative to the project root"},
    "glob": {"type": "string", "minLength": 1, "description": "Only files that fit, such as *.go or src/**/*.ts; with ! in front, only those that do not"},
    "ignore_case": {"type": "boolean", "default": false, "description": "Whether capital and small letters are the same"},
    "literal": {"type": "boolean", "default": false, "description": "Whether the pattern is plain text"},
    "multiline": {"type": "boolean", "default": false, "description": "Whether a match may span lines; . matches a line break then"},
    "context": {"type": "integer", "minimum": 0, "maximum": 20, "default": 0, "description": "How many lines to show before and after each match"},
    "max_results": {"type": "integer", "minimum": 1, "maximum": 500, "default": 100, "description": "How many matching lines to show at most"},
    "hidden": {"type": "boolean", "default": false, "description": "Whether names that start with a dot are searched as well"}
  },
  "required": ["pattern"],
  "additionalProperties": false
}`

const searchFilesOutput = `{
  "type": "object",
  "properties": {
    "matches": {"type": "integer", "description": "Matching lines that are shown"},
    "files": {"type": "array", "items": {"type": "string"}, "description": "The files they are in, relative to the project root"},
    "truncated": {"type": "boolean", "description": "Whether there are more"},
    "unreadable": {"type": "integer", "description": "How many files and directories could not be searched"}
  },
  "required": ["matches", "files", "truncated"],
  "additionalProperties": false
}`

// maxShown is how many characters of a line are shown.
const maxShown = 240

// searchFiles is the tool search_files.
type searchFiles struct{ *files }

// Name implements registry.Tool.
func (*searchFiles) Name() string { return "search_files" }

// Description implements registry.Tool.
func (*searchFiles) Description() string { return description(searchFilesDescription) }

// Parameters implements registry.Tool.
func (*searchFiles) Parameters() json.RawMessage { return json.RawMessage(searchFilesParameters) }

// Risk implements registry.Tool.
func (*searchFiles) Risk() registry.Risk { return registry.Read }

// Info implements registry.Informer.
func (*searchFiles) Info() registry.Info {
	return registry.Info{
		Title:        "Search files",
		Kind:         registry.KindGrep,
		OutputSchema: json.RawMessage(searchFilesOutput),
		Examples: []registry.Example{
			{Args: json.RawMessage(`{"pattern":"TODO|FIXME"}`)},
			{Args: json.RawMessage(`{"pattern":"func \\(\\w+ \\*?Server\\)","glob":"*.go","context":2}`), Note: "with two lines around each match"},
		},
	}
}

// FootprintOf implements registry.Footprinter.
func (*searchFiles) FootprintOf(args json.RawMessage) registry.Footprint {
	return pathFootprint(args, false)
}

type searchArgs struct {
	Pattern    string  `json:"pattern"`
	Path       string  `json:"path"`
	Glob       string  `json:"glob"`
	IgnoreCase bool    `json:"ignore_case"`
	Literal    bool    `json:"literal"`
	Multiline  bool    `json:"multiline"`
	Context    float64 `json:"context"`
	Max        float64 `json:"max_results"`
	Hidden     bool    `json:"hidden"`
}

type searchAnswer struct {
	Matches    int      `json:"matches"`
	Files      []string `json:"files"`
	Truncated  bool     `json:"truncated"`
	Unreadable int      `json:"unreadable,omitempty"`
}

// Execute implements registry.Tool.
func (t *searchFiles) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	a := searchArgs{Path: ".", Max: 100}
	if err := decode(args, &a); err != nil {
		return nil, err
	}
	pattern, err := grep.Compile(a.Pattern, grep.Options{Literal: a.Literal, IgnoreCase: a.IgnoreCase, Multiline: a.Multiline})
	if err != nil {
		return nil, invalid("invalid regex pattern '%s': %w", printable(a.Pattern), err)
	}
	s := &search{files: t.files, pattern: pattern, context: integer(a.Context), max: integer(a.Max), hidden: a.Hidden}
	if a.Glob != "" {
		s.not = strings.HasPrefix(a.Glob, "!")
		if s.glob, err = compileGlob(strings.TrimPrefix(a.Glob, "!")); err != nil {
			return nil, err
		}
	}
	out := &searchText{budget: budgetOf(registry.CallFrom(ctx)) - noteRoom - frameRoom(""), max: s.max, context: s.context, answer: searchAnswer{Files: []string{}}}
	if err := s.run(ctx, a.Path, out); err != nil {
		return nil, err
	}
	return structured(out.finish(a), out.answer)
}

// run searches a directory or a file.
func (s *search) run(ctx context.Context, path string, out *searchText) error {
	if info, _, err := s.jail.Stat(path); err == nil && !info.IsDir() {
		f, rel, err := s.jail.OpenFile(path)
		if err != nil {
			return fileFailure(registry.CallFrom(ctx), s.jail, path, "read", err)
		}
		defer f.Close()
		readUse(ctx, rel)
		hits := s.scanner(ctx).file(rel, f, info.Size())
		if hits.err != nil {
			return fmt.Errorf("searching %q: %w", path, hits.err)
		}
		out.add(hits)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}
	dir, err := s.openDir(ctx, path)
	if err != nil {
		return err
	}
	if err := s.below(ctx, dir, out); err != nil && !walkedPast(ctx, out.answer.Matches) {
		return fmt.Errorf("searching %q: %w", path, err)
	}
	return nil
}

// fileScanner searches files, one after the other.
type fileScanner struct {
	search *search
	grep.Scanner
}

func (s *search) scanner(ctx context.Context) *fileScanner {
	return &fileScanner{search: s, Scanner: grep.Scanner{
		Pattern: s.pattern, Context: s.context, Look: lookAt,
		Stop: func() bool { return ctx.Err() != nil },
	}}
}

// lookAt leaves out what is no text.
func lookAt(head []byte) (skip bool, decode func(io.Reader) io.Reader) {
	switch e := textenc.Sniff(head[:min(len(head), textenc.SniffLen)]); e {
	case textenc.Binary:
		return true, nil
	case textenc.UTF8:
		return false, nil
	default:
		return false, func(r io.Reader) io.Reader { return textenc.Reader(r, e) }
	}
}

// hits are what was found in one file.
type hits struct {
	path  string
	lines []hit
	err   error
}

type hit struct {
	number int
	text   string
	match  bool
}

// file searches one file, for one match more than is wanted.
func (s *fileScanner) file(path string, r io.Reader, size int64) hits {
	h := hits{path: path}
	matches := 0
	h.err = s.Scan(r, size, func(l grep.Line) bool {
		if l.Match {
			matches++
		}
		h.lines = append(h.lines, hit{l.Number, shownLine(l), l.Match})
		return matches <= s.search.max
	})
	return h
}

// open searches a file of a walk.
func (s *fileScanner) open(e *entry) hits {
	f, err := e.open()
	if err != nil {
		if jail.IsRefusal(err) {
			return hits{path: e.path}
		}
		return hits{path: e.path, err: err}
	}
	defer f.Close()
	return s.file(e.path, f, f.Size())
}

// shownLine is a line as it is shown: the part around the match where it is
// long.
func shownLine(l grep.Line) string {
	line := strings.TrimRight(string(l.Text), " \t\r")
	text, latin := textenc.Line(line)
	if len(text) <= maxShown || utf8.RuneCountInString(text) <= maxShown {
		return text
	}
	start := 0
	if l.Match && !latin && l.At > maxShown*2/3 {
		start = l.At - maxShown/4
		for start > 0 && !utf8.RuneStart(text[start]) {
			start--
		}
	}
	end, n := len(text), 0
	for i := range text[start:] {
		if n == maxShown {
			end = start + i
			break
		}
		n++
	}
	shown := text[start:end]
	if start > 0 {
		shown = "…" + shown
	}
	if end < len(text) {
		shown += "…"
	}
	return shown
}
