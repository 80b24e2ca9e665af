package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxItems bounds the items of one list, and the rules.
const maxItems = 1000

// setting is one value of a file, checked.
type setting struct {
	key       *key // nil for a rule, and a setting of an extension
	value     any  // of a scalar
	items     []item
	rule      Rule
	extension *ExtensionSetting // or nil
	offset    int               // of the key
}

// item is one item of a list.
type item struct {
	value  any // string or []string
	offset int
}

// decoder makes settings of a document, and notes everything that is wrong.
type decoder struct {
	*document
	suggest  func(string, []string) string
	settings []setting
	problems []Problem
}

func (d *decoder) failf(offset int, format string, args ...any) {
	d.problems = append(d.problems, *d.problemAt(offset, fmt.Sprintf(format, args...)))
}

func (d *decoder) decode() {
	d.table("", d.tree, d.root, func(name string, v any, n *node) bool {
		if !slices.Contains(names(""), name) {
			return false
		}
		section, ok := v.(map[string]any)
		if !ok {
			got := kind(v)
			if name == settingsKey {
				got = kindWithoutValue(v)
			}
			d.failf(n.key, "%s: expected a table, [%s], got %s", name, name, got)
			return true
		}
		if name == settingsKey {
			d.extensionSettings(section, n)
			return true
		}
		d.section(name, section, n)
		return true
	})
}

// table visits the members of a table in the order of their names. use reports
// whether it knows the name.
func (d *decoder) table(section string, t map[string]any, n *node, use func(name string, v any, n *node) bool) {
	for _, name := range sortedKeys(t) {
		m := n.at(name)
		if !use(name, t[name], m) {
			d.unknown(section, name, m)
		}
	}
}

func (d *decoder) unknown(section, name string, n *node) {
	full, candidates := join(section, name), names(section)
	if section == ruleKey {
		candidates = ruleFields
	}
	meant := ""
	if section == "" { // a key that lost its section is found, too
		for _, k := range keys {
			if _, rest, _ := strings.Cut(k.name, "."); rest == name {
				meant = k.name
				break
			}
		}
	}
	if meant == "" && d.suggest != nil {
		if meant = d.suggest(name, candidates); meant != "" {
			meant = join(section, meant)
		}
	}
	if meant != "" {
		d.failf(n.key, "unknown key %q (did you mean %q?)", full, meant)
		return
	}
	d.failf(n.key, "unknown key %q; known are %s", full, strings.Join(candidates, ", "))
}

func join(section, name string) string {
	if section == "" {
		return name
	}
	return section + "." + name
}

func (d *decoder) section(section string, t map[string]any, n *node) {
	d.table(section, t, n, func(name string, v any, n *node) bool {
		full := join(section, name)
		switch full {
		case perToolKey:
			d.perTool(v, n)
			return true
		case ruleKey:
			d.rules(v, n)
			return true
		}
		k := keyNamed(full)
		if k == nil {
			return false
		}
		if s, ok := d.value(k, v, n); ok {
			d.settings = append(d.settings, s)
		}
		return true
	})
}

// value checks the value of a key.
func (d *decoder) value(k *key, v any, n *node) (setting, bool) {
	s := setting{key: k, offset: n.key}
	before := len(d.problems)
	switch k.field(&Config{}).(type) {
	case *[]string:
		s.items = d.list(k, v, n)
	case *[][]string:
		s.items = d.lists(k, v, n)
	default:
		parsed, problem := k.scalar(v)
		if problem != "" {
			d.failf(n.valueOffset(), "%s: %s", k.name, problem)
		}
		s.value = parsed
	}
	return s, len(d.problems) == before
}

// scalar checks a value that is no list.
func (k *key) scalar(v any) (value any, problem string) {
	wrong := fmt.Sprintf("expected %s, got %s", k.expected(), kind(v))
	switch k.field(&Config{}).(type) {
	case *bool:
		if b, ok := v.(bool); ok {
			return b, ""
		}
	case *int64:
		if i, ok := v.(int64); ok && i >= k.min && i <= k.max {
			return i, ""
		}
	case *time.Duration:
		s, ok := v.(string)
		if !ok {
			return nil, wrong
		}
		if dur, err := time.ParseDuration(s); err == nil && dur > 0 {
			return dur, ""
		}
	default:
		s, ok := v.(string)
		switch {
		case ok && k.choices == nil:
			return s, k.check(s)
		case ok && slices.Contains(k.choices, s):
			return s, ""
		}
	}
	return nil, wrong
}

// parse checks a value that was typed, as of a flag.
func (k *key) parse(typed string) (value any, problem string) {
	var v any = typed
	switch k.field(&Config{}).(type) {
	case *bool:
		if b, err := strconv.ParseBool(typed); err == nil {
			v = b
		}
	case *int64:
		if i, err := strconv.ParseInt(typed, 10, 64); err == nil {
			v = i
		}
	}
	return k.scalar(v)
}

func (d *decoder) list(k *key, v any, n *node) []item {
	list, ok := v.([]any)
	if !ok {
		d.failf(n.valueOffset(), "%s: expected %s, got %s", k.name, k.expected(), kind(v))
		return nil
	}
	if d.tooMany(k.name, len(list), n) {
		return nil
	}
	var out []item
	for i, v := range list {
		at := n.item(i).valueOffset()
		s, ok := v.(string)
		switch {
		case !ok:
			d.failf(at, "%s: expected %s, got %s as item %d", k.name, k.expected(), kind(v), i+1)
			continue
		case strings.TrimSpace(s) == "":
			d.failf(at, "%s: item %d is empty", k.name, i+1)
			continue
		}
		if k.check != nil {
			if problem := k.check(s); problem != "" {
				d.failf(at, "%s: %s", k.name, problem)
				continue
			}
		}
		out = append(out, item{value: s, offset: at})
	}
	return out
}

