package exttest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/rho-ext/rho-ext/host/wire"
)

// inProject works on the files of the temporary project. No path leads out of it.
func (w *world) inProject(r wire.TestProjectRef) (any, error) {
	root, err := os.OpenRoot(w.project())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name := filepath.FromSlash(path.Clean(filepath.ToSlash(r.Path)))
	var out wire.TestProjectData
	switch r.Do {
	case "root":
		out.Root = filepath.ToSlash(w.project())
	case "write":
		data, err := base64.StdEncoding.DecodeString(r.Base64)
		if err != nil {
			return nil, err
		}
		return out, told("write", r.Path, write(root, name, data, false))
	case "read":
		data, err := root.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return out, nil
		}
		out.Found, out.Base64 = err == nil, base64.StdEncoding.EncodeToString(data)
		return out, told("read", r.Path, err)
	case "list":
		out.Paths = []string{}
		err := fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				out.Paths = append(out.Paths, p)
			}
			return err
		})
		slices.Sort(out.Paths)
		return out, told("list", ".", err)
	case "remove":
		return out, told("remove", r.Path, root.RemoveAll(name))
	default:
		return nil, refuse("TypeError", "project: unknown operation "+r.Do)
	}
	return out, nil
}

func told(what, path string, err error) error {
	if err == nil {
		return nil
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return refuse("Error", "project: cannot "+what+" "+path+": "+err.Error())
}

// write puts a file into the project, with the folders on the way.
func write(root *os.Root, name string, data []byte, add bool) error {
	if dir := filepath.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	mode := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if add {
		mode = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	f, err := root.OpenFile(name, mode, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// plainFile serves rho.readFile and rho.writeFile of modules that a test file
// imports.
func (t *testRun) plainFile(ctx context.Context, req wire.Request) (wire.Response, error) {
	w, err := t.need(ctx)
	if err != nil {
		return wire.Response{}, err
	}
	root, err := os.OpenRoot(w.project())
	if err != nil {
		return wire.Response{}, err
	}
	defer root.Close()
	if req.Op == wire.OpReadFile {
		var p wire.FilePath
		if err := json.Unmarshal(req.Data, &p); err != nil {
			return wire.Response{}, err
		}
		data, err := root.ReadFile(filepath.FromSlash(path.Clean(p.Path)))
		return wire.Response{Payload: data}, told("read", p.Path, err)
	}
	var p wire.WriteRequest
	if err := json.Unmarshal(req.Data, &p); err != nil {
		return wire.Response{}, err
	}
	return wire.Response{}, told("write", p.Path, write(root, filepath.FromSlash(path.Clean(p.Path)), req.Payload, p.Append))
}

// env gives modules of the test file the variables that the test has set.
func (t *testRun) env(ctx context.Context, req wire.Request) (wire.Response, error) {
	var e wire.EnvRequest
	if err := json.Unmarshal(req.Data, &e); err != nil {
		return wire.Response{}, err
	}
	t.mu.Lock()
	w := t.world
	t.mu.Unlock()
	if w == nil {
		return answer(wire.EnvResponse{})
	}
	v, ok := w.variable(e.Name)
	return answer(wire.EnvResponse{Value: v, Set: ok})
}
