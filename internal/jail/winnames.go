package jail

import "strings"

// What follows is about Windows and pure, so that every system tests it.

// windowsName says what a component of a path means on Windows other than the
// file of that name, or nothing.
func windowsName(name string) string {
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == ':':
			return "an alternate data stream"
		case c < 0x20 || strings.IndexByte(`<>"|?*`, c) >= 0:
			return "not a name"
		}
	}
	if last := name[len(name)-1]; last == '.' || last == ' ' {
		return "the same as without the dot or space at its end"
	}
	base, _, _ := strings.Cut(name, ".")
	if isDevice(strings.TrimRight(base, " ")) {
		return "a reserved device name"
	}
	if isShort(name) {
		return "perhaps the short form of another name"
	}
	return ""
}

// isDevice reports whether name is one that Windows keeps for a device.
func isDevice(name string) bool {
	name = strings.ToUpper(name)
	switch name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	if number, ok := strings.CutPrefix(name, "COM"); ok || strings.HasPrefix(name, "LPT") {
		if !ok {
			number = name[3:]
		}
		switch number {
		case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
			return true
		}
	}
	return false
}

// windowsPath says what is special about a path on Windows that does not simply
// start here or at a drive, or nothing.
func windowsPath(path string) string {
	p := strings.ReplaceAll(path, "/", `\`)
	letter := len(p) > 1 && p[1] == ':' && ('a' <= p[0]|0x20 && p[0]|0x20 <= 'z')
	switch {
	case strings.HasPrefix(p, `\\?\`), strings.HasPrefix(p, `\\.\`), strings.HasPrefix(p, `\??\`):
		return "a device path"
	case strings.HasPrefix(p, `\\`):
		return "a path on another machine"
	case strings.HasPrefix(p, `\`):
		return "a path on the current drive"
	case letter && (len(p) == 2 || p[2] != '\\'):
		return "a path in the current directory of a drive"
	case letter:
		return "a path on a drive"
	}
	return ""
}
