package render

import "fmt"

// Action is what became of a keyword.
type Action string

// The actions.
const (
	Dropped Action = "dropped" // the model does not see it
	Changed Action = "changed" // the model sees something else instead
	Kept    Action = "kept"    // as it was, though the provider may refuse it
)

// Note says what a rendering could not take over as it was.
type Note struct {
	Tool    string `json:"tool"`
	Path    string `json:"path"` // JSON pointer to the schema that holds the keyword; empty is its root
	Keyword string `json:"keyword"`
	Action  Action `json:"action"`
	Detail  string `json:"detail,omitempty"`
}

// String is the note as a line for people.
func (n Note) String() string {
	s := fmt.Sprintf("%s: %s at #%s %s", n.Tool, n.Keyword, n.Path, n.Action)
	if n.Detail != "" {
		s += ": " + n.Detail
	}
	return s
}

// maxNotes is how many notes one tool gets.
const maxNotes = 200

// notes collects what is said of one tool.
type notes struct {
	tool string
	list []Note
	seen map[Note]bool
}

func (n *notes) add(a Action, path, keyword, detail string) {
	note := Note{Tool: n.tool, Path: path, Keyword: keyword, Action: a, Detail: detail}
	if len(n.list) >= maxNotes || n.seen[note] {
		return
	}
	if n.seen == nil {
		n.seen = map[Note]bool{}
	}
	n.seen[note] = true
	n.list = append(n.list, note)
}
