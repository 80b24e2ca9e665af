package jail

import (
	"path"
	"strings"
	"unicode"
)

// protectedDirs hold what is not the project's text: its history, with
// credentials in the configuration, and our own rules.
var protectedDirs = []string{".git", ".rho"}

// protectedKeys are the names of files that hold private keys, and
// protectedEndings how such names end. They are plain text, not patterns: lists
// of whole trees ask for every name.
var (
	protectedKeys    = []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk"}
	protectedEndings = []string{".pem", ".key", ".p12", ".pfx"}
)

// Protected reports whether a relative path has a protected name in it.
func Protected(rel string) bool {
	parts := components(rel)
	for i, name := range parts {
		if new(Jail).protected(name, i == len(parts)-1) {
			return true
		}
	}
	return false
}

// protected reports whether a component of a path has a name that nobody uses
// unasked; last says that it is the file's own name.
func (j *Jail) protected(name string, last bool) bool {
	name = plainName(name)
	if strings.HasPrefix(name, ".env") || strings.HasPrefix(name, tempPrefix) {
		return true
	}
	for _, dir := range protectedDirs {
		if name == dir {
			return true
		}
	}
	for _, pattern := range j.extra {
		if ok, _ := path.Match(pattern, name); ok { // New has checked the patterns
			return true
		}
	}
	if last {
		for _, key := range protectedKeys {
			if name == key {
				return true
			}
		}
		for _, ending := range protectedEndings {
			if strings.HasSuffix(name, ending) {
				return true
			}
		}
	}
	return isShortProtected(name)
}

// plainName undoes the ways in which file systems let one name be written
// differently: upper case, invisible characters (HFS+), and on Windows dots and
// spaces at the end and the names of streams. It does so everywhere, for a disk
// goes from one system to the other.
func plainName(name string) string {
	plain := true
	for i := 0; i < len(name); i++ {
		if c := name[i]; c >= 0x80 || c == ':' || 'A' <= c && c <= 'Z' {
			plain = false
		}
	}
	if !plain {
		name = strings.Map(fold, name)
		name, _, _ = strings.Cut(name, ":")
	}
	return strings.TrimRight(name, ". ")
}

// fold gives letters that differ in case, and their kin such as the long s and
// the Kelvin sign, one form, and drops what is not seen.
func fold(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return unicode.ToLower(least)
}

// isShortProtected reports whether name, a plain one, can be the old 8.3 form
// of a protected one, such as git~1.
func isShortProtected(name string) bool {
	stem, _, ok := strings.Cut(name, "~")
	if !ok || !isShort(name) {
		return false
	}
	for _, p := range []string{"git", "rho", "env", "id_rsa", "id_dsa", "id_ecd", "id_ed2"} {
		if strings.HasPrefix(stem, p) {
			return true
		}
	}
	return false
}

// isShort reports whether name has the form of an 8.3 name that the system made
// up.
func isShort(name string) bool {
	stem, rest, ok := strings.Cut(name, "~")
	number, ext, _ := strings.Cut(rest, ".")
	if !ok || stem == "" || len(stem) > 6 || strings.Contains(stem, ".") || number == "" || len(ext) > 3 {
		return false
	}
	return strings.Trim(number, "0123456789") == "" && len(stem)+1+len(number) <= 8
}
