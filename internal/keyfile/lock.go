package keyfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// errBusy says that another one holds the lock.
var errBusy = errors.New("another process holds it")

// lock makes this the only one that writes, until unlock. It waits for others,
// but not for ever.
func (f *File) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	free, err := f.lockOut(ctx)
	if err != nil {
		<-f.turn
		return nil, err
	}
	return func() { free(); <-f.turn }, nil
}

// lockOut locks other processes out.
func (f *File) lockOut(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(f.opts.Path), 0o700); err != nil {
		return nil, err
	}
	path := f.opts.Path + ".lock"
	ctx, cancel := context.WithTimeoutCause(ctx, f.opts.Wait, errBusy)
	defer cancel()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for next := 200 * time.Microsecond; ; next = min(2*next, 10*time.Millisecond) {
		unlock, err := tryLock(path)
		if err == nil {
			return unlock, nil
		}
		if !errors.Is(err, errBusy) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		pause.Reset(next)
		select {
		case <-pause.C:
		case <-ctx.Done():
			if cause := context.Cause(ctx); !errors.Is(cause, errBusy) {
				return nil, cause
			}
			return nil, fmt.Errorf("lock %s: %w", path, errBusy)
		}
	}
}

// openLock opens the file that is locked, which holds nothing.
func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|openFlags, 0o600)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
