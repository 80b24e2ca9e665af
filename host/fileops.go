package host

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/registry"
)

// The bounds of what one file operation brings into a runtime.
const (
	maxReadSync = 1 << 20  // by the synchronous rho.readFile
	maxRead     = 10 << 20 // by ctx.fs
	maxWrite    = 64 << 20
	maxEntries  = 10_000
	maxMatches  = 10_000
)

// file does one operation on files.
func (b *broker) file(ctx context.Context, req wire.Request, c *liveCall) (wire.Response, error) {
	effect, kind, what := registry.EffectRead, permission.KindRead, "read files"
	if req.Op.Effect().Has(registry.EffectWrite) {
		effect, kind, what = registry.EffectWrite, permission.KindWrite, "write files"
	}
	op, err := fileOpOf(req)
	if err != nil {
		return wire.Response{}, err
	}
	if err := b.allow(c, effect, kind, op.path, what); err != nil {
		return wire.Response{}, err
	}
	by, err := b.within(ctx, c, op.path, effect == registry.EffectWrite, op.do)
	if err != nil {
		return wire.Response{}, b.fileError(req, c, op.path, effect.String(), err)
	}
	if by == "" {
		by = "default"
	}
	for _, target := range op.touched {
		c.call.RecordUse(registry.Use{Kind: "file", Target: target, Effect: effect.String(), Grant: by})
	}
	return op.answer()
}

// fileOp is one operation: do runs it in a jail and fills in the rest.
type fileOp struct {
	path    string
	do      func(j *jail.Jail) error
	touched []string // real places, as uses show them
	payload []byte
	data    any
}

func (o *fileOp) answer() (wire.Response, error) {
	if o.data == nil {
		return wire.Response{Payload: o.payload}, nil
	}
	return answer(o.data)
}

func fileOpOf(req wire.Request) (*fileOp, error) {
	switch req.Op {
	case wire.OpWriteFile:
		return writeOp(req)
	case wire.OpRename:
		r, err := decode[wire.RenameRequest](req)
		op := &fileOp{path: r.From}
		op.do = func(j *jail.Jail) error {
			from, to, err := j.Rename(r.From, r.To)
			op.touched = []string{from, to}
			return err
		}
		return op, err
	case wire.OpGlob:
		g, err := decode[wire.GlobRequest](req)
		op := &fileOp{path: g.Pattern}
		op.do = func(j *jail.Jail) error {
			found, more, err := j.Glob(g.Pattern, maxMatches)
			if found == nil {
				found = []string{}
			}
			op.data, op.touched = wire.GlobResponse{Paths: found, More: more}, []string{g.Pattern}
			return err
		}
		return op, err
	}
	p, err := decode[wire.FilePath](req)
	op := &fileOp{path: p.Path}
	touch := func(rel string, err error) error {
		op.touched = []string{rel}
		return err
	}
	switch req.Op {
	case wire.OpReadFile:
		limit := int64(maxRead)
		if strings.HasPrefix(req.As, "rho.") || req.As == "" {
			limit = maxReadSync
		}
		if p.Max > 0 {
			limit = min(limit, p.Max)
		}
		op.do = func(j *jail.Jail) error {
			data, rel, err := j.ReadFile(p.Path, limit)
			op.payload = data
			return touch(rel, err)
		}
	case wire.OpListDir:
		op.do = func(j *jail.Jail) error {
			entries, rel, more, err := j.ReadDir(p.Path, maxEntries)
			if err == nil && more {
				err = fmt.Errorf("%q holds more than %d names: look for some of them with ctx.fs.glob", p.Path, maxEntries)
			}
			op.data = entriesOf(entries)
			return touch(rel, err)
		}
	case wire.OpStat:
		op.do = func(j *jail.Jail) error {
			info, rel, err := j.Stat(p.Path)
			if err == nil {
				op.data = wire.FileInfo{Size: info.Size(), ModTimeMS: float64(info.ModTime().UnixMicro()) / 1000, Directory: info.IsDir()}
			}
			return touch(rel, err)
		}
	case wire.OpMkdir:
		op.do = func(j *jail.Jail) error {
			ch, err := j.MkdirAll(p.Path)
			return touch(ch.Path, err)
		}
	default: // wire.OpRemove
		op.do = func(j *jail.Jail) error { return touch(j.Remove(p.Path)) }
	}
	return op, err
}

func writeOp(req wire.Request) (*fileOp, error) {
	w, err := decode[wire.WriteRequest](req)
	op := &fileOp{path: w.Path}
	op.do = func(j *jail.Jail) error {
		if len(req.Payload) > maxWrite {
			return fmt.Errorf("%d bytes are more than the %d that can be written at once: append them piece by piece", len(req.Payload), maxWrite)
		}
		write := j.WriteFile
		if w.Append {
			write = j.Append
		}
		ch, err := write(w.Path, req.Payload, jail.WriteOptions{Parents: true})
		op.touched = []string{ch.Path}
		return err
	}
	return op, err
}

func entriesOf(list []fs.DirEntry) []wire.DirEntry {
	out := make([]wire.DirEntry, len(list))
	for i, e := range list {
		out[i] = wire.DirEntry{Name: e.Name(), Directory: e.IsDir(), Link: e.Type()&fs.ModeSymlink != 0}
	}
	return out
}
