package builtin

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"image"
	_ "image/gif" // the sizes of the usual images
	_ "image/jpeg"
	_ "image/png"
	"io"

	"github.com/rho-ext/rho-ext/internal/textenc"
	"github.com/rho-ext/rho-ext/registry"
)

//go:embed read_file.md
var readFileDescription string

const readFileParameters = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "File to read, relative to the project root"},
    "offset": {"type": "integer", "minimum": 1, "default": 1, "description": "First line to return, counted from 1"},
    "limit": {"type": "integer", "minimum": 1, "description": "How many lines to return at most; all by default"},
    "hashline": {"type": "boolean", "default": true, "description": "Whether each line starts with its anchor, LINE#HASH: as edit_file takes it"}
  },
  "required": ["path"],
  "additionalProperties": false
}`

const readFileOutput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "Relative to the project root, links resolved"},
    "totalLines": {"type": "integer"},
    "firstLine": {"type": "integer", "description": "0 when no line was returned"},
    "lastLine": {"type": "integer", "description": "0 when no line was returned"},
    "bytes": {"type": "integer", "description": "Size of the file"},
    "encoding": {"type": "string", "description": "Of the lines that were returned"},
    "binary": {"type": "boolean"},
    "mimeType": {"type": "string", "description": "Of a binary file"}
  },
  "required": ["path", "totalLines", "firstLine", "lastLine", "bytes"],
  "additionalProperties": false
}`

// maxImage is how large an image may be, in bytes, to be shown: what the
// providers of models take, less what base64 adds.
const maxImage = 3_700_000

// readFile is the tool read_file.
type readFile struct{ *files }

// Name implements registry.Tool.
func (*readFile) Name() string { return "read_file" }

// Description implements registry.Tool.
func (*readFile) Description() string { return description(readFileDescription) }

// Parameters implements registry.Tool.
func (*readFile) Parameters() json.RawMessage { return json.RawMessage(readFileParameters) }

// Risk implements registry.Tool.
func (*readFile) Risk() registry.Risk { return registry.Read }

// Info implements registry.Informer.
func (*readFile) Info() registry.Info {
	return registry.Info{
		Title:        "Read file",
		Kind:         registry.KindRead,
		OutputSchema: json.RawMessage(readFileOutput),
		Examples: []registry.Example{
			{Args: json.RawMessage(`{"path":"README.md"}`)},
			{Args: json.RawMessage(`{"path":"main.go","offset":100,"limit":50}`), Note: "lines 100 to 149"},
		},
	}
}

// FootprintOf implements registry.Footprinter.
func (*readFile) FootprintOf(args json.RawMessage) registry.Footprint {
	return pathFootprint(args, false)
}

// readFileArgs are validated.
type readFileArgs struct {
	Path     string  `json:"path"`
	Offset   float64 `json:"offset"`
	Limit    float64 `json:"limit"`
	Hashline bool    `json:"hashline"`
}

type readFileAnswer struct {
	Path       string `json:"path"`
	TotalLines int    `json:"totalLines"`
	FirstLine  int    `json:"firstLine"`
	LastLine   int    `json:"lastLine"`
	Bytes      int64  `json:"bytes"`
	Encoding   string `json:"encoding,omitempty"`
	Binary     bool   `json:"binary,omitempty"`
	MIMEType   string `json:"mimeType,omitempty"`
}

// Execute implements registry.Tool.
func (t *readFile) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	a := readFileArgs{Offset: 1, Hashline: true}
	if err := decode(args, &a); err != nil {
		return nil, err
	}
	p, err := t.page(ctx, a, budgetOf(registry.CallFrom(ctx)))
	if err != nil {
		return nil, err
	}
	text := p.note
	if p.framed {
		text += frame(p.answer.Path, p.body)
	}
	res, err := structured(text, p.answer)
	if err == nil && p.image != nil {
		res.Content = append(res.Content, registry.Block{Type: registry.BlockImage, Data: p.image, MIMEType: p.answer.MIMEType})
	}
	return res, err
}

// page is what is shown of a file at once.
type page struct {
	note   string // ends in a newline where a text follows
	framed bool   // whether body is text of the file
	body   string
	image  []byte
	answer readFileAnswer
}

// page reads a part of a file that fits the budget.
func (t *files) page(ctx context.Context, a readFileArgs, budget int) (*page, error) {
	f, rel, err := t.jail.OpenFile(a.Path)
	if err != nil {
		return nil, fileFailure(registry.CallFrom(ctx), t.jail, a.Path, "read", err)
	}
	defer f.Close()
	readUse(ctx, rel)
	before, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", a.Path, err)
	}
	l := newLines(integer(a.Offset), integer(a.Limit), budget-headerRoom-frameRoom(rel), a.Hashline)
	if err := l.read(ctx, f); err != nil {
		return nil, fmt.Errorf("reading %q: %w", a.Path, err)
	}
	p := &page{answer: readFileAnswer{Path: rel, Bytes: l.bytes, TotalLines: l.total}}
	switch {
	case l.enc == textenc.Binary:
		p.answer.Bytes = before.Size()
		if err := p.binary(f, l.head); err != nil {
			return nil, fmt.Errorf("reading %q: %w", a.Path, err)
		}
	case l.total == 0:
		p.note = "[empty file]"
	case len(l.kept) == 0:
		return nil, refuse("offset_past_end", fmt.Sprintf("offset %d is past the end of %q, which has %d lines", l.first, a.Path, l.total))
	default:
		p.answer.FirstLine, p.answer.LastLine, p.answer.Encoding = l.first, l.last(), l.encoding().String()
		p.note, p.body, p.framed = l.header(), l.body(), true
		if after, err := f.Stat(); err == nil && stampOf(after) == stampOf(before) && l.cutAt == 0 {
			t.seen.show(rel, stampOf(after), l.first, l.last())
		}
	}
	return p, nil
}

// binary describes a file that is no text, and takes along what can be looked
// at.
func (p *page) binary(f io.ReadSeeker, head []byte) error {
	p.answer.Binary, p.answer.MIMEType = true, textenc.MIMEType(head)
	p.note = fmt.Sprintf("[binary file of %d bytes (%s), not shown]", p.answer.Bytes, p.answer.MIMEType)
	switch p.answer.MIMEType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		return nil
	}
	if p.answer.Bytes > maxImage {
		p.note = fmt.Sprintf("[%s of %d bytes, not shown: more than the %d that an image may have]", p.answer.MIMEType, p.answer.Bytes, maxImage)
		return nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxImage))
	if err != nil {
		return err
	}
	p.image = data
	size := ""
	if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		size = fmt.Sprintf(", %d×%d", c.Width, c.Height)
	}
	p.note = fmt.Sprintf("[%s of %d bytes%s]", p.answer.MIMEType, p.answer.Bytes, size)
	return nil
}
