package builtin

import (
	"bytes"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlNodes finds the parts of a text that parses: each pair of key and value,
// from its first line to where the next thing starts.
func tomlNodes(src []byte) []SyntaxNode {
	var p unstable.Parser
	p.Reset(src)
	var nodes []SyntaxNode
	last := -1 // the pair before
	for p.NextExpression() {
		e := p.Expression()
		keys := e.Key()
		if !keys.Next() {
			continue
		}
		raw := keys.Node().Raw
		if raw.Length == 0 {
			continue
		}
		start := int(raw.Offset)
		if last >= 0 {
			nodes[last].End = trimmedEnd(src, nodes[last].Start, start)
			last = -1
		}
		if e.Kind == unstable.KeyValue {
			last = len(nodes)
			nodes = append(nodes, SyntaxNode{Kind: "key and value", Start: start, End: len(src)})
		}
	}
	if last >= 0 {
		nodes[last].End = trimmedEnd(src, nodes[last].Start, len(src))
	}
	return nodes
}

// trimmedEnd is where a pair ends: before the blank space, the comments and what
// opens the next key.
func trimmedEnd(src []byte, start, end int) int {
	text := src[start:end]
	for {
		text = bytes.TrimRight(text, " \t\r\n")
		i := bytes.LastIndexByte(text, '\n')
		if i < 0 {
			return start + len(text)
		}
		line := bytes.TrimSpace(text[i+1:])
		if opens := bytes.TrimLeft(line, "["); line[0] != '#' && (len(opens) > 1 || len(opens) == 1 && opens[0] != '"' && opens[0] != '\'') {
			return start + len(text)
		}
		text = text[:i]
	}
}
