package main

import (
	"encoding/json"
	"strings"

	"github.com/rho-ext/rho-ext/registry"
)

// loggedCall is what is shown of a call in the session log.
type loggedCall struct {
	CallID     string          `json:"callId"`
	Tool       string          `json:"tool"`
	Extension  string          `json:"extension"`
	Status     registry.Status `json:"status"`
	Text       string          `json:"text"`
	Arguments  json.RawMessage `json:"arguments"`
	DurationMS float64         `json:"durationMs"`
	Uses       []registry.Use  `json:"uses"`
	Failure    *struct {
		Message  string             `json:"message"`
		Location *registry.Location `json:"location"`
	} `json:"failure"`
}

// painter colours text where it is shown in colours.
type painter func(c color, text string) string

// callLine tells of a call in one line: how it ended, how long it took and what
// it touched.
func (p painter) callLine(c *loggedCall) string {
	result := p(red, string(c.Status))
	if c.Status == registry.StatusSuccess {
		result = p(green, "ok")
	}
	text := cleanLine(c.Tool) + " " + cleanLine(shorten(string(c.Arguments), 80)) + "  " + result + " " + short(toDuration(c.DurationMS)) + "  " + size(len(c.Text))
	for _, u := range c.Uses {
		text += "  " + p.useText(u)
	}
	return text
}

// useText is what a call has touched.
func (p painter) useText(u registry.Use) string {
	text := cleanLine(u.Kind + " " + u.Target)
	if u.Kind == "file" && u.Effect != "" {
		text = cleanLine(u.Effect + " " + u.Target)
	}
	if u.Denied {
		return p(red, text+" denied")
	}
	return p(dim, text)
}

// failureLines say why a call failed and where, with the lines around it.
func (p painter) failureLines(c *loggedCall) []string {
	if c.Failure == nil {
		return nil
	}
	loc := c.Failure.Location
	if loc == nil {
		return []string{indented(c.Failure.Message)}
	}
	lines := []string{indented(loc.String() + ": " + c.Failure.Message)}
	if loc.Frame != "" {
		for line := range strings.SplitSeq(loc.Frame, "\n") {
			lines = append(lines, "  "+p(dim, clean(line)))
		}
	}
	return lines
}
