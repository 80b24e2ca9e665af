package bundle

import (
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/rho-ext/rho-ext/host/wire"
)

var unresolved = regexp.MustCompile(`^Could not resolve "([^"]*)"`)

// entryOf stands for the extension as a whole.
func entryOf(o Options) wire.Position {
	entry, _ := below(o.Root, o.Entry)
	return wire.Position{File: filepath.ToSlash(entry)}
}

// column is 1-based and counts UTF-16 units, as source maps and editors do; the
// bundler counts bytes.
func column(loc *api.Location) int {
	n := 1
	for i, r := range loc.LineText {
		if i >= loc.Column {
			return n
		}
		n += utf16.RuneLen(r)
	}
	return n + max(0, loc.Column-len(loc.LineText))
}

// failures translates esbuild's messages.
func (l *loader) failures(msgs []api.Message) []wire.Failure {
	o := l.opts
	out := make([]wire.Failure, 0, len(msgs))
	for _, m := range msgs {
		if unreadable(m, msgs) {
			continue
		}
		if name := unresolved.FindStringSubmatch(m.Text); name != nil && m.Location != nil {
			if is := l.outside(name[1], m.Location.File); is != nil {
				m.Text, m.Detail = is.Text, is.Detail
			}
		}
		f := wire.Failure{Stage: wire.StageBundle, Message: m.Text}
		if loc := m.Location; loc != nil && !strings.HasPrefix(loc.File, virtualPrefix+"entry") {
			f.Position = wire.Position{File: loc.File, Line: loc.Line, Column: column(loc)}
		} else {
			f.Position = entryOf(o)
		}
		if d, ok := m.Detail.(detail); ok {
			f.Stage, f.Hint = d.stage, d.hint
		} else if name := unresolved.FindStringSubmatch(m.Text); name != nil {
			f.Stage = wire.StageResolve
			f.Message = `cannot find "` + name[1] + `"`
			f.Hint = resolveHint(name[1])
		} else if nothingExported(m) {
			f.Message = strings.Replace(m.Text, "will always be undefined because", "finds nothing:", 1)
			f.Hint = "check the path, or export the name there"
		} else if strings.HasPrefix(m.Text, "No matching export in") {
			f.Hint = "check the spelling, or export the name there"
		} else if len(m.Notes) > 0 {
			f.Hint = m.Notes[0].Text
		}
		f.Message = strings.ReplaceAll(f.Message, `"`+virtualPrefix, `"`)
		out = append(out, f)
	}
	return out
}

// nothingExported reports whether a message is about an import from a module
// that exports nothing, such as one that is being saved: the bundler only warns
// that it is undefined.
func nothingExported(m api.Message) bool {
	return m.ID == "import-is-undefined" && strings.HasSuffix(m.Text, "has no exports")
}

func resolveHint(name string) string {
	switch {
	case strings.HasPrefix(name, "."), strings.HasPrefix(name, "/"):
		return "check the spelling of the path; it is relative to the importing file"
	}
	base, _, _ := strings.Cut(name, "/")
	if _, ok := nodeBuiltins[base]; ok {
		return "the sandbox has no Node modules: " + nodeHint(name)
	}
	if strings.HasPrefix(name, "@") {
		if parts := strings.SplitN(name, "/", 3); len(parts) >= 2 {
			base = parts[0] + "/" + parts[1]
		}
	}
	return "run npm install " + base + " in the project, or beside the extension"
}
