package registry

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// matchesValue compares an argument with the pattern of a rule. strict is that
// of a rule that allows; [Rule] says what it means.
func matchesValue(pattern, raw, root string, strict bool) bool {
	if raw == "" {
		return false
	}
	some, all := false, true
	inside := func(v string) {
		ok := matchesValue(pattern, v, root, strict)
		some, all = some || ok, all && ok
	}
	switch raw[0] {
	case '[':
		eachItem(raw, inside)
		return some && (all || !strict)
	case '{':
		eachMember(raw, func(_, v string) { inside(v) })
		return some && (all || !strict)
	case '"':
		raw = unquote(raw)
	}
	if strict {
		return matchesText(pattern, raw) && !chains(raw, pattern) && (!climbs(raw) || matchesText(pattern, path.Clean(slashed(raw))))
	}
	return slices.ContainsFunc(spellings(raw, root), func(s string) bool { return matchesText(pattern, s) })
}

// spellings are what a text may stand for: each command of a command line; a
// path that goes about, with another kind of slashes, or absolute inside of the
// project.
func spellings(text, root string) []string {
	out := []string{text}
	for _, part := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(shellSigns+"(){}", c) }) {
		out = append(out, strings.TrimSpace(part))
	}
	text = strings.TrimSpace(text)
	out = append(out, text, path.Clean(slashed(text)))
	if root == "" || !filepath.IsAbs(text) {
		return out
	}
	if rel, err := filepath.Rel(root, text); err == nil {
		out = append(out, filepath.ToSlash(rel))
	}
	return out
}

// slashed is a path of any system with slashes.
func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// matchesText compares text with a pattern that has * for any text, or is a
// whole or the start of it.
func matchesText(pattern, text string) bool {
	if strings.Contains(pattern, "*") {
		return glob(pattern, text)
	}
	rest, ok := strings.CutPrefix(text, pattern)
	return ok && (rest == "" || strings.HasSuffix(pattern, "/") || strings.ContainsRune(" /:", rune(rest[0])))
}

// climbs reports whether a path has a part that leads upwards.
func climbs(p string) bool { return slices.Contains(strings.Split(slashed(p), "/"), "..") }

// shellSigns are what can stand between two commands, or begin one.
const shellSigns = ";&|<>`$\n\r"

// chains reports whether a text that matches a pattern holds, where the pattern
// leaves it open, what a shell would start another command by. The address of a
// page is no command.
func chains(text, pattern string) bool {
	if pattern == "*" || (strings.HasPrefix(pattern, "http://") || strings.HasPrefix(pattern, "https://")) && !strings.ContainsAny(text, " \t\r\n") {
		return false
	}
	signs := func(s string) (n int) {
		for _, c := range s {
			if strings.ContainsRune(shellSigns, c) {
				n++
			}
		}
		return n
	}
	return signs(text) > signs(pattern)
}

// glob matches text with a pattern in which * is any text, also none.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return len(text) >= len(last) && strings.HasSuffix(text, last)
}
