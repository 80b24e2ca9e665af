package config

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"
)

// Value is one effective value and where it comes from. A list gives one per
// item, or one that is [].
type Value struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin Origin `json:"origin"`
}

// Explain lists all effective values by key.
func (c *Config) Explain() []Value {
	var out []Value
	for _, k := range keys {
		items := c.items(k)
		if items == nil {
			v := Value{Key: k.name, Value: text(k.get(c)), Origin: c.Origin(k.name)}
			if k.secret {
				v.Value = hideUser(v.Value)
			}
			out = append(out, v)
			continue
		}
		if len(items) == 0 {
			out = append(out, Value{Key: k.name, Value: "[]", Origin: c.Origin(k.name)})
		}
		for i, s := range items {
			out = append(out, Value{Key: k.name, Value: s, Origin: c.origins[k.name][i]})
		}
	}
	for _, r := range c.Approval.Rules {
		v := Value{Key: r.Key, Value: string(r.Action), Origin: r.Origin}
		if r.Key == ruleKey {
			v.Value = r.String()
		}
		out = append(out, v)
	}
	out = append(out, c.explainSettings()...)
	sort.SliceStable(out, func(i, j int) bool { return out[i].Key < out[j].Key })
	return out
}

// String is the rule in one line, such as deny tool=bash arg=command match=rm.
func (r Rule) String() string {
	s := string(r.Action)
	for _, f := range [][2]string{{"tool", r.Tool}, {"effects", strings.Join(r.Effects, ",")}, {"owner", r.Owner}, {"arg", r.Arg}, {"match", r.Match}} {
		if f[1] != "" {
			s += fmt.Sprintf(" %s=%s", f[0], f[1])
		}
	}
	return s
}

// items are the items of a list as text; nil where the key is none.
func (c *Config) items(k *key) []string {
	out := []string{}
	switch p := k.field(c).(type) {
	case *[]string:
		return append(out, *p...)
	case *[][]string:
		for _, l := range *p {
			out = append(out, strings.Join(l, " "))
		}
		return out
	}
	return nil
}

// text is a scalar as it stands in a file, without quotes.
func text(v any) string {
	if d, ok := v.(time.Duration); ok {
		s := d.String()
		if strings.HasSuffix(s, "m0s") {
			s = strings.TrimSuffix(s, "0s")
		}
		if strings.HasSuffix(s, "h0m") {
			s = strings.TrimSuffix(s, "0m")
		}
		return s
	}
	return fmt.Sprint(v)
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
