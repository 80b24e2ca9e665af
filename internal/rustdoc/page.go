package rustdoc

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// The sections of a page.
const (
	All       = "all"
	Methods   = "methods"
	Traits    = "traits"
	Examples  = "examples"
	Signature = "signature"
)

// ErrNoMember says that an item has no such method, variant or field.
var ErrNoMember = errors.New("the item has no such method, variant, field or associated item")

// Page is a page that was read.
type Page struct {
	Found
	main *html.Node
}

// Read reads the page of an item, also where it only leads to another one.
func (f Found) Read() (*Page, error) {
	file := f.file
	for range 4 {
		doc, err := f.root.parse(file)
		if err != nil {
			return nil, err
		}
		if next := redirect(doc); next != "" {
			if file = path.Join(path.Dir(file), next); strings.HasPrefix(file, "..") {
				break
			}
			continue
		}
		main := byID(doc, "main-content")
		if main == nil {
			main = element(doc, "main")
		}
		if main == nil {
			return nil, fmt.Errorf("%s is no page of rustdoc that can be read", file)
		}
		return &Page{Found: f, main: main}, nil
	}
	return nil, fmt.Errorf("%s leads to no page", f.file)
}

// redirect is where a page leads at once, or "".
func redirect(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "meta" && strings.EqualFold(attr(n, "http-equiv"), "refresh") {
			if _, to, ok := strings.Cut(attr(n, "content"), "URL="); ok {
				to, _, _ = strings.Cut(to, "#")
				return strings.Trim(to, `'"`)
			}
		}
	}
	return ""
}

// members are the prefixes of the ids of what an item has.
var members = []string{"method.", "tymethod.", "variant.", "structfield.", "associatedconstant.", "associatedtype."}

// Members are the names of what the item has.
func (p *Page) Members() (names []string) {
	for n := range p.main.Descendants() {
		id := attr(n, "id")
		for _, prefix := range members {
			if name, ok := strings.CutPrefix(id, prefix); ok && !strings.ContainsAny(name, "-.") && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Markdown shows a section of the page, or of the member that was asked for. An
// empty text means that it has no such section.
func (p *Page) Markdown(section string) (string, error) {
	parts := p.whole()
	if p.Member != "" {
		if parts = p.member(); parts == nil {
			return "", ErrNoMember
		}
	}
	switch section {
	case Signature:
		return signature(parts), nil
	case Examples:
		return examples(parts), nil
	case Traits:
		return list(p.implementations()), nil
	case Methods:
		return list(p.methods()), nil
	}
	text, err := markdown(parts)
	if err != nil || p.Member != "" {
		return text, err
	}
	if m := list(p.methods()); m != "" {
		text += "\n\n## Methods\n\n" + m
	}
	if t := list(p.implementations()); t != "" {
		text += "\n\n## Trait implementations\n\n" + t
	}
	return text, nil
}

// whole is what a page says of the item itself: its declaration and text, with
// what a module holds, and an enum's variants.
func (p *Page) whole() (parts []*html.Node) {
	var decl, text *html.Node
	for n := range p.main.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if decl == nil && n.Data == "pre" && (hasClass(n, "item-decl") || hasClass(n, "rust")) && ancestor(n, "top-doc") == nil {
			decl = n
		}
		if text == nil && hasClass(n, "docblock") && !hasClass(n, "item-decl") {
			text = n
		}
		if decl != nil && text != nil {
			break
		}
	}
	if decl != nil && ancestor(decl, "method-toggle") == nil && ancestor(decl, "docblock") == nil || decl != nil && ancestor(decl, "item-decl") != nil {
		parts = append(parts, decl)
	}
	if text != nil && (ancestor(text, "top-doc") != nil || ancestor(text, "method-toggle") == nil) {
		parts = append(parts, text)
	}
	for n := range p.main.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case hasClass(n, "item-table"), hasClass(n, "variants"):
			parts = append(parts, n)
		case n.Data == "h2" && n.Parent == p.main && p.Kind == "module":
			parts = append(parts, n)
		}
	}
	return parts
}

// member is the part of the page about the member.
func (p *Page) member() []*html.Node {
	for _, prefix := range members {
		n := byID(p.main, prefix+p.Member)
		if n == nil {
			continue
		}
		if n.Parent != nil && n.Parent.Data == "summary" && n.Parent.Parent != nil && n.Parent.Parent.Data == "details" {
			return []*html.Node{n.Parent.Parent}
		}
		parts := []*html.Node{n}
		for next := n.NextSibling; next != nil; next = next.NextSibling {
			if next.Type == html.ElementNode {
				if hasClass(next, "docblock") {
					parts = append(parts, next)
				}
				break
			}
		}
		return parts
	}
	return nil
}

// methods are the signatures of the item's own methods.
func (p *Page) methods() (out []string) {
	for n := range p.main.Descendants() {
		if n.Type != html.ElementNode || !hasClass(n, "code-header") {
			continue
		}
		id := attr(n.Parent, "id")
		if !strings.HasPrefix(id, "method.") && !strings.HasPrefix(id, "tymethod.") {
			continue
		}
		if under(n, "trait-implementations-list", "synthetic-implementations-list", "blanket-implementations-list", "implementors-list") {
			continue
		}
		out = append(out, code(n))
	}
	return out
}

// implementations are the traits that the item implements, without those that
// everything has.
func (p *Page) implementations() (out []string) {
	for n := range p.main.Descendants() {
		if n.Type == html.ElementNode && n.Data == "h3" && hasClass(n, "code-header") &&
			under(n, "trait-implementations-list", "synthetic-implementations-list", "implementors-list") && strings.HasPrefix(attr(n.Parent, "id"), "impl-") {
			out = append(out, code(n))
		}
	}
	return out
}

func list(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString("- `" + strings.ReplaceAll(l, "`", "'") + "`\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// signature is the declaration of an item, or the head of a member.
func signature(parts []*html.Node) string {
	for _, part := range parts {
		for _, n := range append([]*html.Node{part}, slices.Collect(part.Descendants())...) {
			if n.Type != html.ElementNode {
				continue
			}
			if n.Data == "pre" && ancestor(n, "docblock") == nil || hasClass(n, "item-decl") {
				return "```rust\n" + strings.TrimSpace(textOf(n)) + "\n```"
			}
			if hasClass(n, "code-header") || hasClass(n, "variant") && n.Data == "h3" {
				return "```rust\n" + code(n) + "\n```"
			}
		}
	}
	return ""
}

// examples are the pieces of code in the text.
func examples(parts []*html.Node) string {
	var b strings.Builder
	for _, part := range parts {
		for n := range part.Descendants() {
			if n.Type == html.ElementNode && n.Data == "pre" && hasClass(n, "rust") && !hasClass(n, "item-decl") && ancestor(n, "item-decl") == nil && ancestor(n, "docblock") != nil {
				b.WriteString("```rust\n" + strings.TrimSpace(textOf(n)) + "\n```\n\n")
			}
		}
	}
	return strings.TrimSpace(b.String())
}
