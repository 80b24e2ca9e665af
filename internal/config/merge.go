package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// merger lays one file over another.
type merger struct {
	*Config
	opts     Options
	warnings []Warning

	// Of the file that is being laid over: nil text is one that is not there.
	doc    *document
	source Source
	dir    string // what its paths are relative to
	// mayDeny is whether a default of the user's is deny. An ask that matches
	// would then allow more than none.
	mayDeny bool
}

// file applies one file.
func (m *merger) file(source Source, shown, dir string, text []byte) error {
	m.files = append(m.files, File{Source: source, Path: shown, Found: text != nil})
	if text == nil {
		return nil
	}
	doc, settings, err := m.read(shown, text)
	if err != nil {
		return err
	}
	m.doc, m.source, m.dir = doc, source, dir
	a := m.Approval
	m.mayDeny = slices.Contains([]Action{a.Read, a.Write, a.Network, a.Destructive}, Deny)
	for _, s := range settings {
		switch {
		case s.extension != nil:
			m.addExtensionSetting(s)
		case s.key == nil:
			m.addRule(s)
		case s.value == nil:
			m.list(s)
		default:
			m.scalar(s)
		}
	}
	return nil
}

func (m *merger) origin(offset int) Origin {
	line, _ := m.doc.lineColumn(offset)
	return Origin{Source: m.source, File: m.doc.file, Line: line}
}

// ignore notes that something in the project's file has no effect.
func (m *merger) ignore(name string, offset int, format string, args ...any) {
	w := Warning{File: m.doc.file, Key: name, Why: fmt.Sprintf(format, args...)}
	w.Line, w.Column = m.doc.lineColumn(offset)
	m.warnings = append(m.warnings, w)
}

// users says where the user can do what a project may not.
func (m *merger) users() string {
	if m.opts.File != "" {
		return "only your own configuration may, " + m.opts.File
	}
	if m.opts.Home != "" {
		return "only your own configuration may, " + filepath.Join(m.opts.Home, FileName)
	}
	return "only your own configuration may"
}

func (m *merger) scalar(s setting) {
	k := s.key
	old := k.get(m.Config)
	if m.source == FromProject {
		switch {
		case text(old) == text(s.value):
			return // it says what holds already
		case k.project == never:
			m.ignore(k.name, s.offset, "a project's file may not set it; %s", m.users())
			return
		case k.wider(old, s.value):
			m.ignore(k.name, s.offset, "a project's file may only narrow, and %s allows more than %s, which holds; %s", text(s.value), text(old), m.users())
			return
		}
	}
	k.set(m.Config, s.value)
	m.origins[k.name] = []Origin{m.origin(s.offset)}
}

func (m *merger) list(s setting) {
	k := s.key
	switch {
	case m.source != FromProject:
		for _, it := range s.items {
			m.append(k, it.value, m.origin(it.offset))
		}
	case k.project == restricts:
		m.restrict(s)
	case k.project == adds:
		for _, it := range s.items {
			m.append(k, it.value, m.origin(it.offset))
		}
	case len(s.items) > 0:
		m.ignore(k.name, s.offset, "a project's file may not set it; %s", m.users())
	}
}

// append adds an item to a list. Most lists hold an item once.
func (m *merger) append(k *key, v any, o Origin) {
	switch p := k.field(m.Config).(type) {
	case *[]string:
		s := v.(string)
		if k.item != nil { // of folders the last one counts, so it may be there twice
			s = k.item(s, m.dir)
		} else if slices.Contains(*p, s) {
			return
		}
		*p = append(*p, s)
	case *[][]string:
		if slices.ContainsFunc(*p, func(l []string) bool { return slices.Equal(l, v.([]string)) }) {
			return
		}
		*p = append(*p, v.([]string))
	}
	m.origins[k.name] = append(m.origins[k.name], o)
}

// restrict takes the project's list of enabled extensions: of the user's, those
// that it names.
func (m *merger) restrict(s setting) {
	enabled, disabled := &m.Extensions.Enabled, &m.Extensions.Disabled
	var keep []string
	var origins []Origin
	for _, it := range s.items {
		id := it.value.(string)
		switch {
		case slices.Contains(*disabled, id):
			m.ignore(s.key.name, it.offset, "%q is disabled by your own configuration, which a project's file cannot undo; %s", id, m.users())
		case len(*enabled) > 0 && !slices.Contains(*enabled, id):
			m.ignore(s.key.name, it.offset, "%q is not among the extensions that your own configuration enables; %s", id, m.users())
		}
		if (len(*enabled) == 0 || slices.Contains(*enabled, id)) && !slices.Contains(keep, id) {
			keep, origins = append(keep, id), append(origins, m.origin(it.offset))
		}
	}
	switch {
	case len(s.items) == 0:
		return // all that the user has
	case len(keep) == 0: // an empty list would mean all
		for _, id := range *enabled {
			m.append(keyNamed("extensions.disabled"), id, m.origin(s.offset))
		}
		return
	}
	*enabled, m.origins[s.key.name] = keep, origins
}

// addRule adds a rule. Of a project's none may allow more: not auto, and not
// ask where it could soften a deny.
func (m *merger) addRule(s setting) {
	r := s.rule
	r.Origin = m.origin(s.offset)
	if m.source == FromProject {
		strictest := m.strictest(r)
		switch {
		case strictest == r.Action:
			return
		case strictest.rank() > r.Action.rank():
			m.ignore(r.Key, s.offset, "a project's file may only narrow, and your own configuration says %s to the same calls; %s", strictest, m.users())
			return
		case r.Action == Auto:
			m.ignore(r.Key, s.offset, "a project's file may add ask and deny, but not auto; %s", m.users())
			return
		case r.Action == Ask && m.mayDeny && strictest == "":
			m.ignore(r.Key, s.offset, "a project's file may only narrow, and ask allows more than deny, which your own configuration has as a default; %s", m.users())
			return
		}
	}
	m.Approval.Rules = append(m.Approval.Rules, r)
}

// strictest is what the user's rules with the very same conditions say, or "".
func (m *merger) strictest(r Rule) Action {
	var out Action
	for _, o := range m.Approval.Rules {
		if o.Origin.Source != FromProject && o.Action.rank() > out.rank() && o.conditions() == r.conditions() {
			out = o.Action
		}
	}
	return out
}

func (a Action) rank() int { return slices.Index(actions, string(a)) }

func (r Rule) conditions() string {
	return fmt.Sprintf("%q %q %q %q %q", r.Tool, r.Effects, r.Owner, r.Arg, r.Match)
}

// override applies a flag or a variable of the environment.
func (m *merger) override(o Override) error {
	k := keyNamed(o.Key)
	if k == nil {
		return problem("", fmt.Sprintf("%s: there is no key %q", o.Name, o.Key))
	}
	origin := Origin{Source: o.Source, Name: o.Name}
	if _, ok := k.field(m.Config).(*[]string); ok {
		m.dir = ""
		m.append(k, o.Value, origin)
		return nil
	}
	v, wrong := k.parse(o.Value)
	if wrong != "" {
		return problem("", o.Name+": "+wrong)
	}
	k.set(m.Config, v)
	m.origins[k.name] = []Origin{origin}
	return nil
}

// absolute makes a path of a file absolute: ~ is the user's home directory, and
// everything else relative to the file's folder.
func absolute(path, dir string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
