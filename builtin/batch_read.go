package builtin

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/registry"
)

//go:embed batch_read.md
var batchReadDescription string

const batchReadParameters = `{
  "type": "object",
  "properties": {
    "paths": {
      "type": "array",
      "minItems": 1,
      "maxItems": 20,
      "items": {"type": "string", "minLength": 1},
      "description": "Files to read, relative to the project root"
    }
  },
  "required": ["paths"],
  "additionalProperties": false
}`

const batchReadOutput = `{
  "type": "object",
  "properties": {
    "read": {"type": "integer", "description": "How many files could be read"},
    "files": {
      "type": "array",
      "description": "In the order of the paths",
      "items": {
        "type": "object",
        "properties": {
          "path": {"type": "string"},
          "totalLines": {"type": "integer"},
          "firstLine": {"type": "integer"},
          "lastLine": {"type": "integer"},
          "bytes": {"type": "integer"},
          "encoding": {"type": "string"},
          "binary": {"type": "boolean"},
          "mimeType": {"type": "string"},
          "error": {"type": "string", "description": "Why the file could not be read"}
        },
        "required": ["path"]
      }
    }
  },
  "required": ["read", "files"],
  "additionalProperties": false
}`

// batchRead is the tool batch_read.
type batchRead struct{ *files }

// Name implements registry.Tool.
func (*batchRead) Name() string { return "batch_read" }

// Description implements registry.Tool.
func (*batchRead) Description() string { return description(batchReadDescription) }

// Parameters implements registry.Tool.
func (*batchRead) Parameters() json.RawMessage { return json.RawMessage(batchReadParameters) }

// Risk implements registry.Tool.
func (*batchRead) Risk() registry.Risk { return registry.Read }

// Info implements registry.Informer.
func (*batchRead) Info() registry.Info {
	return registry.Info{
		Title:        "Read several files",
		Kind:         registry.KindRead,
		OutputSchema: json.RawMessage(batchReadOutput),
		Examples:     []registry.Example{{Args: json.RawMessage(`{"paths":["README.md","go.mod"]}`)}},
	}
}

type batchReadArgs struct {
	Paths []string `json:"paths"`
}

// FootprintOf implements registry.Footprinter.
func (*batchRead) FootprintOf(args json.RawMessage) registry.Footprint {
	var a batchReadArgs
	if json.Unmarshal(args, &a) != nil {
		return registry.Footprint{Exclusive: true}
	}
	var f registry.Footprint
	for _, p := range a.Paths {
		f.Reads = append(f.Reads, footprintPath(p))
	}
	return f
}

type batchFile struct {
	Path  string `json:"path"`
	Error string `json:"error,omitempty"`
	*readFileAnswer
}

// MarshalJSON writes one flat object.
func (b batchFile) MarshalJSON() ([]byte, error) {
	if b.readFileAnswer != nil {
		return json.Marshal(b.readFileAnswer)
	}
	return json.Marshal(struct {
		Path  string `json:"path"`
		Error string `json:"error"`
	}{b.Path, b.Error})
}

// Execute implements registry.Tool.
func (t *batchRead) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	var a batchReadArgs
	if err := decode(args, &a); err != nil {
		return nil, err
	}
	if n := len(a.Paths); n < 1 || n > 20 {
		return nil, invalid("paths: expected 1 to 20 paths, got %d", n)
	}
	blocks, answers := make([]string, len(a.Paths)), make([]batchFile, len(a.Paths))
	var images []registry.Block
	read := 0
	budget := budgetOf(registry.CallFrom(ctx)) - 100
	for i, at := range t.smallestFirst(a.Paths) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		// What a small file leaves, a large one may take.
		p, err := t.page(ctx, readFileArgs{Path: a.Paths[at], Offset: 1, Hashline: true}, budget/(len(a.Paths)-i)-2)
		if err != nil {
			blocks[at] = fmt.Sprintf("[%d] error: %s", at+1, clipText(message(err)))
			answers[at] = batchFile{Path: a.Paths[at], Error: message(err)}
			budget -= len(blocks[at]) + 2
			continue
		}
		read++
		answers[at] = batchFile{readFileAnswer: &p.answer}
		text := p.note
		if p.framed {
			text += frame(p.answer.Path, p.body)
		} else {
			text = fmt.Sprintf("%s: %s", fileLine(p.answer.Path), p.note)
		}
		if p.image != nil {
			images = append(images, registry.Block{Type: registry.BlockImage, Data: p.image, MIMEType: p.answer.MIMEType})
		}
		blocks[at] = text
		budget -= len(text) + 2
	}
	text := fmt.Sprintf("batch_read: %d/%d files read\n\n", read, len(a.Paths)) + strings.Join(blocks, "\n\n")
	res, err := structured(text, struct {
		Read  int         `json:"read"`
		Files []batchFile `json:"files"`
	}{read, answers})
	if err != nil {
		return nil, err
	}
	res.Content = append(res.Content, images...)
	res.IsError = read == 0
	return res, nil
}

// smallestFirst gives the order in which files share the budget.
func (t *files) smallestFirst(paths []string) []int {
	order, sizes := make([]int, len(paths)), make([]int64, len(paths))
	for i, p := range paths {
		order[i] = i
		if info, _, err := t.jail.Stat(p); err == nil {
			sizes[i] = info.Size()
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	return order
}

// message is what a model is told of an error.
func message(err error) string {
	var f *registry.Failure
	if errors.As(err, &f) {
		return f.TextForModel()
	}
	return err.Error()
}
