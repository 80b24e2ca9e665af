package config

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// settingsKey is the section of the settings of extensions: below it stand their
// ids, and below those what each of them declares.
const settingsKey = "settings"

// ExtensionSetting is one value for a setting of an extension. Which settings
// there are, the extension's manifest says, so that only the form is checked
// here.
type ExtensionSetting struct {
	Extension string
	Name      string
	Value     any // string, bool, int64 or float64
	Origin    Origin
	Column    int // in the file of Origin
}

// Key is its key in the file.
func (s ExtensionSetting) Key() string {
	return join(join(settingsKey, quoteKey(s.Extension)), s.Name)
}

// JSON is the value as JSON.
func (s ExtensionSetting) JSON() json.RawMessage {
	raw, _ := json.Marshal(s.Value) // of a scalar that is finite
	return raw
}

// kind names the type of the value, which may be a secret by mistake and so is
// not shown.
func (s ExtensionSetting) kind() string {
	switch s.Value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	}
	return "number"
}

// SettingsOf gives the values for one extension. Those of the project's file
// count for the project's own extensions alone, and only where the user's says
// nothing: a project cannot change how an extension of the user's works.
func (c *Config) SettingsOf(extension string, projects bool) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, s := range c.Settings {
		if s.Extension == extension && (s.Origin.Source != FromProject || projects) {
			out[s.Name] = s.JSON()
		}
	}
	return out
}

var (
	settingForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
	bareKey     = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
)

// quoteKey is a part of a key as it stands in a file.
func quoteKey(s string) string {
	if bareKey.MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}

// extensionSettings reads [settings]. Messages never show a value.
func (d *decoder) extensionSettings(t map[string]any, n *node) {
	if d.tooMany(settingsKey, len(t), n) {
		return
	}
	d.table(settingsKey, t, n, func(extension string, v any, n *node) bool {
		full := join(settingsKey, quoteKey(extension))
		values, ok := v.(map[string]any)
		switch {
		case extension == "":
			d.failf(n.key, "%s: expected the id of an extension, got an empty one", settingsKey)
			return true
		case !ok:
			d.failf(n.key, "%s: expected a table with the settings of one extension, such as [%s.weather], got %s", full, settingsKey, kindWithoutValue(v))
			return true
		case d.tooMany(full, len(values), n):
			return true
		}
		d.table(full, values, n, func(name string, v any, n *node) bool {
			if !settingForm.MatchString(name) {
				d.failf(n.key, "%s: expected the name of a setting, with 1–64 letters, digits, _ or -, starting with a letter", full)
				return true
			}
			f, isFloat := v.(float64)
			switch v.(type) {
			case string, bool, int64, float64:
				if !isFloat || !math.IsInf(f, 0) && !math.IsNaN(f) {
					d.settings = append(d.settings, setting{offset: n.key, extension: &ExtensionSetting{Extension: extension, Name: name, Value: v}})
					return true
				}
			}
			d.failf(n.valueOffset(), "%s: expected a text, a number, true or false, got %s", join(full, name), kindWithoutValue(v))
			return true
		})
		return true
	})
}

// kindWithoutValue is kind for what may be a secret.
func kindWithoutValue(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case bool, int64:
		return "another value"
	case float64:
		return "a number that is not finite"
	}
	return kind(v)
}

// addExtensionSetting takes a value over. What the user's file sets, a project's
// does not set once more.
func (m *merger) addExtensionSetting(s setting) {
	v := *s.extension
	v.Origin = m.origin(s.offset)
	_, v.Column = m.doc.lineColumn(s.offset)
	for _, other := range m.Settings {
		if other.Extension == v.Extension && other.Name == v.Name {
			if other.Value != v.Value {
				m.ignore(v.Key(), s.offset, "your own configuration sets it, at %s", other.Origin)
			}
			return
		}
	}
	m.Settings = append(m.Settings, v)
}

// explainSettings lists the values without what they are.
func (c *Config) explainSettings() []Value {
	var out []Value
	for _, s := range c.Settings {
		out = append(out, Value{Key: s.Key(), Value: fmt.Sprintf("(a %s)", s.kind()), Origin: s.Origin})
	}
	return out
}

var (
	headerForm   = regexp.MustCompile(`^\s*\[\[?\s*["']?([A-Za-z0-9_-]+)`)
	settingsLine = regexp.MustCompile(`^\s*["']?settings["']?\s*[.=]`)
	keyForm      = regexp.MustCompile(`^\s*[A-Za-z0-9_."' -]+=`)
)

// withoutSettings is the text of a file for people, in which nothing shows that
// could be the value of a setting. It need not be valid, and has the same lines.
func withoutSettings(text string) string {
	lines := strings.Split(text, "\n")
	inside, quoted := false, false // of the section, of a text of several lines
	for i, line := range lines {
		if !quoted {
			if h := headerForm.FindStringSubmatch(line); h != nil && slices.Contains(names(""), h[1]) {
				inside = h[1] == settingsKey
				continue
			}
			inside = inside || settingsLine.MatchString(line)
		}
		if !inside {
			continue
		}
		key := keyForm.FindString(line)
		switch {
		case strings.TrimSpace(line) == "":
		case quoted || key == "":
			lines[i] = "…"
		default:
			lines[i] = key + " …"
		}
		for _, q := range []string{`"""`, "'''"} {
			if strings.Count(line, q)%2 == 1 {
				quoted = !quoted
			}
		}
	}
	return strings.Join(lines, "\n")
}
