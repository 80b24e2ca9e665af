package jail

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOtherSpellingsOfProtectedNames(t *testing.T) {
	j := &Jail{}
	for _, name := range []string{
		".git.", ".git ", ".git. .", "GIT~1", "git~12", ".env::$DATA", ".env:x", ".git::$INDEX_ALLOCATION", "ENV~1", "ENVPRO~1.LOC",
		"RHO~1", "ID_ED2~1", "id_rsa.", "id_r\u017fa", "\u200d.git", ".G\u0131t\u200c"[:2] + "it", "a.\u212aey", ".rho-tmp-abc-0", ".RHO-TMP-x",
	} {
		assert.True(t, j.protected(name, true), name)
	}
	for _, name := range []string{"notes~1.txt", "environment.ts~", "git~", "env~x", "gitea~1.txt.bak", "git", "rho", "environment", ".rhobar"} {
		assert.False(t, j.protected(name, true), name)
	}
}

func TestWindowsName(t *testing.T) {
	for name, why := range map[string]string{
		"a.txt": "", "con-": "", "COM10": "", "LPT": "", "nul1": "", "a b": "", "longname~1.txt": "", "ab~": "", "ab~x": "",
		"CON": "device", "con": "device", "NUL.txt": "device", "nul .txt": "device", "com1": "device", "COM¹": "device", "LPT9.log": "device",
		"PRN": "device", "AUX.c": "device", "CONIN$": "device", "conout$": "device", "LPT0": "device",
		"a:b": "stream", "a.txt::$DATA": "stream", "C:": "stream",
		"a.": "dot or space", "a ": "dot or space", "a. .": "dot or space", "...": "dot or space",
		"PROGRA~1": "short", "a~1": "short", "GIT~1": "short", "MYSERV~1.PEM": "short",
		"a?": "not a name", "a*b": "not a name", "a<b": "not a name", "a|b": "not a name", "a\"b": "not a name", "a\x01": "not a name",
	} {
		got := windowsName(name)
		if why == "" {
			assert.Empty(t, got, name)
		} else {
			assert.Contains(t, got, why, name)
		}
	}
}

func TestWindowsPath(t *testing.T) {
	for path, want := range map[string]string{
		`\\?\C:\x`: "a device path", `//?/C:/x`: "a device path", `\\.\PhysicalDrive0`: "a device path", `\??\C:\x`: "a device path",
		`\\srv\share\x`: "a path on another machine", `//srv/share`: "a path on another machine",
		`\x`: "a path on the current drive", `/x`: "a path on the current drive",
		`C:x`: "a path in the current directory of a drive", `c:`: "a path in the current directory of a drive",
		`C:\x`: "a path on a drive", `z:/x`: "a path on a drive", `a\b`: "", `a:b`[1:]: "", `1:x`: "",
	} {
		assert.Equal(t, want, windowsPath(path), path)
	}
}
