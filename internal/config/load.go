package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
)

// maxSize bounds a configuration file.
const maxSize = 1 << 20

// Load reads the configuration. An error is an [*Error] that says what is wrong
// and where; a file that is not there is fine, unless it was named.
func Load(o Options) (*Config, []Warning, error) {
	c := Default()
	m := &merger{Config: c, opts: o}
	path, source := o.File, FromConfig
	if path == "" && o.Home != "" {
		path, source = filepath.Join(o.Home, FileName), FromUser
	}
	if path != "" {
		text, err := readFile(path, path, o.File != "")
		if err == nil {
			err = m.file(source, path, filepath.Dir(path), text)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if o.Root != "" && !sameFile(path, filepath.Join(o.Root, projectFile)) {
		text, err := readProject(o.Root)
		if err == nil {
			err = m.file(FromProject, filepath.ToSlash(projectFile), o.Root, text)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	for _, over := range o.Overrides {
		if err := m.override(over); err != nil {
			return nil, nil, err
		}
	}
	sort.SliceStable(m.warnings, func(i, j int) bool { return m.warnings[i].Line < m.warnings[j].Line })
	return c, m.warnings, nil
}

var projectFile = filepath.Join(".rho", FileName)

// sameFile keeps the user's own file from being read as that of a project which
// is the home directory.
func sameFile(a, b string) bool {
	if a == "" {
		return false
	}
	sa, err := os.Stat(a)
	if err != nil {
		return false
	}
	sb, err := os.Stat(b)
	return err == nil && os.SameFile(sa, sb)
}

// readFile reads a file; one that does not exist gives nil.
func readFile(path, shown string, must bool) ([]byte, error) {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && !must {
		return nil, nil
	}
	if err == nil {
		err = fit(st)
	}
	if err != nil {
		return nil, unreadable(shown, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(shown, err)
	}
	return readAll(f, shown)
}

// readProject reads the project's file. No symbolic link leads out of the
// project: a project that was cloned must not read other files.
func readProject(dir string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	defer root.Close()
	shown := filepath.ToSlash(projectFile)
	st, err := root.Stat(projectFile)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := root.Lstat(projectFile); err != nil {
			return nil, nil
		}
	}
	if err == nil {
		err = fit(st)
	}
	if err != nil {
		return nil, unreadable(shown, err)
	}
	f, err := root.Open(projectFile)
	if err != nil {
		return nil, unreadable(shown, err)
	}
	return readAll(f, shown)
}

// fit says why a file cannot be a configuration. Others are not opened: that
// of a pipe might never return.
func fit(st fs.FileInfo) error {
	switch {
	case !st.Mode().IsRegular():
		return errors.New("it is no regular file")
	case st.Size() > maxSize:
		return fmt.Errorf("it has %d bytes, which is more than %d", st.Size(), maxSize)
	}
	return nil
}

func unreadable(shown string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return problem(shown, "cannot read the configuration: "+err.Error())
}

func readAll(f *os.File, shown string) ([]byte, error) {
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && len(text) > maxSize {
		err = fmt.Errorf("it has more than %d bytes", maxSize)
	}
	if err != nil {
		return nil, unreadable(shown, err)
	}
	if text == nil {
		text = []byte{}
	}
	return text, nil
}

// read checks the text of one file.
func (m *merger) read(shown string, text []byte) (*document, []setting, error) {
	doc, p := parse(shown, text)
	if p != nil {
		m.frame(text, p)
		return nil, nil, &Error{Problems: []Problem{*p}}
	}
	d := &decoder{document: doc, suggest: m.opts.Suggest}
	d.decode()
	if len(d.problems) > 0 {
		sortProblems(d.problems)
		for i := range d.problems[:min(len(d.problems), maxShown)] {
			m.frame(doc.text, &d.problems[i])
		}
		return nil, nil, &Error{Problems: d.problems}
	}
	sort.SliceStable(d.settings, func(i, j int) bool {
		a, b := d.settings[i], d.settings[j]
		if ka, kb := slices.Index(keys, a.key), slices.Index(keys, b.key); ka != kb {
			return ka < kb
		}
		return a.offset < b.offset
	})
	return doc, d.settings, nil
}

func (m *merger) frame(text []byte, p *Problem) {
	if m.opts.Frame != nil && p.Line > 0 {
		p.Frame = m.opts.Frame(hideUser(withoutSettings(string(text))), p.Line, p.Column)
	}
}
