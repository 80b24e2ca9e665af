package bundle

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// packageFiles keeps the text of modules in packages between builds of one
// extension: there are many, and hardly any ever changes. One counts as the same
// as long as it is the same file with the same time and size.
type packageFiles struct {
	mu   sync.Mutex
	kept map[string]packageFile // by the path that was asked for
}

type packageFile struct {
	info fs.FileInfo
	real string
	text string
	sum  [sha256.Size]byte
}

func inPackage(path string) bool {
	return strings.Contains(path, string(filepath.Separator)+"node_modules"+string(filepath.Separator))
}

// get gives the text of a module that was read before, has been scanned then,
// and is the same still.
func (p *packageFiles) get(path string) (f packageFile, ok bool) {
	if p == nil || !inPackage(path) {
		return f, false
	}
	p.mu.Lock()
	f, ok = p.kept[path]
	p.mu.Unlock()
	if !ok {
		return f, false
	}
	return f, unchanged(f.info, path)
}

// put keeps a module that was read after info was taken.
func (p *packageFiles) put(path string, f packageFile) {
	if p == nil || !inPackage(path) || f.info == nil || time.Since(f.info.ModTime()) < trustAfter {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil || len(p.kept) > maxListed {
		p.kept = map[string]packageFile{}
	}
	p.kept[path] = f
}

// unchanged reports whether a path is still the file that info tells of.
func unchanged(info fs.FileInfo, path string) bool {
	now, err := os.Stat(path)
	return err == nil && os.SameFile(info, now) && info.Size() == now.Size() && info.ModTime().Equal(now.ModTime())
}
