//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package jail

import (
	"errors"
	"os"
)

func lock(*os.File) error { return errors.ErrUnsupported }

func busy(error) bool { return false }
