//go:build unix

package proc

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

const howExecutable = "make it so (chmod +x), or run it by naming its interpreter"

func isPath(name string) bool { return strings.Contains(name, "/") }

func executable(path string, _ []string) (string, fs.FileInfo) {
	info, err := os.Stat(path)
	if err != nil {
		return "", nil
	}
	if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return "", info
	}
	return path, info
}

func (p *plan) checkArgs() error { return nil }

func busy(err error) bool       { return errors.Is(err, syscall.ETXTBSY) }
func notProgram(err error) bool { return errors.Is(err, syscall.ENOEXEC) }
func tooLong(err error) bool    { return errors.Is(err, syscall.E2BIG) }
