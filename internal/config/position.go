package config

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

const (
	// maxKeys and maxDepth keep a file from busying the parser: it compares
	// every key with every other.
	maxKeys  = 5000
	maxDepth = 8
)

// node is a key or an item of a document, with its place.
type node struct {
	key, value int // offsets
	members    map[string]*node
	items      []*node
	tables     bool // of an array of tables, whose last item the next keys go to
}

func (n *node) member(name string) *node {
	if n.members == nil {
		n.members = map[string]*node{}
	}
	m := n.members[name]
	if m == nil {
		m = &node{key: -1, value: -1}
		n.members[name] = m
	}
	return m
}

// at finds a node below n; the nearest one above stands in for what is not
// there.
func (n *node) at(name string) *node {
	if m := n.members[name]; m != nil {
		return m
	}
	return n
}

func (n *node) item(i int) *node {
	if i < len(n.items) {
		return n.items[i]
	}
	return n
}

// valueOffset is where the value begins, or else the key.
func (n *node) valueOffset() int {
	if n.value >= 0 {
		return n.value
	}
	return n.key
}

// document is a file that was read.
type document struct {
	file string
	text []byte
	tree map[string]any
	root *node
	// lines are the offsets at which lines begin.
	lines []int
}

// parse reads TOML. A problem's place is that of the first error.
func parse(file string, text []byte) (*document, *Problem) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	d := &document{file: file, text: text, root: &node{}, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	if p := d.index(); p != nil {
		return nil, p
	}
	err := toml.Unmarshal(text, &d.tree)
	var bad *toml.DecodeError
	switch {
	case errors.As(err, &bad):
		line, column := bad.Position()
		return nil, d.problemAt(d.lines[min(line, len(d.lines))-1]+column-1, plain(strings.TrimPrefix(bad.Error(), "toml: ")))
	case err != nil:
		return nil, &Problem{File: file, Message: err.Error()}
	}
	return d, nil
}

// index notes the place of every key and value.
func (d *document) index() *Problem {
	var p unstable.Parser
	p.Reset(d.text)
	in := &indexer{parser: &p}
	table := d.root
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table:
			table = in.walk(d.root, e.Key())
		case unstable.ArrayTable:
			table = in.walk(d.root, e.Key())
			item := &node{key: lastOffset(e.Key()), value: -1}
			table.tables, table.items = true, append(table.items, item)
			table = item
		case unstable.KeyValue:
			in.keyValue(table, e)
		}
		if in.problem != "" {
			return d.problemAt(in.where, in.problem)
		}
	}
	if err := p.Error(); err != nil {
		var bad *unstable.ParserError
		if errors.As(err, &bad) {
			return d.problemAt(int(p.Range(bad.Highlight).Offset), plain(bad.Message))
		}
		return &Problem{File: d.file, Message: err.Error()}
	}
	return nil
}

// plain turns what the parser says of text without quotes into words that help.
func plain(message string) string {
	if strings.HasPrefix(message, "expected keyword") || strings.HasSuffix(message, "at start of value") {
		return `expected a value; text stands in quotes, such as "debug"`
	}
	return message
}

// lastOffset is where the last part of a key begins.
func lastOffset(parts unstable.Iterator) (offset int) {
	for parts.Next() {
		offset = int(parts.Node().Raw.Offset)
	}
	return offset
}

type indexer struct {
	parser  *unstable.Parser
	count   int
	problem string
	where   int
}

func (in *indexer) keyValue(table *node, e *unstable.Node) {
	n := in.walk(table, e.Key())
	in.value(n, e.Value(), 0)
}

// walk follows a dotted key and notes the place of each part.
func (in *indexer) walk(n *node, parts unstable.Iterator) *node {
	for depth := 0; parts.Next(); depth++ {
		part := parts.Node()
		in.count++
		switch {
		case in.problem != "":
			return n
		case in.count > maxKeys:
			in.fail(part, fmt.Sprintf("more than %d keys", maxKeys))
			return n
		case depth >= maxDepth:
			in.fail(part, fmt.Sprintf("a key of more than %d parts", maxDepth))
			return n
		}
		n = n.member(string(part.Data))
		if n.key < 0 {
			n.key = int(part.Raw.Offset)
		}
		if n.tables && !parts.IsLast() {
			n = n.items[len(n.items)-1]
		}
	}
	return n
}

func (in *indexer) value(n *node, v *unstable.Node, depth int) {
	if v.Raw.Length > 0 {
		n.value = int(v.Raw.Offset)
	}
	if depth > maxDepth {
		in.fail(v, fmt.Sprintf("a value that is nested more than %d deep", maxDepth))
		return
	}
	for it := v.Children(); in.problem == "" && (v.Kind == unstable.Array || v.Kind == unstable.InlineTable) && it.Next(); {
		child := it.Node()
		switch {
		case child.Kind == unstable.Comment:
		case v.Kind == unstable.InlineTable:
			in.keyValue(n, child)
		default:
			item := &node{key: n.key, value: -1}
			n.items = append(n.items, item)
			in.value(item, child, depth+1)
		}
	}
}

func (in *indexer) fail(at *unstable.Node, message string) {
	if in.problem == "" {
		in.problem, in.where = message, int(at.Raw.Offset)
	}
}

// lineColumn gives the 1-based line and column, in characters, of an offset.
func (d *document) lineColumn(offset int) (line, column int) {
	offset = max(0, min(offset, len(d.text)))
	line = sort.SearchInts(d.lines, offset+1)
	return line, 1 + utf8.RuneCount(d.text[d.lines[line-1]:offset])
}

func (d *document) problemAt(offset int, message string) *Problem {
	p := &Problem{File: d.file, Message: message}
	p.Line, p.Column = d.lineColumn(offset)
	return p
}
