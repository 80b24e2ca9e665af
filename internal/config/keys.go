package config

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// key describes one key of the file. Its type is that of the field: an Action,
// bool, duration, int64, string (one of choices), list, or list of lists.
type key struct {
	name    string
	field   func(*Config) any                    // a pointer
	choices []string                             // of text, from wide to narrow; none is any text
	form    string                               // of a text without choices: what it looks like
	narrow  any                                  // of a bool: the value that a project may set
	project rule                                 // what a project's file may do
	min     int64                                // of a number
	max     int64                                // of a number
	check   func(text string) (problem string)   // of a text without choices, and of a list's items
	item    func(item, dir string) (used string) // of a list's items, as they are used
	secret  bool                                 // of a text: its URL may hold a password
}

// rule is what a project's file may do with a key.
type rule uint8

const (
	never     rule = iota // nothing
	narrows               // set a narrower value
	adds                  // add items
	restricts             // leave items out
)

const (
	perToolKey = "approval.per_tool"
	ruleKey    = "approval.rule"
)

var actions = []string{string(Auto), string(Ask), string(Deny)}

// keys are all keys but the two of rules and [settingsKey], in the order of the file's page.
var keys = []*key{
	{name: "approval.read", field: func(c *Config) any { return &c.Approval.Read }, choices: actions, project: narrows},
	{name: "approval.write", field: func(c *Config) any { return &c.Approval.Write }, choices: actions, project: narrows},
	{name: "approval.network", field: func(c *Config) any { return &c.Approval.Network }, choices: actions, project: narrows},
	{name: "approval.destructive", field: func(c *Config) any { return &c.Approval.Destructive }, choices: actions, project: narrows},
	{name: "extensions.enabled", field: func(c *Config) any { return &c.Extensions.Enabled }, project: restricts},
	{name: "extensions.disabled", field: func(c *Config) any { return &c.Extensions.Disabled }, project: adds},
	{name: "extensions.dirs", field: func(c *Config) any { return &c.Extensions.Dirs }, item: absolute},
	{name: "shell.denied_commands", field: func(c *Config) any { return &c.Shell.DeniedCommands }, project: adds},
	{name: "shell.denied_flag_combos", field: func(c *Config) any { return &c.Shell.DeniedFlagCombos }, project: adds},
	{name: "shell.allowed_commands", field: func(c *Config) any { return &c.Shell.AllowedCommands }},
	{name: "sandbox.isolation", field: func(c *Config) any { return &c.Sandbox.Isolation }, choices: []string{"in-process", "process"}, project: narrows},
	{name: "sandbox.call_timeout", field: func(c *Config) any { return &c.Sandbox.CallTimeout }, project: narrows},
	{name: "sandbox.load_timeout", field: func(c *Config) any { return &c.Sandbox.LoadTimeout }, project: narrows},
	// A project that could choose these would see and change what others send.
	{name: "network.proxy", field: func(c *Config) any { return &c.Network.Proxy }, form: proxyForm, check: checkProxy, secret: true},
	{name: "network.no_proxy", field: func(c *Config) any { return &c.Network.NoProxy }, check: checkNoProxy},
	{name: "network.ca_files", field: func(c *Config) any { return &c.Network.CAFiles }, item: absolute},
	{name: "redaction.enabled", field: func(c *Config) any { return &c.Redaction.Enabled }, narrow: true, project: narrows},
	{name: "redaction.custom_patterns", field: func(c *Config) any { return &c.Redaction.CustomPatterns }, check: checkPattern, project: adds},
	{name: "memory.enabled", field: func(c *Config) any { return &c.Memory.Enabled }, narrow: false, project: narrows},
	// A project must not keep from the user what its tools do.
	{name: "log.level", field: func(c *Config) any { return &c.Log.Level }, choices: []string{"off", "error", "warn", "info", "debug"}, project: narrows},
	{name: "log.session", field: func(c *Config) any { return &c.Log.Session }, narrow: true, project: narrows},
	{name: "log.max_bytes", field: func(c *Config) any { return &c.Log.MaxBytes }, min: 64 << 10, max: 1 << 30},
	{name: "secrets.store", field: func(c *Config) any { return &c.Secrets.Store }, choices: []string{"auto", "file"}},
}

