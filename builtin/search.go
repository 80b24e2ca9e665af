package builtin

import (
	"context"
	"runtime"
	"sync"

	"github.com/rho-ext/rho-ext/internal/grep"
	"github.com/rho-ext/rho-ext/internal/jail"
)

// search is one search through many files.
type search struct {
	*files
	pattern *grep.Pattern
	glob    *glob
	not     bool // the glob is of what is left out
	hidden  bool
	context int
	max     int
}

const (
	batchFiles  = 24 // files that one worker takes at once
	batchesHeld = 16 // batches that are searched before their turn
)

// batch is a run of files, in order, and what was found in them.
type batch struct {
	files []*entry
	found []hits
	done  chan struct{}
}

// below searches all files below a directory. They are searched side by side;
// what is found comes in order, and nothing more is searched when there is no
// room for it.
func (s *search) below(ctx context.Context, dir *jail.Dir, out *searchText) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if s.glob != nil {
		s.glob.below(dir.Path())
	}
	walk := &tree{hidden: s.hidden || s.glob != nil && !s.not && s.glob.hidden(), keep: true}
	defer walk.close()

	todo := make(chan *batch)
	inOrder := make(chan *batch, batchesHeld)
	var workers sync.WaitGroup
	defer workers.Wait() // before the walk's directories are closed
	for range min(runtime.GOMAXPROCS(0), 16) {
		workers.Go(func() {
			scan := s.scanner(ctx)
			for b := range todo {
				for _, e := range b.files {
					if ctx.Err() == nil {
						if h := scan.open(e); len(h.lines) > 0 || h.err != nil {
							b.found = append(b.found, h)
						}
					}
					e.release()
				}
				close(b.done)
			}
		})
	}
	var walkErr error
	workers.Go(func() {
		defer close(todo)
		defer close(inOrder)
		next := &batch{done: make(chan struct{})}
		send := func() bool {
			select {
			case inOrder <- next:
			case <-ctx.Done():
				return false
			}
			todo <- next // the workers take it, also at the end
			next = &batch{done: make(chan struct{})}
			return true
		}
		walkErr = walk.walk(ctx, s.files, dir, func(e *entry) bool {
			if e.dir {
				return true
			}
			if !e.kind.IsRegular() || s.glob != nil && s.glob.match(e.path, e.name) == s.not {
				e.release()
				return true
			}
			next.files = append(next.files, e)
			return len(next.files) < batchFiles || send()
		})
		if len(next.files) > 0 {
			send()
		}
	})
	stopped := false
	for b := range inOrder {
		if stopped {
			continue // so that whoever sends is not kept
		}
		select {
		case <-b.done:
		case <-ctx.Done():
			stopped = true
			continue
		}
		for _, h := range b.found {
			if h.err != nil {
				out.answer.Unreadable++
			}
			if !out.add(h) {
				stopped = true
				cancel(nil)
				break
			}
		}
	}
	workers.Wait()
	out.answer.Unreadable += walk.unreadable
	if stopped && out.answer.Truncated {
		return nil
	}
	return walkErr
}
