package main

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/internal/sessionlog"
	"github.com/rho-ext/rho-ext/internal/watch"
)

// followEvery is how often it is looked where files cannot be watched.
const followEvery = 100 * time.Millisecond

// followLog tells what is appended to a session log, until ctx ends. broken
// hears of lines that cannot be read.
func followLog(ctx context.Context, dir string, f *sessionlog.Follower, fn func(sessionlog.Entry), broken func(n int)) {
	var mu sync.Mutex
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		if n := f.Look(fn); n > 0 && broken != nil {
			broken(n)
		}
	}
	w := watch.Start(watch.Options{
		Places:  func() []watch.Place { return []watch.Place{{Dir: dir}} },
		Changed: func(watch.Batch) time.Duration { look(); return 0 },
		Quiet:   2 * time.Millisecond, Longest: 20 * time.Millisecond, Every: followEvery,
	})
	look() // at what came before it was watched
	<-ctx.Done()
	w.Close()
	look()
}

// realPath is a path without symbolic links, as far as it exists.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(realPath(parent), filepath.Base(path))
	}
	return path
}
