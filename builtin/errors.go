package builtin

import (
	"errors"
	"io/fs"
	"path"
	"strconv"

	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/internal/suggest"
	"github.com/rho-ext/rho-ext/registry"
)

// maxNames is how many names of a directory are compared with a misspelt one.
const maxNames = 10_000

// fileFailure explains why a file could not be read or written, as effect says,
// and records a refusal.
func fileFailure(call *registry.Call, j *jail.Jail, name, effect string, err error) *registry.Failure {
	f := &registry.Failure{Kind: registry.KindOther, Retryable: registry.RetryNo, Message: err.Error(), Cause: err}
	var irregular *jail.NotRegularError
	switch {
	case jail.IsRefusal(err):
		f.Kind = registry.KindPermissionDenied
		f.Code = "path_denied"
		call.RecordUse(registry.Use{Kind: "file", Target: name, Effect: effect, Denied: true})
	case errors.As(err, &irregular):
		f.Code = "not_a_file"
	case errors.Is(err, fs.ErrNotExist):
		f.Code = "file_not_found"
		f.Message = "file " + strconv.Quote(name) + " does not exist" + suggest.Hint(neighbours(j, name)...)
	case errors.Is(err, fs.ErrPermission):
		f.Code = "unreadable"
		done := "read"
		if effect == "write" {
			f.Code, done = "unwritable", "written"
		}
		f.Message = "file " + strconv.Quote(name) + " cannot be " + done + ": the operating system denies it"
	}
	return f
}

// neighbours lists files beside a missing one whose names look like it.
func neighbours(j *jail.Jail, name string) []string {
	dir, base := path.Split(name)
	where := dir
	if where == "" {
		where = "."
	}
	names, err := j.Names(where, maxNames)
	if err != nil {
		return nil // no such directory: nothing to offer
	}
	names = suggest.Names(base, names, 3)
	for i, n := range names {
		names[i] = strconv.Quote(dir + n)
	}
	return names
}
