package permission

import (
	"path/filepath"
	"slices"
)

// Trust remembers which projects' own extensions may be evaluated: in a file of
// the user's own, so that no project can say so itself. It is safe for
// concurrent use.
type Trust struct{ journal journal[trustLine] }

// TrustFile is the name of the file in the user's folder.
const TrustFile = "trust.jsonl"

type trustLine struct {
	Root    string `json:"root"`
	Trusted bool   `json:"trusted"`
	Time    string `json:"time"`
}

// NewTrust makes one that remembers in the user's folder, which need not exist
// yet. With an empty one it trusts nothing.
func NewTrust(home string) *Trust {
	t := &Trust{}
	if home != "" {
		t.journal.path = filepath.Join(home, TrustFile)
	}
	return t
}

// Trusted reports whether the user trusts the project at root, an absolute path
// without symbolic links, and whether they were asked. What cannot be read is
// no trust.
func (t *Trust) Trusted(root string) (trusted, asked bool, err error) {
	lines, err := t.journal.read()
	for _, l := range lines {
		if l.Root == root && root != "" {
			trusted, asked = l.Trusted, true
		}
	}
	return trusted, asked, err
}

// Set remembers the user's answer.
func (t *Trust) Set(root string, trusted bool) error {
	return t.journal.append(trustLine{root, trusted, now()})
}

// Roots lists the projects that are trusted, sorted.
func (t *Trust) Roots() ([]string, error) {
	lines, err := t.journal.read()
	var out []string
	for _, l := range lines {
		out = slices.DeleteFunc(out, func(r string) bool { return r == l.Root })
		if l.Trusted {
			out = append(out, l.Root)
		}
	}
	slices.Sort(out)
	return out, err
}
