package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rho-ext/rho-ext/host/check"
)

const (
	checkWidth = 80 // columns that a report has
	checkAlike = 5  // findings of one rule in one extension that are shown
	checkDrawn = 2  // of those, how many with their source
)

var checkColors = map[check.Severity]color{check.Error: red, check.Warning: yellow, check.Info: dim}

// tint colours text for stdout, on a terminal that wants it.
func (a *app) tint(c color, text string) string {
	if os.Getenv("NO_COLOR") != "" || !isTerminal(a.out) {
		return text
	}
	return string(c) + text + reset
}

// printReport shows a report to people.
func (a *app) printReport(r *check.Report) error {
	var b strings.Builder
	list, alike := folded(r.Findings)
	for from := 0; from < len(list); {
		to := from
		for to < len(list) && list[to].Extension == list[from].Extension {
			to++
		}
		a.writeGroup(&b, r, list[from:to])
		from = to
	}
	for _, f := range alike {
		text := fmt.Sprintf("%s: %s  [%s]", f.Message, f.Extension, f.Rule)
		writeWrapped(&b, "info:  ", cleanLine(text), func(s string) string { return a.tint(dim, s) })
	}
	for _, note := range r.Types.Notes {
		writeWrapped(&b, "types: ", cleanLine(note), func(s string) string { return s })
	}
	b.WriteString(a.summary(r) + "\n")
	_, err := io.WriteString(a.out, b.String())
	return err
}

// folded takes out what is worth knowing of several extensions as a whole and is
// the same for all of them: it is told once, with their names.
func folded(all []check.Finding) (list, alike []check.Finding) {
	names := map[string][]string{}
	key := func(f check.Finding) string {
		if f.Severity != check.Info || f.Line > 0 {
			return ""
		}
		return f.Rule + "\x00" + f.Message
	}
	for _, f := range all {
		if k := key(f); k != "" {
			names[k] = append(names[k], f.Extension)
		}
	}
	for _, f := range all {
		k := key(f)
		switch n := names[k]; {
		case k == "" || len(n) == 1:
			list = append(list, f)
		case n[0] == f.Extension:
			f.Extension = shortList(n, 8)
			alike = append(alike, f)
		}
	}
	return list, alike
}

// writeGroup shows the findings of one extension.
func (a *app) writeGroup(b *strings.Builder, r *check.Report, list []check.Finding) {
	file := list[0].File
	for _, e := range r.Extensions {
		if e.ID == list[0].Extension {
			file = e.File
			break
		}
	}
	fmt.Fprintf(b, "%s  %s\n", cleanLine(list[0].Extension), a.tint(dim, cleanLine(file)))
	list, also := merged(list)
	wide := 0
	for _, f := range list {
		wide = max(wide, len(placeIn(f, file)))
	}
	wide = min(wide, 24)
	count, more := map[string]int{}, map[string]int{}
	hinted := map[string]bool{}
	for i, f := range list {
		if count[f.Rule]++; count[f.Rule] > checkAlike {
			more[f.Rule] += 1 + len(also[i])
			continue
		}
		severity := fmt.Sprintf("%-7s", f.Severity)
		head := fmt.Sprintf("  %-*s  %s  ", wide, placeIn(f, file), severity)
		margin := strings.Repeat(" ", wide+13)
		text := wrapped(clean(f.Message)+"  ["+f.Rule+"]", checkWidth-len(margin))
		text[len(text)-1] = strings.TrimSuffix(text[len(text)-1], "["+f.Rule+"]") + a.tint(dim, "["+f.Rule+"]")
		b.WriteString(strings.Replace(head, severity, a.tint(checkColors[f.Severity], severity), 1) + text[0] + "\n")
		for _, line := range text[1:] {
			b.WriteString(margin + line + "\n")
		}
		below := func(text string) {
			for i, line := range wrapped(text, checkWidth-len(margin)-2) {
				if i > 0 {
					line = "  " + line
				}
				b.WriteString(margin + a.tint(dim, line) + "\n")
			}
		}
		if len(also[i]) > 0 {
			var places []string
			for _, f := range also[i] {
				places = append(places, placeIn(f, file))
			}
			below("also at " + shortList(places, 6))
		}
		if f.Hint != "" && !hinted[f.Hint] {
			hinted[f.Hint] = true
			below("hint: " + clean(f.Hint))
		}
		if f.Severity == check.Error && f.Frame != "" && count[f.Rule] <= checkDrawn {
			for _, line := range fitted(clean(f.Frame), checkWidth-4) {
				b.WriteString("    " + a.tint(dim, line) + "\n")
			}
		}
	}
	for _, f := range list {
		if n := more[f.Rule]; n > 0 {
			fmt.Fprintf(b, "  … and %d more of %s; --json has all of them\n", n, f.Rule)
			delete(more, f.Rule)
		}
	}
	b.WriteString("\n")
}

