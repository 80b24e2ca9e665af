package exttest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/proc"
)

// tape is a cassette that is being recorded.
type tape struct {
	path    string
	folder  string
	secrets func() []string // that the test has handed to the extension

	mu      sync.Mutex
	entries []wire.CassetteEntry
}

// maxTape bounds a file of recordings.
const maxTape = 32 << 20

var tapeName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_. -]*$`)

// tapePath is where a cassette lies: __fixtures__/NAME.http.json beside the test.
func (f *fileRun) tapePath(name string) (string, error) {
	if !tapeName.MatchString(name) || len(name) > 100 {
		return "", fmt.Errorf("%q cannot be the name of a cassette: letters, digits, spaces and _ . - can", name)
	}
	return filepath.Join(filepath.Dir(f.file.Path), "__fixtures__", name+".http.json"), nil
}

// tape gives the recording of a name.
func (f *fileRun) tape(name string) *tape {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.tapes[name]
	if t == nil {
		path, _ := f.tapePath(name) // checked when the test asked for it
		t = &tape{path: path, folder: f.file.Folder, secrets: f.secretValues}
		f.tapes[name] = t
	}
	return t
}

// secretValues are the values that tests have set for variables and settings
// whose names look secret.
func (f *fileRun) secretValues() (out []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.all {
		w.mu.Lock()
		for name, v := range w.env {
			if proc.LooksSecret(name) {
				out = append(out, v)
			}
		}
		for name, raw := range w.settings {
			var text string
			if json.Unmarshal(raw, &text) == nil && proc.LooksSecret(name) {
				out = append(out, text)
			}
		}
		w.mu.Unlock()
	}
	for _, g := range f.opts.Allow { // what the user hands over is no business of others
		if v := os.Getenv(g.Target); g.Kind == permission.KindEnv {
			out = append(out, v)
		}
	}
	return out
}

// cassette tells a test what is recorded, or that it may record.
func (t *testRun) cassette(r wire.TestCassetteRef) (any, error) {
	path, err := t.file.tapePath(r.Name)
	if err != nil {
		return nil, refuse("TypeError", "mockFetch: "+err.Error())
	}
	out := wire.TestCassetteData{Mode: "replay", Path: shown(t.file.opts.Root, path)}
	if t.file.opts.Record {
		out.Mode = "record"
		return out, nil
	}
	data, err := readInside(t.file.file.Folder, path, maxTape)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return out, nil
	case err != nil:
		return nil, refuse("Error", fmt.Sprintf("mockFetch: the cassette %s cannot be read: %v", out.Path, err))
	}
	out.Found = true
	if err := json.Unmarshal(data, &out.Entries); err != nil {
		return nil, refuse("Error", fmt.Sprintf("mockFetch: the cassette %s is damaged: %v; record it again with rho-ext test --record", out.Path, err))
	}
	return out, nil
}

// Hidden stands for a secret in a recording; in a query it matches any value.
const Hidden = "[redacted]"

var secretHeader = regexp.MustCompile(`(?i)^(authorization|proxy-authorization|cookie|set-cookie)$|(token|key|secret|password|signature|session)`)

// kept are the headers of an answer that tests need; others change with every
// recording.
var kept = map[string]bool{
	"content-type": true, "location": true, "link": true, "etag": true, "retry-after": true, "content-language": true,
}

func keepsHeader(name string) bool {
	return kept[name] || strings.HasPrefix(name, "x-") && !strings.Contains(name, "trace") && !strings.Contains(name, "request-id")
}

// add keeps one exchange, without secrets.
func (t *tape) add(req wire.TestFetchRequest, body []byte, res *reply) error {
	hide := t.hider()
	e := wire.CassetteEntry{
		Match:    wire.CassetteMatch{Method: req.Method, URL: hide(hideQuery(req.URL))},
		Response: wire.CassetteResponse{Status: res.status},
	}
	if utf8.Valid(body) && len(body) > 0 {
		e.Match.Body = hide(hideBody(string(body)))
	}
	for _, h := range res.headers {
		name := strings.ToLower(h[0])
		switch {
		case secretHeader.MatchString(name):
			continue
		case keepsHeader(name):
			if e.Response.Headers == nil {
				e.Response.Headers = map[string]string{}
			}
			e.Response.Headers[name] = hide(hideParameters(h[1]))
		}
	}
	switch {
	case len(res.body) == 0:
	case !utf8.Valid(res.body) && hide(string(res.body)) != string(res.body):
		return errors.New("the answer is no text and holds a secret, so it cannot be recorded")
	case !utf8.Valid(res.body):
		e.Response.BodyBase64 = base64.StdEncoding.EncodeToString(res.body)
	case json.Valid(res.body):
		if text := []byte(hide(hideBody(string(res.body)))); json.Valid(text) {
			e.Response.BodyJSON = text
			break
		}
		fallthrough
	default:
		e.Response.Body = hide(hideBody(string(res.body)))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, e)
	return nil
}

// minSecret is the shortest text that is taken out of recordings: shorter ones
// stand everywhere.
const minSecret = 4

// hider takes secrets out of texts.
func (t *tape) hider() func(string) string {
	var pairs []string
	for _, s := range t.secrets() {
		if len(s) >= minSecret {
			pairs = append(pairs, s, Hidden)
			if quoted, err := json.Marshal(s); err == nil {
				pairs = append(pairs, strings.Trim(string(quoted), `"`), Hidden)
			}
			pairs = append(pairs, url.QueryEscape(s), Hidden, url.PathEscape(s), Hidden, base64.StdEncoding.EncodeToString([]byte(s)), Hidden)
		}
	}
	return strings.NewReplacer(pairs...).Replace
}

// hideQuery takes the values of parameters with secret names out of a URL.
func hideQuery(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	u.User = nil
	parts := strings.Split(u.RawQuery, "&")
	for i, p := range parts {
		name, _, _ := strings.Cut(p, "=")
		if plain, err := url.QueryUnescape(name); err == nil && secretHeader.MatchString(plain) {
			parts[i] = name + "=" + Hidden
		}
	}
	u.RawQuery = strings.Join(parts, "&")
	return u.String()
}

// secretMember is a member of a JSON text, or a field of a form, whose name says
// that it holds a secret.
var (
	secretMember = regexp.MustCompile(`(?i)("[^"\\]*(?:token|secret|password|passwd|api_?key|access_?key|private_?key|signature|session|credential)[^"\\]*"\s*:\s*)("(?:[^"\\]|\\.)*")`)
	secretField  = regexp.MustCompile(`(?i)((?:^|[?&;\s])[\w.-]*(?:token|secret|password|passwd|api_?key|access_?key|signature|session|credential)[\w.-]*=)([^&;#\s>"]+)`)
)

// hideBody takes the values of such members and fields out of a body.
func hideBody(text string) string {
	if json.Valid([]byte(text)) {
		return secretMember.ReplaceAllString(text, `${1}"`+Hidden+`"`)
	}
	return hideParameters(text)
}

// hideParameters takes the values of such parameters out of an address, a form or
// a header.
func hideParameters(text string) string {
	return secretField.ReplaceAllString(text, "${1}"+Hidden)
}

// write puts the recording into its file.
func (t *tape) write() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(t.entries); err != nil {
		return err
	}
	return replaceInside(t.folder, t.path, b.Bytes())
}