func (d *decoder) lists(k *key, v any, n *node) []item {
	list, ok := v.([]any)
	if !ok {
		d.failf(n.valueOffset(), "%s: expected %s, got %s", k.name, k.expected(), kind(v))
		return nil
	}
	if d.tooMany(k.name, len(list), n) {
		return nil
	}
	var out []item
	for i, v := range list {
		inner, ok := v.([]any)
		if !ok || len(inner) == 0 {
			got := kind(v)
			if ok {
				got = "an empty list"
			}
			d.failf(n.item(i).valueOffset(), "%s: expected %s, got %s as item %d", k.name, k.expected(), got, i+1)
			continue
		}
		var flags []string
		for _, it := range d.list(k, v, n.item(i)) {
			flags = append(flags, it.value.(string))
		}
		if len(flags) == len(inner) {
			out = append(out, item{value: flags, offset: n.item(i).item(0).valueOffset()})
		}
	}
	return out
}

func (d *decoder) tooMany(name string, count int, n *node) bool {
	if count > maxItems {
		d.failf(n.key, "%s: %d items, which is more than %d", name, count, maxItems)
	}
	return count > maxItems
}

// perTool reads [approval.per_tool].
func (d *decoder) perTool(v any, n *node) {
	t, ok := v.(map[string]any)
	if !ok {
		d.failf(n.valueOffset(), "%s: expected a table of tools, got %s", perToolKey, kind(v))
		return
	}
	if d.tooMany(perToolKey, len(t), n) {
		return
	}
	d.table(perToolKey, t, n, func(name string, v any, n *node) bool {
		r := Rule{Tool: name, Key: join(perToolKey, name)}
		if name == "" {
			d.failf(n.key, "%s: expected the name of a tool, got an empty one", perToolKey)
		}
		if problem := checkGlob(name); problem != "" {
			d.failf(n.key, "%s: %s", perToolKey, problem)
		}
		s, _ := v.(string)
		if !slices.Contains(actions, s) {
			d.failf(n.valueOffset(), "%s: expected %s, got %s", r.Key, oneOf(actions), kind(v))
		}
		r.Action = Action(s)
		d.settings = append(d.settings, setting{rule: r, offset: n.key})
		return true
	})
}

var ruleFields = []string{"action", "tool", "effects", "owner", "arg", "match"}

// effects are those that a rule may name.
var effects = []string{"read", "write", "net", "run"}

// rules reads [[approval.rule]].
func (d *decoder) rules(v any, n *node) {
	list, ok := v.([]any)
	if !ok {
		d.failf(n.valueOffset(), "%s: expected tables, [[%s]], got %s", ruleKey, ruleKey, kind(v))
		return
	}
	if d.tooMany(ruleKey, len(list), n) {
		return
	}
	for i, v := range list {
		at := n.item(i)
		t, ok := v.(map[string]any)
		if !ok {
			d.failf(at.valueOffset(), "%s: expected tables, [[%s]], got %s as item %d", ruleKey, ruleKey, kind(v), i+1)
			continue
		}
		d.rule(t, at)
	}
}

func (d *decoder) rule(t map[string]any, n *node) {
	r := Rule{Key: ruleKey}
	into := map[string]*string{"tool": &r.Tool, "owner": &r.Owner, "arg": &r.Arg, "match": &r.Match}
	d.table(ruleKey, t, n, func(name string, v any, n *node) bool {
		full, at := join(ruleKey, name), n.valueOffset()
		s, isText := v.(string)
		switch {
		case name == "action":
			if !slices.Contains(actions, s) {
				d.failf(at, "%s: expected %s, got %s", full, oneOf(actions), kind(v))
			}
			r.Action = Action(s)
		case name == "effects":
			r.Effects = d.effects(full, v, n)
		case into[name] == nil:
			return false
		case !isText || s == "":
			d.failf(at, "%s: expected a text, got %s", full, kind(v))
		default:
			if problem := checkGlob(s); problem != "" && (name == "tool" || name == "owner") {
				d.failf(at, "%s: %s", full, problem)
			}
			*into[name] = s
		}
		return true
	})
	_, hasAction := t["action"]
	_, hasArg := t["arg"]
	_, hasMatch := t["match"]
	switch {
	case !hasAction:
		d.failf(n.key, "%s: action is missing: expected %s", ruleKey, oneOf(actions))
	case hasArg && !hasMatch:
		d.failf(n.at("arg").key, "%s: arg needs match, the pattern of the argument", ruleKey)
	case hasMatch && !hasArg:
		d.failf(n.at("match").key, "%s: match needs arg, the name of an argument", ruleKey)
	}
	d.settings = append(d.settings, setting{rule: r, offset: n.key})
}

func (d *decoder) effects(full string, v any, n *node) []string {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		d.failf(n.valueOffset(), "%s: expected a list with %s, got %s", full, oneOf(effects), kind(v))
		return nil
	}
	var out []string
	for i, v := range list {
		s, _ := v.(string)
		if !slices.Contains(effects, s) {
			d.failf(n.item(i).valueOffset(), "%s: expected %s, got %s", full, oneOf(effects), kind(v))
			return nil
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return slices.Index(effects, a) - slices.Index(effects, b) })
	return out
}

// kind names a value of TOML for people.
func kind(v any) string {
	switch v := v.(type) {
	case string:
		const most = 60
		if r := []rune(v); len(r) > most {
			v = string(r[:most]) + "…"
		}
		return strconv.Quote(v)
	case bool, int64, float64:
		return fmt.Sprint(v)
	case []any:
		if len(v) == 0 {
			return "an empty list"
		}
		return "a list"
	case map[string]any:
		return "a table"
	default:
		return "a date or time"
	}
}
