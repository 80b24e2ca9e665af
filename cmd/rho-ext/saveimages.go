package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/rho-ext/rho-ext/registry"
)

// imageEndings are those of files with images, by media type.
var imageEndings = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg",
	"image/avif": ".avif", "image/bmp": ".bmp", "image/tiff": ".tif", "image/x-icon": ".ico", "image/vnd.microsoft.icon": ".ico",
}

var oddInFile = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// saveImages writes the images of an answer to files and says where they are. They
// go into dir or, where that is empty, a new folder for temporary files; with
// --json and no dir the document has them, and nothing is written.
func (a *app) saveImages(out *registry.Outcome, dir string) error {
	if a.json && dir == "" {
		return nil
	}
	explicit := dir != ""
	name := oddInFile.ReplaceAllString(out.Tool, "-")
	for _, b := range out.Content {
		if b.Type != registry.BlockImage {
			continue
		}
		if len(b.Data) == 0 {
			if b.URL != "" {
				fmt.Fprintf(a.err, "image at %s\n", cleanLine(b.URL))
			}
			continue
		}
		var err error
		if dir == "" {
			dir, err = os.MkdirTemp("", "rho-ext-"+name+"-")
		} else if explicit {
			err = os.MkdirAll(dir, 0o755)
		}
		var path string
		if err == nil {
			path, err = writeNew(dir, name, imageEnding(b.MIMEType), b.Data)
		}
		switch {
		case err != nil && explicit:
			return fail(exitFailed, "the image could not be saved: %v", err)
		case err != nil:
			a.warnOnce(fmt.Sprintf("the image could not be saved: %v; --save DIR says where else", err))
			return nil
		}
		fmt.Fprintf(a.err, "saved %s (%s, %s)\n", clean(path), cleanLine(b.MIMEType), counted(len(b.Data), "byte", "bytes"))
	}
	return nil
}

func imageEnding(mime string) string {
	if e, ok := imageEndings[mime]; ok {
		return e
	}
	return ".bin"
}

// writeNew writes a file under the first of the names NAME-1, NAME-2 and so on that
// is free. What could not be written whole is taken away.
func writeNew(dir, name, ending string, data []byte) (string, error) {
	for i := 1; i <= 10_000; i++ {
		path := filepath.Join(dir, fmt.Sprintf("%s-%d%s", name, i, ending))
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(data)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			_ = os.Remove(path)
			return "", err
		}
		return path, nil
	}
	return "", fmt.Errorf("%s holds %s-1 to %[2]s-10000 already", dir, name)
}
