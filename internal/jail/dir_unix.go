//go:build unix

package jail

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// handle is an open directory. Names in it are opened without following a link
// and without a second look: it is one call of the system each.
type handle struct{ f *os.File }

// newHandle takes over d.
func newHandle(d *os.Root, _ string) (handle, error) {
	defer d.Close()
	f, err := d.Open(".")
	return handle{f}, err
}

func (h handle) close() error { return h.f.Close() }

func (h handle) readDir() ([]fs.DirEntry, error) { return h.f.ReadDir(-1) }

// open opens a name. What the flags do not fit is not opened.
func (h handle) open(name string, flags int) (fd int, err error) {
	raw, err := h.f.SyscallConn() // keeps the directory open meanwhile
	if err != nil {
		return -1, err
	}
	cerr := raw.Control(func(dir uintptr) {
		for {
			fd, err = unix.Openat(int(dir), name, flags|unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
			if err != unix.EINTR {
				return
			}
		}
	})
	if cerr != nil {
		return -1, fs.ErrClosed
	}
	return fd, err
}

func (h handle) openDir(name, real string) (handle, error) {
	fd, err := h.open(name, unix.O_DIRECTORY)
	if err != nil {
		return handle{}, err
	}
	return handle{os.NewFile(uintptr(fd), real)}, nil
}

func (h handle) openFile(name string) (File, error) {
	fd, err := h.open(name, unix.O_NONBLOCK)
	if errors.Is(err, unix.ELOOP) {
		return nil, &NotRegularError{Kind: kindOf(fs.ModeSymlink)}
	}
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return nil, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		unix.Close(fd)
		kind := fs.ModeIrregular
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFDIR:
			kind = fs.ModeDir
		case unix.S_IFIFO:
			kind = fs.ModeNamedPipe
		case unix.S_IFSOCK:
			kind = fs.ModeSocket
		case unix.S_IFBLK, unix.S_IFCHR:
			kind = fs.ModeDevice
		}
		return nil, &NotRegularError{Kind: kindOf(kind)}
	}
	return &rawFile{fd: fd, size: st.Size}, nil
}

// rawFile is a regular file without what os.File does for files that can make
// one wait. It is for one goroutine.
type rawFile struct {
	fd   int
	size int64
}

func (f *rawFile) Size() int64 { return f.size }

func (f *rawFile) Read(p []byte) (int, error) {
	if f.fd < 0 {
		return 0, fs.ErrClosed
	}
	for {
		n, err := unix.Read(f.fd, p)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (f *rawFile) Close() error {
	if f.fd < 0 {
		return fs.ErrClosed
	}
	fd := f.fd
	f.fd = -1
	return unix.Close(fd)
}
