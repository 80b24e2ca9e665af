//go:build !unix

package jail

import (
	"errors"
	"io/fs"
	"os"
)

// handle is an open directory. What is opened in it is compared with what was
// looked at, so that a link is not followed.
type handle struct{ d *os.Root }

// newHandle takes over d.
func newHandle(d *os.Root, _ string) (handle, error) { return handle{d}, nil }

func (h handle) close() error { return h.d.Close() }

func (h handle) readDir() ([]fs.DirEntry, error) {
	f, err := h.d.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

func (h handle) openDir(name, _ string) (handle, error) {
	info, err := h.d.Lstat(name)
	if err != nil {
		return handle{}, err
	}
	if !info.IsDir() {
		return handle{}, errNotDir
	}
	sub, err := openSub(h.d, name)
	if err != nil {
		return handle{}, err
	}
	now, err := sub.Stat(".")
	if err == nil && !os.SameFile(now, info) {
		err = errChanged
	}
	if err != nil {
		return handle{}, errors.Join(err, sub.Close())
	}
	return handle{sub}, nil
}

func (h handle) openFile(name string) (File, error) {
	info, err := h.d.Lstat(name)
	if err != nil {
		return nil, err
	}
	if kind := kindOf(info.Mode()); kind != "" {
		return nil, &NotRegularError{Kind: kind}
	}
	f, err := h.d.OpenFile(name, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	now, err := f.Stat()
	if err == nil && !os.SameFile(now, info) {
		err = errChanged
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return sizedFile{f, now.Size()}, nil
}

type sizedFile struct {
	*os.File
	size int64
}

func (f sizedFile) Size() int64 { return f.size }
