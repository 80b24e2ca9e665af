package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/registry"
)

// files is what one extension sees of the file system: a jail of the project
// and of what was granted outside, made when it is first used.
type files struct {
	root   string          // of the project; empty where there is none
	own    []string        // where the user's folder of rho-ext is, which no extension touches
	linked []string        // where links of the project with protected names lead
	code   func() []string // where extensions are, which extensions do not change unasked

	mu   sync.Mutex
	jail *sharedJail // the one for the grants of the last operation
}

// sharedJail is a jail while operations use it.
type sharedJail struct {
	*jail.Jail
	paths []string // that it was made for
	users int
	stale bool // another one has taken its place
}

var errNoProject = errors.New("there is no project to work in")

// open gives a jail in which the granted paths can be reached. It is to be
// released.
func (f *files) open(paths []string) (*sharedJail, error) {
	if f.root == "" {
		return nil, errNoProject
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.jail == nil || !slices.Equal(f.jail.paths, paths) {
		j, err := newJail(f.root, paths)
		if err != nil {
			return nil, err
		}
		f.retire()
		f.jail = &sharedJail{Jail: j, paths: slices.Clone(paths)}
	}
	f.jail.users++
	return f.jail, nil
}

func (f *files) release(j *sharedJail) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if j.users--; j.stale && j.users == 0 {
		_ = j.Close()
	}
}

// retire gives the jail up, as soon as no operation uses it.
func (f *files) retire() {
	if f.jail == nil {
		return
	}
	if f.jail.stale = true; f.jail.users == 0 {
		_ = f.jail.Close()
	}
	f.jail = nil
}

func (f *files) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.retire()
}

func newJail(root string, paths []string) (*jail.Jail, error) {
	o := jail.Options{}
	for _, p := range paths {
		if p == root {
			continue
		}
		if dir := existingDir(p); !insideOf(dir, root) {
			d, err := os.OpenRoot(dir)
			if err != nil {
				continue // what cannot be opened must not take the rest away
			}
			d.Close()
			o.Roots = append(o.Roots, dir)
		}
		o.AllowProtected = append(o.AllowProtected, p)
	}
	return jail.New(root, o)
}

// existingDir is the nearest directory that there is, of a path and those above.
func existingDir(p string) string {
	for {
		if st, err := os.Stat(p); err == nil && st.IsDir() {
			return p
		}
		parent := filepath.Dir(p)
		if parent == p {
			return p
		}
		p = parent
	}
}

// insideOf reports whether an absolute path is base or below it.
func insideOf(p, base string) bool {
	rel, err := filepath.Rel(base, p)
	return err == nil && filepath.IsLocal(rel)
}

// within lets do work in the jail, for one call. The jail asks about each real
// place at the moment at which it holds it open, and names what granted it.
// What a person grants meanwhile outside the jail, or of a protected name, is
// let in and do is run again.
func (b *broker) within(ctx context.Context, c *liveCall, path string, change bool, do func(j *jail.Jail) error) (by string, err error) {
	free, err := b.fileOps.take(ctx)
	if err != nil {
		return "", err
	}
	defer free()
	for tries := 0; ; tries++ {
		j, err := b.files.open(b.access.Load().Paths(c.answers.once()))
		if err != nil {
			return "", err
		}
		err = do(j.View(func(real string, change bool) error {
			var err error
			by, err = b.permitPath(ctx, c, permission.Need{Below: j.ProtectedPart(real)}, real, change)
			return err
		}, b.files.stays))
		b.files.release(j)
		var escape *jail.EscapeError
		var protected *jail.ProtectedError
		need := change
		var n permission.Need
		switch {
		case err == nil:
			return by, nil
		case tries == 2 && errors.As(err, &escape): // a link outside leads to what is granted
			return "", b.spoken(c, asGiven(escape.Path), change, err, err)
		case tries == 2:
			return "", err
		case errors.As(err, &escape) && (filepath.IsAbs(filepath.FromSlash(escape.Path)) || escape.Real != "") && escape.Why == "":
			path = escape.Path
			if escape.Real != "" {
				path = escape.Real
			}
		case errors.As(err, &protected):
			path, need = protected.Path, protected.Change
		default:
			return by, err
		}
		real := realPlace(b.files.root, path)
		if protected != nil {
			if n.Below = upTo(real, protected.Name); n.Below == "" || b.ownFile(real) {
				return "", err
			}
		}
		n.Given = asGiven(path)
		if _, refused := b.permitPath(ctx, c, n, real, need); refused != nil {
			return "", b.spoken(c, n.Given, need, refused, err)
		}
	}
}

// asGiven is a path as the code wrote it, made plain.
func asGiven(path string) string {
	given := filepath.ToSlash(filepath.Clean(filepath.FromSlash(path)))
	if given[0] == '~' && path[0] != '~' {
		return "./" + given // it is not the home directory
	}
	return given
}

