package rustdoc

import (
	"slices"
	"strings"

	htmltomarkdown "github.com/JohannesKaufmann/html-to-markdown/v2"
	"golang.org/x/net/html"
)

// noise are classes of what is on a page for readers with a mouse.
var noise = []string{"doc-anchor", "anchor", "src", "srclink", "since", "rightside", "out-of-band", "test-arrow", "tooltip", "information", "copy-button", "hideme", "notable-traits", "button-holder", "scraped-example-list", "stab"}

// markdown turns parts of a page into Markdown.
func markdown(parts []*html.Node) (string, error) {
	body := &html.Node{Type: html.ElementNode, Data: "div"}
	for _, p := range parts {
		body.AppendChild(clean(p))
	}
	out, err := htmltomarkdown.ConvertNode(body)
	return strings.TrimSpace(string(out)), err
}

// clean copies a node without noise. Links lead to other pages of the folder,
// which nobody can follow, so that their text is left.
func clean(n *html.Node) *html.Node {
	c := &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom}
	switch {
	case n.Type != html.ElementNode:
		return c
	case n.Data == "pre":
		code := &html.Node{Type: html.ElementNode, Data: "code"}
		if hasClass(n, "rust") {
			code.Attr = []html.Attribute{{Key: "class", Val: "language-rust"}}
		}
		code.AppendChild(&html.Node{Type: html.TextNode, Data: textOf(n)})
		c.AppendChild(code)
		return c
	case hasClass(n, "code-header"), n.Data == "section" && hasClass(n, "variant"), n.Data == "h3" && hasClass(n, "variant"):
		c.Data, c.DataAtom = "h4", 0
		item := &html.Node{Type: html.ElementNode, Data: "code"}
		item.AppendChild(&html.Node{Type: html.TextNode, Data: code(n)})
		c.AppendChild(item)
		return c
	case n.Data == "dt", hasClass(n, "item-name"), hasClass(n, "item-left"): // what a module holds
		item := &html.Node{Type: html.ElementNode, Data: "code"}
		item.AppendChild(&html.Node{Type: html.TextNode, Data: code(n)})
		c.AppendChild(item)
		return c
	case n.Data == "a", n.Data == "summary", n.Data == "details":
		c.Data, c.DataAtom = "span", 0
		if n.Data != "a" {
			c.Data = "div"
		}
	default:
		if n.Data == "ol" {
			c.Attr = n.Attr
		}
	}
	for child := range n.ChildNodes() {
		if !isNoise(child) {
			c.AppendChild(clean(child))
		}
	}
	return c
}

func isNoise(n *html.Node) bool {
	if n.Type == html.CommentNode {
		return true
	}
	if n.Type != html.ElementNode {
		return false
	}
	return slices.Contains([]string{"script", "style", "button", "wbr", "rustdoc-toolbar", "img", "svg", "nav", "iframe", "form"}, n.Data) ||
		slices.ContainsFunc(noise, func(c string) bool { return hasClass(n, c) })
}

// code is the text of a signature in one line.
func code(n *html.Node) string { return strings.Join(strings.Fields(textOf(n)), " ") }

// textOf is the text of a node without noise.
func textOf(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.Type == html.ElementNode && n.Data == "br":
			b.WriteByte('\n')
		case isNoise(n):
		default:
			if n.Data == "div" && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
				b.WriteByte('\n')
			}
			for c := range n.ChildNodes() {
				walk(c)
			}
			if n.Data == "div" {
				b.WriteByte('\n')
			}
		}
	}
	for c := range n.ChildNodes() {
		walk(c)
	}
	return strings.ReplaceAll(b.String(), "\u00a0", " ")
}

func attr(n *html.Node, name string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasClass(n *html.Node, class string) bool {
	return slices.Contains(strings.Fields(attr(n, "class")), class)
}

func byID(n *html.Node, id string) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && attr(d, "id") == id {
			return d
		}
	}
	return nil
}

func element(n *html.Node, name string) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == name {
			return d
		}
	}
	return nil
}

// ancestor is the nearest node above with a class, or nil.
func ancestor(n *html.Node, class string) *html.Node {
	for p := range n.Ancestors() {
		if hasClass(p, class) {
			return p
		}
	}
	return nil
}

// under reports whether a node is below one of these ids.
func under(n *html.Node, ids ...string) bool {
	for p := range n.Ancestors() {
		if slices.Contains(ids, attr(p, "id")) {
			return true
		}
	}
	return false
}
