package bundle

import (
	"path"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

const (
	maxSyntax  = 512 << 10       // bytes of a file whose syntax is checked
	syntaxTime = 2 * time.Second // for one check
	maxTries   = 10              // places where the parser may have to try twice, each in the other
)

// twice is where esbuild's parser tries one reading, then the other. Such places
// in each other take time that doubles with each.
var twice = regexp.MustCompile(`\?\s*(?:async\s*)?\(|\binfer\b`)

// Syntax checks whether JavaScript and TypeScript parse, for warnings alone. It
// says nothing of files that a parser could take long for. Should one take long
// all the same, the check goes on where nobody waits for it, and is the last
// that this Syntax does.
type Syntax struct{ spent atomic.Bool }

// SyntaxEndings are the endings of names that Syntax knows, with their dots.
func SyntaxEndings() []string {
	return []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"}
}

// SyntaxError is where a text breaks; Line and Column are 1-based.
type SyntaxError struct {
	Line, Column int
	Message      string
}

// Check gives the first error of a text, or nil.
func (s *Syntax) Check(name string, src []byte) *SyntaxError {
	loader := loaders[strings.ToLower(path.Ext(name))]
	if s.spent.Load() || loader == api.LoaderNone || len(src) > maxSyntax || prescan(src, name) != nil || len(twice.FindAllIndex(src, maxTries+1)) > maxTries {
		return nil
	}
	text := string(src)
	found := make(chan *SyntaxError, 1)
	go func() {
		r := api.Transform(text, api.TransformOptions{
			Loader: loader, Sourcefile: name, JSX: api.JSXPreserve, LogLevel: api.LogLevelSilent, LogLimit: 1,
			TsconfigRaw: "{}",
		})
		var e *SyntaxError
		if len(r.Errors) > 0 {
			e = &SyntaxError{Message: r.Errors[0].Text}
			if l := r.Errors[0].Location; l != nil {
				e.Line, e.Column = l.Line, l.Column+1
			}
		}
		found <- e
	}()
	late := time.NewTimer(syntaxTime)
	defer late.Stop()
	select {
	case e := <-found:
		return e
	case <-late.C:
		s.spent.Store(true)
		return nil
	}
}
