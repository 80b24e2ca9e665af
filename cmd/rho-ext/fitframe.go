package main

import "strings"

// fitted cuts the lines of a code frame to a width, so that the column that it
// marks is seen.
func fitted(frame string, width int) []string {
	if frame == "" {
		return nil
	}
	lines := strings.Split(frame, "\n")
	margin := len([]rune(lines[0][:strings.Index(lines[0]+" | ", " | ")])) + 3
	from := 0
	for _, line := range lines {
		r := []rune(line)
		if len(r) > margin && strings.TrimSpace(string(r[margin:])) == "^" && len(r) > width {
			from = max(0, len(r)-margin-(width-margin)/2)
		}
	}
	for i, line := range lines {
		r := []rune(line)
		if len(r) <= margin {
			continue
		}
		code := r[min(len(r), margin+from):]
		cut := len(code) > width-margin
		code = code[:min(len(code), width-margin)]
		if from > 0 && len(code) > 0 && code[0] != ' ' {
			code[0] = '…'
		}
		if cut {
			code[len(code)-1] = '…'
		}
		lines[i] = strings.TrimRight(string(r[:margin])+string(code), " ")
	}
	return lines
}
