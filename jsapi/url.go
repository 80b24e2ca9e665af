package jsapi

import (
	neturl "net/url"
	"strings"

	"github.com/dop251/goja"
	"github.com/nlnwa/whatwg-url/url"
)

// urls parses. The standard has put ^ into the path's percent-encode set since
// the library was written.
var urls = url.NewParser(url.WithPathPercentEncodeSet(url.PathPercentEncodeSet.Set('^')))

// urlRecord is the parsed URL behind a URL object.
type urlRecord struct{ u *url.Url }

// parseURL parses: (url, base or undefined) → [record, parts…], or undefined.
func parseURL(g *Globals, c goja.FunctionCall) goja.Value {
	input := c.Argument(0).String()
	var u *url.Url
	var err error
	if base := c.Argument(1); !quick(input) || !goja.IsUndefined(base) && !quick(base.String()) {
		return goja.Undefined()
	} else if goja.IsUndefined(base) {
		u, err = urls.Parse(input)
	} else {
		u, err = urls.ParseRef(base.String(), input)
	}
	if err != nil {
		return goja.Undefined()
	}
	return g.urlParts(&urlRecord{u})
}

// maxAts is how many @ may stand before a URL's query. The library's time is
// quadratic in them, with no way to interrupt it.
const maxAts = 1000

func quick(input string) bool {
	if i := strings.IndexAny(input, "?#"); i >= 0 {
		input = input[:i]
	}
	return strings.Count(input, "@") <= maxAts
}

// setURL changes one part, as its setter does: (record, part, value) → [record, parts…].
func setURL(g *Globals, c goja.FunctionCall) goja.Value {
	r, ok := c.Argument(0).Export().(*urlRecord)
	if !ok {
		panic(g.vm.NewTypeError("not a URL record"))
	}
	v := c.Argument(2).String()
	switch c.Argument(1).String() {
	case "protocol":
		r.u.SetProtocol(v)
	case "username":
		r.u.SetUsername(v)
	case "password":
		r.u.SetPassword(v)
	case "host":
		r.u.SetHost(v)
	case "hostname":
		r.u.SetHostname(v)
	case "port":
		r.u.SetPort(v)
	case "pathname":
		r.u.SetPathname(v)
	case "search":
		r.u.SetSearch(v)
	case "hash":
		r.u.SetHash(v)
	}
	return g.urlParts(r)
}

func (g *Globals) urlParts(r *urlRecord) goja.Value {
	u := r.u
	return g.vm.NewArray(r, u.Href(false), origin(u), u.Protocol(), u.Username(), u.Password(),
		u.Host(), u.Hostname(), u.Port(), u.Pathname(), u.Search(), u.Hash())
}

// origin is the serialised origin; "null" where there is none.
func origin(u *url.Url) string {
	switch u.Scheme() {
	case "http", "https", "ws", "wss", "ftp":
		return u.Protocol() + "//" + u.Host()
	case "blob":
		inner, err := urls.Parse(u.Pathname())
		if err == nil && (inner.Scheme() == "http" || inner.Scheme() == "https") {
			return origin(inner)
		}
	}
	return "null"
}

// parseQuery reads application/x-www-form-urlencoded: (string) → [[name, value]…].
func parseQuery(g *Globals, c goja.FunctionCall) goja.Value {
	pairs := []any{}
	for part := range strings.SplitSeq(c.Argument(0).String(), "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		pairs = append(pairs, g.vm.NewArray(formDecode(name), formDecode(value)))
	}
	return g.vm.NewArray(pairs...)
}

// formDecode is lenient where net/url refuses: a stray % stands for itself.
func formDecode(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b = append(b, ' ')
		case s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			b = append(b, unhex(s[i+1])<<4|unhex(s[i+2]))
			i += 2
		default:
			b = append(b, s[i])
		}
	}
	return replaceIllFormed(b)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// formatQuery writes application/x-www-form-urlencoded: ([[name, value]…]) → string.
func formatQuery(g *Globals, c goja.FunctionCall) goja.Value {
	var pairs [][2]string
	if err := g.vm.ExportTo(c.Argument(0), &pairs); err != nil {
		panic(g.vm.NewTypeError(err.Error()))
	}
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(formEncode(p[0]))
		b.WriteByte('=')
		b.WriteString(formEncode(p[1]))
	}
	return g.vm.ToValue(b.String())
}

// formEncoding turns Go's query escaping into the form encoding of the web.
var formEncoding = strings.NewReplacer("%2A", "*", "~", "%7E")

func formEncode(s string) string { return formEncoding.Replace(neturl.QueryEscape(s)) }