// merged takes out findings that say the same of another place, and gives them
// by the number of the first one.
func merged(all []check.Finding) (list []check.Finding, also map[int][]check.Finding) {
	type key struct {
		rule, message string
		severity      check.Severity
	}
	first := map[key]int{}
	also = map[int][]check.Finding{}
	for _, f := range all {
		k := key{f.Rule, f.Message, f.Severity}
		if i, ok := first[k]; ok && f.Line > 0 {
			also[i] = append(also[i], f)
			continue
		}
		first[k] = len(list)
		list = append(list, f)
	}
	return list, also
}

// placeIn is the place of a finding, with its file where that is not the one
// that the group is about.
func placeIn(f check.Finding, file string) string {
	place := ""
	if f.Line > 0 {
		place = fmt.Sprintf("%d:%d", f.Line, f.Column)
	}
	if f.File == file || f.File == "" {
		return place
	}
	name := cleanLine(f.File[strings.LastIndex(f.File, "/")+1:])
	if place == "" {
		return name
	}
	return name + ":" + place
}

// summary counts what was found.
func (a *app) summary(r *check.Report) string {
	var parts []string
	for _, c := range []struct {
		n         int
		one, many string
		severity  check.Severity
	}{{r.Counts.Errors, "error", "errors", check.Error}, {r.Counts.Warnings, "warning", "warnings", check.Warning}, {r.Counts.Infos, "info", "infos", check.Info}} {
		if c.n > 0 {
			parts = append(parts, a.tint(checkColors[c.severity], counted(c.n, c.one, c.many)))
		}
	}
	what := strings.Join(parts, ", ")
	if what == "" {
		what = a.tint(green, "nothing is wrong")
	}
	if r.Counts.Ignored > 0 {
		what += fmt.Sprintf(" (%d ignored)", r.Counts.Ignored)
	}
	return fmt.Sprintf("%s in %s (%.0f ms)", what, counted(len(r.Extensions), "extension", "extensions"), r.DurationMS)
}

// wrapped breaks a text into lines of at most so many columns, at spaces; a word
// that is longer stands alone.
func wrapped(text string, columns int) (lines []string) {
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for _, word := range strings.SplitAfter(paragraph, " ") {
			if line != "" && len([]rune(line))+len([]rune(strings.TrimRight(word, " "))) > columns {
				lines = append(lines, strings.TrimRight(line, " "))
				line = ""
			}
			line += word
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

func writeWrapped(b *strings.Builder, head, text string, paint func(string) string) {
	for i, line := range wrapped(text, checkWidth-len(head)) {
		if i > 0 {
			head = strings.Repeat(" ", len(head))
		}
		b.WriteString(paint(head+line) + "\n")
	}
}

// cut shortens a line to so many columns.
func cut(line string, columns int) string {
	if r := []rune(line); len(r) > columns {
		return string(r[:columns-1]) + "…"
	}
	return line
}
