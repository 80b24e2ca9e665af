package jail

import (
	"path"
	"strings"
	"unicode"
)

// protectedDirs hold what is not the project's text: its history, with
// credentials in the configuration, and our own rules.
var protectedDirs = []string{".git", ".rho"}

// protectedKeys are the names of files that hold private keys.
var protectedKeys = []string{
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
	"*.pem", "*.key", "*.p12", "*.pfx",
}

// protected reports whether a component of a path has a name that nobody reads
// unasked; last says that it is the file's own name.
func (j *Jail) protected(name string, last bool) bool {
	name = plainName(name)
	if strings.HasPrefix(name, ".env") {
		return true
	}
	for _, dir := range protectedDirs {
		if name == dir {
			return true
		}
	}
	for _, pattern := range j.extra {
		if ok, _ := path.Match(pattern, name); ok { // Open has checked the patterns
			return true
		}
	}
	if last {
		for _, pattern := range protectedKeys {
			if ok, _ := path.Match(pattern, name); ok {
				return true
			}
		}
	}
	return isShortName(name)
}

// plainName undoes the ways in which file systems let one name be written
// differently: upper case, invisible characters (HFS+), and on Windows dots and
// spaces at the end and the names of streams.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	return platformName(name)
}
