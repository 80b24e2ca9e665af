package exttest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/internal/watch"
)

// Watch tells of files that change in the folders with extensions, until ctx
// ends; no paths mean that anything may have changed. Snapshots do not count:
// tests write them.
func Watch(ctx context.Context, o Options, changed func(paths []string)) {
	places := func() (out []watch.Place) {
		for _, dir := range host.Folders(host.Options{Root: o.Root, UserDir: o.UserDir, Dirs: o.Dirs}) {
			out = append(out, watch.Place{Dir: dir, Tree: true})
		}
		return out
	}
	w := watch.Start(watch.Options{Places: places, Changed: func(b watch.Batch) time.Duration {
		if b.Lost {
			changed(nil)
			return 0
		}
		var list []string
		for _, p := range b.Paths {
			if counts(p) {
				list = append(list, p)
			}
		}
		if len(list) > 0 {
			changed(list)
		}
		return 0
	}})
	defer w.Close()
	<-ctx.Done()
}

// counts reports whether a change of a file may matter. Editors save by files
// that are gone at once.
func counts(path string) bool {
	ext := filepath.Ext(path)
	if strings.HasPrefix(filepath.Base(path), ".") || ext == ".snap" {
		return false
	}
	if slices.Contains([]string{".ts", ".tsx", ".mts", ".js", ".mjs", ".json"}, ext) {
		return true
	}
	_, err := os.Lstat(path)
	return err == nil
}

// Affected are the files whose outcome a change may touch: of an extension that
// is a folder its own tests, else all of the folder with extensions. No paths
// affect all.
func Affected(files []File, paths []string) []File {
	if len(paths) == 0 {
		return files
	}
	hit := map[string]bool{}
	for _, p := range paths {
		for _, f := range files {
			if f.root != f.Folder && inside(p, f.root) || f.Path == p {
				hit[f.Path] = true
			}
		}
	}
	for _, p := range paths {
		own := false // it is the business of some extension's folder alone
		for _, f := range files {
			own = own || f.root != f.Folder && inside(p, f.root) || f.Path == p
		}
		for _, f := range files {
			if f.Extension == "" && inside(p, f.Folder) || !own && inside(p, f.Folder) && f.root == f.Folder {
				hit[f.Path] = true
			}
		}
	}
	var out []File
	for _, f := range files {
		if hit[f.Path] {
			out = append(out, f)
		}
	}
	return out
}
