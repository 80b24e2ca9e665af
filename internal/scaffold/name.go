package scaffold

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxName leaves room for what a template adds to it in the name of a tool.
const maxName = 40

// NameError says why a name will not do for a new extension, and which one would.
type NameError struct {
	Name    string
	Why     string
	Suggest string
}

// Error implements error.
func (e *NameError) Error() string {
	return fmt.Sprintf("%q cannot be the name of an extension: it %s; try %s", e.Name, e.Why, e.Suggest)
}

var (
	goodName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	ending   = regexp.MustCompile(`\.([mc]?[jt]sx?|json)$`)
	oddRun   = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
	device   = regexp.MustCompile(`(?i)^(con|prn|aux|nul|(com|lpt)[0-9])$`)
)

// CheckName refuses what cannot be the name of a new extension, which becomes that
// of a folder and a part of the names of its tools: stricter than what may be
// loaded. The error is a [*NameError].
func CheckName(name string) error {
	why := whyNot(name)
	if why == "" {
		return nil
	}
	return &NameError{Name: name, Why: why, Suggest: suggestion(name)}
}

func whyNot(name string) string {
	switch {
	case name == "":
		return "is empty"
	case ending.MatchString(name):
		return "ends like a file, and it is a folder"
	case strings.ContainsAny(name, `/\`):
		return "is a path; the folder is made for you"
	case strings.HasPrefix(name, "-") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "."):
		return fmt.Sprintf("begins with %q", name[:1])
	case name[0] >= '0' && name[0] <= '9':
		return "begins with a digit"
	case !goodName.MatchString(name):
		return "holds more than the letters A to Z, digits, - and _"
	case len(name) > maxName:
		return fmt.Sprintf("has %d characters, and %d are the most", len(name), maxName)
	case device.MatchString(name):
		return "is the name of a device on Windows"
	case name == "node_modules":
		return "is where packages are looked for"
	}
	return ""
}

// suggestion makes a name that will do of one that will not.
func suggestion(name string) string {
	name = ending.ReplaceAllString(name, "")
	name = strings.Map(func(r rune) rune { // é is e and an accent
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(name))
	name = strings.Trim(oddRun.ReplaceAllString(name, "-"), "-_")
	if len(name) > maxName {
		name = strings.TrimRight(name[:maxName], "-_")
	}
	if whyNot(name) == "" {
		return name
	}
	if name = "my-" + name; len(name) <= maxName && whyNot(name) == "" && name != "my-" {
		return name
	}
	return "my-tool"
}

// Snake is the name in the style of tools: word_count for WordCount and word-count.
func Snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case r == '-' || r == '_':
			r = '_'
		case unicode.IsUpper(r):
			lower := i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]))
			word := i > 0 && unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if lower || word {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	parts := slices.DeleteFunc(strings.Split(b.String(), "_"), func(s string) bool { return s == "" })
	return strings.Join(parts, "_")
}
