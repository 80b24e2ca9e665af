package builtin

import (
	"context"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rho-ext/rho-ext/internal/jail"
)

const (
	maxTreeDepth = 200 // directories below the one that is walked
	readAhead    = 200 // directories that are read before their turn
)

// entry is what a walk comes by. Its directory stays open until release is
// called, where the walk was told to keep it.
type entry struct {
	path string // relative to the project root, with slashes
	name string
	dir  bool
	kind fs.FileMode // type bits
	in   *branch
}

// open opens the file.
func (e *entry) open() (jail.File, error) { return e.in.dir.OpenFile(e.name) }

func (e *entry) release() { e.in.release() }

// tree is a walk below a directory: what is ignored is left out, the rest comes
// in the order of the paths, a directory before what is in it. Directories are
// read ahead side by side; the order does not depend on it.
type tree struct {
	hidden bool // names that start with a dot come as well
	flat   bool // what is in directories does not come
	keep   bool // the directories of files stay open until they are released

	unreadable int

	ctx   context.Context
	mu    sync.Mutex
	wake  *sync.Cond
	stack []*branch // to be read ahead, the next one last
	ahead int       // directories that were read and not visited
	done  bool
	live  map[*branch]struct{} // those that are open
}

// branch is a directory of the tree.
type branch struct {
	tree    *tree
	up      *branch
	path    string // relative to the project root; empty is the root itself
	name    string
	depth   int
	rules   *rules
	once    sync.Once
	early   bool // it was read ahead
	dir     *jail.Dir
	refs    atomic.Int32
	entries []entry
	below   []*branch // for the directories among them, in order
	err     error
}

// walk goes through what is below a directory of the jail until visit is false.
func (t *tree) walk(ctx context.Context, f *files, start *jail.Dir, visit func(*entry) bool) error {
	t.ctx = ctx
	t.wake = sync.NewCond(&t.mu)
	t.live = map[*branch]struct{}{}
	top := &branch{tree: t, path: start.Path(), dir: start, rules: f.excludes.start()}
	if top.path == "." {
		top.path = ""
	}
	top.rules = parentRules(f.jail, top.rules, top.path)
	top.refs.Store(1)
	t.live[top] = struct{}{}

	var workers sync.WaitGroup
	if !t.flat {
		for range min(runtime.GOMAXPROCS(0), 8) - 1 {
			workers.Go(t.readAhead)
		}
	}
	stop := context.AfterFunc(ctx, t.stop)
	top.visit(visit)
	stop()
	t.stop()
	workers.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return top.err
}

// close lets go of what is still open. Nothing that the walk came by may be in
// use any more.
func (t *tree) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for b := range t.live {
		_ = b.dir.Close()
	}
	clear(t.live)
}

// readAhead reads directories that will be visited.
func (t *tree) readAhead() {
	for {
		t.mu.Lock()
		for !t.done && (len(t.stack) == 0 || t.ahead >= readAhead) {
			t.wake.Wait()
		}
		if t.done {
			t.mu.Unlock()
			return
		}
		b := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.mu.Unlock()
		b.load(true)
	}
}

func (t *tree) stop() {
	t.mu.Lock()
	t.done = true
	t.mu.Unlock()
	t.wake.Broadcast()
}

// load reads the directory, once, whoever comes first.
func (b *branch) load(early bool) {
	b.once.Do(func() {
		t := b.tree
		if b.dir == nil {
			b.dir, b.err = b.up.dir.OpenDir(b.name)
			b.up.release()
			if b.err != nil {
				return
			}
			b.refs.Store(1) // until it was visited
			t.mu.Lock()
			t.live[b] = struct{}{}
			t.mu.Unlock()
		}
		b.read()
		t.mu.Lock()
		defer t.mu.Unlock()
		if early && !t.done {
			b.early = true
			t.ahead++
		}
		for _, sub := range slices.Backward(b.below) {
			t.stack = append(t.stack, sub)
		}
		t.wake.Broadcast()
	})
}

// read lists the directory and applies the rules.
func (b *branch) read() {
	t := b.tree
	entries, err := b.dir.ReadDir()
	b.err = err
	for _, e := range entries {
		if n := e.Name(); n == ".gitignore" || n == ".ignore" {
			b.rules = b.ownRules(entries)
			break
		}
	}
	prefix := b.path
	if prefix != "" {
		prefix += "/"
	}
	b.entries = make([]entry, 0, len(entries))
	for _, e := range entries {
		name := e.Name()
		if name[0] == '.' && !t.hidden {
			continue
		}
		path := prefix + name
		if b.rules.ignored(path, name, e.IsDir()) {
			continue
		}
		b.entries = append(b.entries, entry{path: path, name: name, dir: e.IsDir(), kind: e.Type(), in: b})
	}
	slices.SortFunc(b.entries, compareEntries)
	if t.flat || b.depth >= maxTreeDepth {
		return
	}
	for i := range b.entries {
		if e := &b.entries[i]; e.dir {
			b.below = append(b.below, &branch{tree: t, up: b, path: e.path, name: e.name, depth: b.depth + 1, rules: b.rules})
		}
	}
	b.refs.Add(int32(len(b.below)))
}

// visit goes through the directory and reports whether the walk goes on.
func (b *branch) visit(visit func(*entry) bool) bool {
	t := b.tree
	if t.ctx.Err() != nil {
		return false
	}
	b.load(false)
	t.mu.Lock()
	if b.early {
		t.ahead--
		t.wake.Signal()
	}
	t.mu.Unlock()
	if b.dir == nil {
		t.unreadable++
		return true
	}
	if b.err != nil {
		t.unreadable++
	}
	next := 0
	for i := range b.entries {
		e := &b.entries[i]
		if t.keep && !e.dir {
			b.refs.Add(1)
		}
		if !visit(e) {
			return false
		}
		if e.dir && next < len(b.below) {
			sub := b.below[next]
			next++
			if !sub.visit(visit) {
				return false
			}
			b.below[next-1] = nil // its entries are not needed any more
		}
	}
	b.release()
	return true
}

// release closes the directory when nobody needs it any more.
func (b *branch) release() {
	if b.refs.Add(-1) != 0 {
		return
	}
	t := b.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, open := t.live[b]; open {
		delete(t.live, b)
		_ = b.dir.Close()
	}
}
