package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/registry"
)

// patchPlan works out all that a patch does before any of it is done.
type patchPlan struct {
	*files
	ctx     context.Context
	of      map[string]*planned // by path
	order   []*planned
	summary []string
	notes   []string
}

// planned is a file that the patch touches.
type planned struct {
	path string
	old  *loaded // nil: there was none
	mode fs.FileMode
	now  []byte
	gone bool
	diff []change // of old, where it was updated once
}

// add works out what is done with one file.
func (p *patchPlan) add(f *filePatch) error {
	at, err := p.find(f.path)
	if err != nil {
		return err
	}
	switch {
	case f.kind == patchAdd && !at.gone:
		return refuse("file_exists", fmt.Sprintf("patch line %d: %q is to be added and exists: use *** Update File, or *** Delete File before it. Nothing was written.", f.line, f.path))
	case f.kind != patchAdd && at.gone:
		return fileFailure(registry.CallFrom(p.ctx), p.jail, f.path, "write", fs.ErrNotExist)
	}
	switch f.kind {
	case patchAdd:
		var b bytes.Buffer
		for _, line := range f.add {
			b.WriteString(line + "\n")
		}
		at.now, at.gone = b.Bytes(), false
		p.summary = append(p.summary, "A "+fileLine(f.path))
	case patchDelete:
		at.now, at.gone = nil, true
		p.summary = append(p.summary, "D "+fileLine(f.path))
	default:
		return p.update(f, at)
	}
	return nil
}

func (p *patchPlan) update(f *filePatch, at *planned) error {
	doc, err := newDocument(at.now)
	if err != nil {
		return refuse("not_text", fmt.Sprintf("%q cannot be patched: %v. Nothing was written.", f.path, err))
	}
	changes, notes, err := patchChanges(doc, f)
	if err != nil {
		return err
	}
	next, err := doc.apply(changes)
	if err != nil {
		return refuse("not_encodable", fmt.Sprintf("%q: %v. Nothing was written.", f.path, err))
	}
	data, err := next.bytes()
	if err != nil {
		return refuse("not_encodable", fmt.Sprintf("%q: %v. Nothing was written.", f.path, err))
	}
	p.notes = append(p.notes, notes...)
	if at.old != nil && at.diff == nil && bytes.Equal(at.now, at.old.data) {
		at.diff = changes
	}
	if f.moveTo == "" {
		at.now = data
		p.summary = append(p.summary, "M "+fileLine(f.path))
		return nil
	}
	to, err := p.find(f.moveTo)
	if err != nil {
		return err
	}
	if to != at && !to.gone {
		return refuse("file_exists", fmt.Sprintf("patch line %d: %q is to be moved to %q, which exists: delete that first. Nothing was written.", f.line, f.path, f.moveTo))
	}
	at.now, at.gone = nil, true
	to.now, to.gone, to.mode = data, false, at.mode
	p.summary = append(p.summary, fmt.Sprintf("M %s (moved from %s)", fileLine(f.moveTo), fileLine(f.path)))
	return nil
}

// find looks at a file as it is after what was planned so far.
func (p *patchPlan) find(name string) (*planned, error) {
	call := registry.CallFrom(p.ctx)
	key := footprintPath(name)
	info, rel, err := p.jail.Stat(name)
	switch {
	case err == nil:
		key = rel
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fileFailure(call, p.jail, name, "write", err)
	}
	if at := p.of[key]; at != nil {
		return at, nil
	}
	at := &planned{path: name, gone: true}
	if err == nil {
		data, _, rerr := p.jail.ReadFile(name, maxEdited)
		if rerr != nil {
			return nil, fileFailure(call, p.jail, name, "write", rerr)
		}
		readUse(p.ctx, rel)
		at.old = &loaded{rel: rel, data: data, stamp: stampOf(info)}
		at.mode, at.now, at.gone = info.Mode().Perm(), data, false
	}
	p.of[key] = at
	p.order = append(p.order, at)
	return at, nil
}

// apply writes what was planned. When something fails, what was written is put
// back.
func (p *patchPlan) apply() error {
	for _, at := range p.order {
		if at.old != nil && p.stamp(at.path) != at.old.stamp {
			return changedMeanwhile(at.path)
		}
	}
	for i, at := range p.order {
		if err := p.do(at); err != nil {
			var left []string
			for _, done := range p.order[:i] {
				if p.undo(done) != nil {
					left = append(left, printable(done.path))
				}
			}
			return failed(err, left)
		}
	}
	return nil
}

func (p *patchPlan) do(at *planned) error {
	switch {
	case at.gone && at.old == nil, !at.gone && at.old != nil && bytes.Equal(at.now, at.old.data):
		return nil
	case at.gone:
		rel, err := p.jail.Remove(at.path)
		if err != nil {
			return fileFailure(registry.CallFrom(p.ctx), p.jail, at.path, "write", err)
		}
		writeUse(p.ctx, rel)
		return nil
	}
	o := jail.WriteOptions{Parents: true, Exclusive: at.old == nil, Mode: at.mode}
	if err := p.write(p.ctx, at.path, at.now, o); err != nil {
		return err
	}
	if _, rel, err := p.jail.Stat(at.path); err == nil {
		p.seen.changed(rel, stamp{}, p.stamp(at.path), 1, 1, 1, nil)
	}
	return nil
}

func (p *patchPlan) undo(at *planned) error {
	switch {
	case at.gone && at.old == nil, !at.gone && at.old != nil && bytes.Equal(at.now, at.old.data):
		return nil
	case at.old == nil:
		_, err := p.jail.Remove(at.path)
		return err
	default:
		_, err := p.jail.WriteFile(at.path, at.old.data, jail.WriteOptions{Mode: at.mode})
		return err
	}
}

// warnings are those about the syntax of what was updated.
func (p *patchPlan) warnings() []string {
	var all []string
	for _, at := range p.order {
		if at.diff == nil || at.gone || at.old == nil {
			continue
		}
		doc, err := newDocument(at.old.data)
		if err != nil {
			continue
		}
		old := *at.old
		old.doc = doc
		all = append(all, p.syntaxWarnings(&old, at.now, at.diff)...)
	}
	return all
}
