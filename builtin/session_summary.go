package builtin

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rho-ext/rho-ext/internal/sessionlog"
	"github.com/rho-ext/rho-ext/registry"
)

//go:embed session_summary.md
var sessionSummaryDescription string

const (
	sessionExcerpt = 150 // bytes of a text
	sessionLine    = 200
	sessionMaxLine = 16 << 20 // of a file; a longer line is not read
)

type sessionSummaryArgs struct {
	Limit int `json:"limit,omitempty" description:"How many entries to list, the latest" default:"50" min:"1" max:"500"`
}

// newSessionSummary makes the tool session_summary.
func newSessionSummary(o CommandOptions) registry.Tool {
	path := o.SessionLog
	if path == "" && o.StateDir != "" {
		path = filepath.Join(o.StateDir, "log")
	}
	return registry.MustTool(registry.TypedOptions{
		Name: "session_summary", Description: strings.TrimSpace(sessionSummaryDescription), Risk: registry.Read,
		Info: registry.Info{Title: "Session summary", Kind: registry.KindRead, Examples: []registry.Example{{Args: json.RawMessage(`{}`)}}},
	}, func(ctx context.Context, a sessionSummaryArgs) (string, error) {
		if path == "" {
			return "", &registry.Failure{Kind: registry.KindOther, Code: "no_session_log", Retryable: registry.RetryNo, Message: "there is no session log: this program keeps none"}
		}
		return summarise(ctx, path, a.Limit)
	})
}

// summary is the last lines about a session.
type summary struct {
	limit, total int
	lines        []string // the last, in a ring
}

func (s *summary) add(line string) {
	line = strings.Join(strings.Fields(strings.ToValidUTF8(line, "\uFFFD")), " ")
	line = cutText(line, sessionLine)
	if s.limit == len(s.lines) {
		s.lines[s.total%s.limit] = line
	} else {
		s.lines = append(s.lines, line)
	}
	s.total++
}

func (s *summary) String() string {
	if s.total == 0 {
		return "Session is empty (no entries)."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Session history (%d entries, showing last %d):\n", s.total, len(s.lines))
	first := s.total - len(s.lines)
	for i := range s.lines {
		fmt.Fprintf(&b, "%4d. %s\n", first+i+1, s.lines[(first+i)%len(s.lines)])
	}
	return strings.TrimRight(b.String(), "\n")
}

func summarise(ctx context.Context, path string, limit int) (string, error) {
	s := &summary{limit: limit}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.String(), nil
	case err != nil:
		return "", registry.Failuref(registry.KindOther, "the session log cannot be read: %w", err)
	case info.IsDir():
		_, err = sessionlog.Read(path, func(e sessionlog.Entry) error {
			s.add(logLine(e))
			return ctx.Err()
		})
	default:
		err = s.file(ctx, path)
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", registry.Failuref(registry.KindOther, "the session log cannot be read: %w", err)
	}
	return s.String(), nil
}

// logLine is an entry of the door's log.
func logLine(e sessionlog.Entry) string {
	if e.Omitted > 0 {
		return fmt.Sprintf("[%s] entry of %d bytes, left out", e.Kind, e.Omitted)
	}
	switch e.Kind {
	case registry.LogKindRequest:
		var r struct{ Text string }
		if json.Unmarshal(e.Data, &r) == nil {
			return "[user] " + excerpt(r.Text)
		}
	case registry.LogKindOutcome:
		var o struct {
			CallID, Tool, Status, Text string
			Arguments                  json.RawMessage
		}
		if json.Unmarshal(e.Data, &o) == nil && o.Tool != "" {
			end := "ok"
			if o.Status != string(registry.StatusSuccess) {
				end = strings.ToUpper(o.Status)
			}
			return fmt.Sprintf("[tool:%s] %s %s %s → %s", o.CallID, end, o.Tool, cutText(string(o.Arguments), 60), excerpt(o.Text))
		}
	default:
		return "[" + e.Kind + "] entry"
	}
	return "(parse error)"
}

func excerpt(s string) string {
	return cutText(strings.Join(strings.Fields(cutText(s, 4*sessionExcerpt)), " "), sessionExcerpt)
}

// file reads a log with a message per line, each at the top or nested in
// payload.Message.
func (s *summary) file(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 64<<10), sessionMaxLine)
	for lines.Scan() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(strings.TrimSpace(lines.Text())) > 0 {
			s.add(messageLine(lines.Bytes()))
		}
	}
	return lines.Err()
}

// sessionMessage is a message as agents log it.
type sessionMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []sessionCall   `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
	IsError    bool            `json:"is_error"`
}

type sessionCall struct {
	Name     string                `json:"name"`
	Function struct{ Name string } `json:"function"`
}

func messageLine(line []byte) string {
	var entry struct {
		sessionMessage
		Payload map[string]json.RawMessage `json:"payload"`
	}
	if json.Unmarshal(line, &entry) != nil {
		return "(parse error)"
	}
	m := entry.sessionMessage
	if raw, ok := entry.Payload["Message"]; ok && json.Unmarshal(raw, &m) != nil {
		return "(parse error)"
	}
	if m.Role == "" {
		for kind := range entry.Payload {
			return "[" + kind + "] entry"
		}
	}
	switch m.Role {
	case "user":
		return "[user] " + excerpt(contentText(m.Content))
	case "assistant":
		if len(m.ToolCalls) > 0 {
			var names []string
			for _, c := range m.ToolCalls {
				if c.Name == "" {
					c.Name = c.Function.Name
				}
				names = append(names, c.Name)
			}
			return "[assistant] tool_calls: " + strings.Join(names, ", ")
		}
		return "[assistant] " + excerpt(contentText(m.Content))
	case "tool":
		end := "ok"
		if m.IsError {
			end = "ERROR"
		}
		return "[tool:" + m.ToolCallID + "] " + end + " " + excerpt(contentText(m.Content))
	case "system":
		return "[sys] system prompt"
	}
	return "[" + m.Role + "] entry"
}

// contentText is the text of a message: a string, or a list of parts.
func contentText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) == nil {
		var texts []string
		for _, p := range parts {
			texts = append(texts, p.Text)
		}
		return strings.Join(texts, " ")
	}
	return ""
}
