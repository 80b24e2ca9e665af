package permission

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Kind is the kind of resource that a grant is about.
type Kind string

// The kinds, in the order in which people see them. Each is a key of a
// manifest's permissions and, with "--allow-" before it, a flag.
const (
	KindNet   Kind = "net"   // a host
	KindRead  Kind = "read"  // a file or directory, with all below
	KindWrite Kind = "write" // the same, to be changed
	KindRun   Kind = "run"   // a program, and with which arguments it begins
	KindEnv   Kind = "env"   // an environment variable
	KindTool  Kind = "tool"  // another tool
	KindHook  Kind = "hook"  // an event to be heard
)

// Kinds are all of them.
var Kinds = []Kind{KindNet, KindRead, KindWrite, KindRun, KindEnv, KindTool, KindHook}

// HookEvents are the targets of [KindHook].
var HookEvents = []string{"tool_call", "tool_result", "before_model"}

// Grant allows one resource, or a family of them. Grants are comparable;
// [ParseGrant] makes one, and the zero value allows nothing.
type Grant struct {
	Kind Kind `json:"kind"`
	// Target is the canonical text. Of a path it is relative to the project's
	// root, with slashes, or absolute.
	Target string `json:"target"`
}

// maxTarget is more than any target needs.
const maxTarget = 4 << 10

// ParseGrant reads a target as a person types it after a flag or an author
// writes it in a manifest. root is the project's, absolute and without symbolic
// links, or empty: relative paths begin there.
//
//	net    as [ParseNetRule] reads it
//	read   a path: relative to the project, absolute, or from ~/
//	write  the same
//	run    a program, by name or path, and words that its arguments must begin
//	       with, such as "git" or "npm test"; * is any program
//	env    the name of a variable
//	tool   the name of a tool, or a pattern of [path.Match]
//	hook   tool_call, tool_result or before_model
func ParseGrant(kind Kind, text, root string) (Grant, error) {
	target, err := canonicalTarget(kind, strings.TrimSpace(text), root)
	if err != nil {
		return Grant{}, err
	}
	return Grant{kind, target}, nil
}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func canonicalTarget(kind Kind, text, root string) (string, error) {
	switch {
	case text == "":
		return "", errors.New("it is empty")
	case len(text) > maxTarget:
		return "", fmt.Errorf("it has %d bytes, at most %d are possible", len(text), maxTarget)
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", fmt.Errorf("%q holds a control character", text)
	}
	switch kind {
	case KindNet:
		rule, err := ParseNetRule(text)
		return rule.String(), err
	case KindRead, KindWrite:
		return canonicalPath(text, root)
	case KindRun:
		words := strings.Fields(text)
		if strings.ContainsAny(words[0], `/\`) && !filepath.IsAbs(words[0]) {
			words[0] = "./" + path.Clean(filepath.ToSlash(words[0]))
		}
		if words[0] == "*" && len(words) > 1 {
			return "", fmt.Errorf("%q: * is any program with any arguments; name the program to say which", text)
		}
		return strings.Join(words, " "), nil
	case KindEnv:
		if !envName.MatchString(text) {
			return "", fmt.Errorf("%q is not the name of a variable: expected one such as GITHUB_TOKEN", text)
		}
		return text, nil
	case KindTool:
		if _, err := path.Match(text, ""); err != nil {
			return "", fmt.Errorf("%q is not the name of a tool or a pattern for it: expected one such as read_file", text)
		}
		return text, nil
	case KindHook:
		if !slices.Contains(HookEvents, text) {
			return "", fmt.Errorf("%q is not an event: expected %s", text, strings.Join(HookEvents, ", "))
		}
		return text, nil
	}
	return "", fmt.Errorf("unknown kind of grant %q", string(kind))
}

// canonicalPath gives a path below the root as it is spelled, so that a link
// there grants nothing but itself, and any other by its real place: what a link
// on the way leads to later is not what was granted.
func canonicalPath(text, root string) (string, error) {
	p := filepath.FromSlash(text)
	if rest, ok := strings.CutPrefix(filepath.ToSlash(p), "~/"); ok || p == "~" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("%q: the home directory is not known: %w", text, err)
		}
		p = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(p) {
		if root == "" {
			return "", fmt.Errorf("%q is relative, and there is no project that it could begin at", text)
		}
		p = filepath.Join(root, p)
	}
	p = filepath.Clean(p)
	if rel, ok := relativeTo(p, root); ok {
		return rel, nil
	}
	p = realPath(p)
	if rel, ok := relativeTo(p, root); ok {
		return rel, nil
	}
	return filepath.ToSlash(p), nil
}

// relativeTo gives p relative to root, with slashes, if it is root or below it.
func relativeTo(p, root string) (string, bool) {
	if root == "" || !within(p, root) {
		return "", false
	}
	rel, err := filepath.Rel(root, p)
	rel = filepath.ToSlash(rel)
	if rel == "~" || strings.HasPrefix(rel, "~/") {
		rel = "./" + rel // else it would be the home directory
	}
	return rel, err == nil
}

// realPath resolves the symbolic links of as much of a path as there is.
func realPath(p string) string {
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	parent := filepath.Dir(p)
	if parent == p {
		return p
	}
	return filepath.Join(realPath(parent), filepath.Base(p))
}

// within reports whether an absolute path is base or below it.
func within(p, base string) bool {
	if p == base {
		return true
	}
	rest, ok := strings.CutPrefix(p, strings.TrimSuffix(base, string(filepath.Separator)))
	return ok && rest != "" && os.IsPathSeparator(rest[0])
}

// nameable reports whether the grant, written down, is read as itself and names
// one thing alone: no pattern, and no program that a space or a star turns into
// others. Only such a one is offered to a person.
func (g Grant) nameable(root string) bool {
	switch {
	case g.Kind == KindRun && (strings.Contains(g.Target, " ") || g.Target == "*"),
		g.Kind == KindTool && strings.ContainsAny(g.Target, `*?[\`):
		return false
	}
	again, err := ParseGrant(g.Kind, g.Target, root)
	return err == nil && again == g
}

// Flag is the flag that gives the grant, ready for a shell.
func (g Grant) Flag() string {
	return fmt.Sprintf("--allow-%s=%s", g.Kind, ShellQuote(g.Target))
}

// String is the grant for people, such as "net api.github.com".
func (g Grant) String() string { return string(g.Kind) + " " + g.Target }

var shellSafe = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,\[\]-]+$`)

// ShellQuote quotes what a shell would take apart. Brackets are pattern
// characters only to some shells, and only with a file that fits.
func ShellQuote(s string) string {
	if shellSafe.MatchString(s) && !strings.Contains(s, "[") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