// spoken is a refusal as the code hears of it: in the jail's words, which say
// why the place matters, and judged by what it wrote itself. Where links outside
// lead is not its business.
func (b *broker) spoken(c *liveCall, given string, change bool, refused, why error) error {
	place := filepath.FromSlash(given)
	if filepath.IsAbs(place) && !b.ownFile(place) {
		kind := permission.KindRead
		if change {
			kind = permission.KindWrite
		}
		n := permission.NeedPath(kind, place, b.files.root)
		n.Given = given
		if _, denied := b.access.Load().Check(&n, c.answers.once()); denied != nil {
			refused = denied.Wire()
		}
	}
	return inWords(refused, fmt.Sprintf("extension %q: %v", b.extension, why))
}

// inWords puts a text to a refusal.
func inWords(refused error, message string) error {
	var we *wire.Error
	if !errors.As(refused, &we) {
		return refused
	}
	out := *we
	out.Message = message
	return &out
}

// permitPath decides about one real place. with has what is special about it.
func (b *broker) permitPath(ctx context.Context, c *liveCall, with permission.Need, real string, change bool) (by string, err error) {
	kind := permission.KindRead
	if change {
		kind = permission.KindWrite
	}
	n := permission.NeedPath(kind, real, b.files.root)
	n.Below, n.Given = with.Below, with.Given
	if b.ownFile(real) {
		c.call.RecordUse(registry.Use{Kind: "file", Target: n.Grant.Target, Effect: string(kind), Denied: true})
		return "", &wire.Error{Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Code: string(kind),
			Message: fmt.Sprintf("extension %q", b.extension) + ": the user's own folder of rho-ext holds grants and secrets, and is no extension's", Hint: "keep files in the project"}
	}
	if n.Below == "" {
		n.Below = innermost(real, b.files.linked)
	}
	if n.Below == "" {
		n.Below = innermost(real, processFiles)
	}
	if n.Below == "" && change {
		n.Below = innermost(real, b.files.code()) // it runs with other extensions' grants
	}
	return b.permit(ctx, c, &n)
}

// processFiles show, and change, what programs hold in memory, the variables of
// this one among it.
var processFiles = []string{"/proc"}

// ownFile reports whether a place is in the user's own folder.
func (b *broker) ownFile(real string) bool { return innermost(real, b.files.own) != "" }

// upTo cuts a path after the first component of a name.
func upTo(path, name string) string {
	parts := strings.Split(path, string(filepath.Separator))
	if i := slices.Index(parts, name); i >= 0 {
		return strings.Join(parts[:i+1], string(filepath.Separator))
	}
	return ""
}

// realPlace is where a path leads, as far as it exists.
func realPlace(root, path string) string {
	p := filepath.FromSlash(path)
	if !filepath.IsAbs(p) {
		p = filepath.Join(root, p)
	}
	rest := ""
	for dir := filepath.Clean(p); ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return filepath.Clean(p)
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = parent
	}
}

// fileError makes the error of an operation fit for the code that asked.
func (b *broker) fileError(req wire.Request, c *liveCall, path, effect string, err error) error {
	var we *wire.Error
	if errors.As(err, &we) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if jail.IsRefusal(err) || errors.Is(err, errNoProject) {
		c.call.RecordUse(registry.Use{Kind: "file", Target: path, Effect: effect, Denied: true})
		hint := ""
		if errors.Is(err, errNoProject) {
			hint = "use --root DIR"
		}
		return &wire.Error{Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Code: effect, Hint: hint,
			Message: fmt.Sprintf("extension %q: %v", b.extension, err)}
	}
	return &wire.Error{Kind: registry.KindOther, Name: "Error", Code: fileCode(err), Message: as(req) + ": " + err.Error()}
}

// fileCode is the code that JavaScript's programmers know.
func fileCode(err error) string {
	var large *jail.TooLargeError
	var kind *jail.NotRegularError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "ENOENT"
	case errors.Is(err, fs.ErrExist):
		return "EEXIST"
	case errors.Is(err, fs.ErrPermission):
		return "EACCES"
	case errors.As(err, &large):
		return "EFBIG"
	case errors.As(err, &kind):
		if kind.Kind == "a directory" {
			return "EISDIR"
		}
		return "EINVAL"
	case strings.Contains(err.Error(), "not empty"):
		return "ENOTEMPTY"
	case strings.Contains(err.Error(), "not a directory"):
		return "ENOTDIR"
	default:
		return "EIO"
	}
}

// decode reads the data of a request.
func decode[T any](req wire.Request) (v T, err error) {
	if err := json.Unmarshal(req.Data, &v); err != nil {
		return v, badRequest(req, err)
	}
	return v, nil
}
