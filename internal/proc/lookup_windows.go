package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

const howExecutable = "name a program with an extension of PATHEXT, or the interpreter with the file as its first argument"

func isPath(name string) bool { return strings.ContainsAny(name, `\/:`) }

// executable tries the path as it is, if it has an extension that can be run, and
// then every extension.
func executable(path string, env []string) (string, fs.FileInfo) {
	list := lookupVar(env, "PATHEXT")
	if list == "" {
		list = ".COM;.EXE;.BAT;.CMD"
	}
	var extensions []string
	for e := range strings.SplitSeq(strings.ToLower(list), ";") {
		if e != "" && !strings.HasPrefix(e, ".") {
			e = "." + e
		}
		if e != "" {
			extensions = append(extensions, e)
		}
	}
	asked, err := os.Stat(path)
	if err != nil {
		asked = nil
	}
	own := strings.ToLower(filepath.Ext(path))
	for _, e := range extensions {
		if e == own && asked != nil && asked.Mode().IsRegular() {
			return path, asked
		}
	}
	for _, e := range extensions {
		if info, err := os.Stat(path + e); err == nil && info.Mode().IsRegular() {
			return path + e, info
		}
	}
	return "", asked
}

// checkArgs refuses to give a batch file what cmd.exe, which reads it, would take
// for syntax: no quoting is safe there.
func (p *plan) checkArgs() error {
	switch strings.ToLower(filepath.Ext(p.path)) {
	case ".bat", ".cmd":
	default:
		return nil
	}
	for i, arg := range p.argv[1:] {
		if strings.ContainsAny(arg, "\"%!^&|<>()\r\n") {
			return p.refuse(ErrBadArgument, nil, `cannot run %s: it is a batch file, and argument %d holds one of " %% ! ^ & | < > ( ) or a line break, which cmd.exe would act on; run the program behind the batch file, or pass the value by stdin`, p.path, i+1)
		}
	}
	return nil
}

func busy(err error) bool       { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }
func notProgram(err error) bool { return errors.Is(err, windows.ERROR_BAD_EXE_FORMAT) }
func tooLong(err error) bool    { return errors.Is(err, windows.ERROR_FILENAME_EXCED_RANGE) }
