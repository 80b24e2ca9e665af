package jail

import "strings"

// nonBlock: opening a pipe does not wait here.
const nonBlock = 0

// platformName drops what Windows ignores at the end of a name, and the name
// of a stream.
func platformName(name string) string {
	name, _, _ = strings.Cut(name, ":")
	return strings.TrimRight(name, ". ")
}

// isShortName reports whether name can be the old 8.3 form of a protected one,
// such as GIT~1.
func isShortName(name string) bool {
	stem, _, ok := strings.Cut(name, "~")
	if !ok {
		return false
	}
	for _, p := range []string{"git", "rho", "env", "id_rsa", "id_dsa", "id_ecd", "id_ed2"} {
		if strings.HasPrefix(stem, p) {
			return true
		}
	}
	return false
}