// keyNamed finds a key, or nil.
func keyNamed(name string) *key {
	if i := slices.IndexFunc(keys, func(k *key) bool { return k.name == name }); i >= 0 {
		return keys[i]
	}
	return nil
}

// names lists the keys of a section without its name, or the sections for "".
func names(section string) []string {
	var out []string
	add := func(name string) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, k := range keys {
		s, rest, _ := strings.Cut(k.name, ".")
		if section == "" {
			add(s)
		} else if s == section {
			add(rest)
		}
	}
	switch section {
	case "":
		out = append(out, settingsKey)
	case "approval":
		out = append(out, "per_tool", "rule")
	}
	return out
}

// expected says what a value of the key looks like.
func (k *key) expected() string {
	switch k.field(&Config{}).(type) {
	case *bool:
		return "true or false"
	case *int64:
		return fmt.Sprintf("a whole number from %d to %d", k.min, k.max)
	case *time.Duration:
		return `a duration such as "30s" or "1m30s"`
	case *[]string:
		return `a list of texts such as ["a", "b"]`
	case *[][]string:
		return `a list of lists such as [["--recurse", "--force"]]`
	default:
		if k.choices == nil {
			return k.form
		}
		return oneOf(k.choices)
	}
}

func oneOf(choices []string) string {
	quoted := make([]string, len(choices))
	for i, c := range choices {
		quoted[i] = fmt.Sprintf("%q", c)
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// wider reports whether a new scalar allows more than the old one.
func (k *key) wider(old, new any) bool {
	switch v := new.(type) {
	case bool:
		return v != old && v != k.narrow
	case time.Duration:
		return v > old.(time.Duration)
	case int64:
		return v != old
	default:
		return slices.Index(k.choices, fmt.Sprint(new)) < slices.Index(k.choices, fmt.Sprint(old))
	}
}

// get and set read and write the scalar field of the key.
func (k *key) get(c *Config) any {
	switch p := k.field(c).(type) {
	case *Action:
		return *p
	case *string:
		return *p
	case *bool:
		return *p
	case *time.Duration:
		return *p
	case *int64:
		return *p
	case *[]string:
		return *p
	default:
		return *p.(*[][]string)
	}
}

func (k *key) set(c *Config, v any) {
	switch p := k.field(c).(type) {
	case *Action:
		*p = Action(v.(string))
	case *string:
		*p = v.(string)
	case *bool:
		*p = v.(bool)
	case *time.Duration:
		*p = v.(time.Duration)
	case *int64:
		*p = v.(int64)
	}
}

func checkPattern(s string) string {
	re, err := regexp.Compile(s)
	switch {
	case err != nil:
		return fmt.Sprintf("%q is no regular expression in Go's syntax: %v", s, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	case re.MatchString(""):
		return fmt.Sprintf("%q matches the empty text, so it would match everywhere", s)
	}
	return ""
}

func checkGlob(s string) string {
	if _, err := path.Match(s, ""); err != nil {
		return fmt.Sprintf("%q is no pattern: expected a name in which * stands for any text and ? for one character", s)
	}
	return ""
}

// Key describes a key for the documentation.
type Key struct {
	Name    string
	Type    string // what a value looks like
	Default string
	Project string // what the project's file may do
}

// Keys describes all keys, in the order of the documentation.
func Keys() []Key {
	may := map[rule]string{never: "nothing", narrows: "narrow it", adds: "add to it", restricts: "leave some out"}
	c := Default()
	out := make([]Key, 0, len(keys)+3)
	for i, k := range keys {
		if i == 4 {
			out = append(out,
				Key{Name: perToolKey + ".NAME", Type: oneOf(actions), Project: "add ask and deny"},
				Key{Name: ruleKey, Type: "a table", Project: "add ask and deny"})
		}
		d := Key{Name: k.name, Type: k.expected(), Project: may[k.project]}
		if items := c.items(k); items != nil {
			d.Default = "[]"
		} else {
			d.Default = text(k.get(c))
		}
		out = append(out, d)
	}
	return append(out, Key{Name: settingsKey + ".EXTENSION.NAME", Type: "a text, a number, true or false", Project: "set it for its own extensions"})
}
