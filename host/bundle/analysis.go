package bundle

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Analysis says what a bundle consists of.
type Analysis struct {
	// Bytes is the size of the whole script.
	Bytes int `json:"bytes"`
	// Inputs are the modules that went in, the one that takes most first.
	Inputs []Input `json:"inputs"`
	// Packages are the npm packages among them, likewise.
	Packages []Package `json:"packages"`
}

// Input is one module of a bundle.
type Input struct {
	// Name is relative to the extension's folder, with forward slashes, or
	// begins with "rho:" for a virtual module.
	Name    string `json:"name"`
	Package string `json:"package,omitempty"` // the npm package that it is of
	Source  int    `json:"source"`            // bytes before bundling
	Bytes   int    `json:"bytes"`             // in the script
	// By are the modules that import it, in order.
	By []string `json:"by"`
}

// Package is what one npm package takes.
type Package struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
	Bytes int    `json:"bytes"` // in the script
	// By are the modules outside the package that import it.
	By []string `json:"by"`
}

// metafile is what the bundler tells of its work.
type metafile struct {
	Inputs map[string]struct {
		Bytes   int `json:"bytes"`
		Imports []struct {
			Path string `json:"path"`
		} `json:"imports"`
	} `json:"inputs"`
	Outputs map[string]struct {
		Bytes  int `json:"bytes"`
		Inputs map[string]struct {
			Bytes int `json:"bytesInOutput"`
		} `json:"inputs"`
	} `json:"outputs"`
}

// Analysis reads what the bundler told of its work. There is one only of a
// bundle that was built with [Options.Details].
func (b *Bundle) Analysis() (*Analysis, error) {
	if len(b.Meta) == 0 {
		return nil, errors.New("the bundle was built without details")
	}
	var m metafile
	if err := json.Unmarshal(b.Meta, &m); err != nil {
		return nil, fmt.Errorf("what the bundler tells of its work cannot be read: %w", err)
	}
	out, ok := m.Outputs[outName]
	if !ok {
		return nil, errors.New("the bundler tells nothing of its script")
	}
	by := map[string][]string{}
	for name, in := range m.Inputs {
		if isEntry(name) {
			continue
		}
		for _, i := range in.Imports {
			if !slices.Contains(by[i.Path], name) {
				by[i.Path] = append(by[i.Path], name)
			}
		}
	}
	a := &Analysis{Bytes: len(b.Script), Inputs: []Input{}, Packages: []Package{}}
	for name, in := range out.Inputs {
		if isEntry(name) {
			continue
		}
		importers := append([]string{}, by[name]...)
		slices.Sort(importers)
		a.Inputs = append(a.Inputs, Input{Name: name, Package: packageOf(name), Source: m.Inputs[name].Bytes, Bytes: in.Bytes, By: importers})
	}
	slices.SortFunc(a.Inputs, func(x, y Input) int { return cmp.Or(y.Bytes-x.Bytes, cmp.Compare(x.Name, y.Name)) })
	a.group()
	return a, nil
}

// group adds up the modules of each package.
func (a *Analysis) group() {
	at := map[string]int{}
	for _, in := range a.Inputs {
		if in.Package == "" {
			continue
		}
		i, ok := at[in.Package]
		if !ok {
			i = len(a.Packages)
			at[in.Package] = i
			a.Packages = append(a.Packages, Package{Name: in.Package, By: []string{}})
		}
		p := &a.Packages[i]
		p.Files++
		p.Bytes += in.Bytes
		for _, by := range in.By {
			if packageOf(by) != in.Package && !slices.Contains(p.By, by) {
				p.By = append(p.By, by)
			}
		}
	}
	for i := range a.Packages {
		slices.Sort(a.Packages[i].By)
	}
	slices.SortStableFunc(a.Packages, func(x, y Package) int { return cmp.Or(y.Bytes-x.Bytes, cmp.Compare(x.Name, y.Name)) })
}

// isEntry reports whether a name is the entry that the build makes up.
func isEntry(name string) bool { return name == virtualPrefix+"entry" }

// packageOf names the npm package that a module is of, or gives "".
func packageOf(name string) string {
	const folder = "node_modules/"
	i := strings.LastIndex("/"+name, "/"+folder)
	if i < 0 {
		return ""
	}
	rest := path.Clean(name[i+len(folder):])
	first, more, _ := strings.Cut(rest, "/")
	if strings.HasPrefix(first, "@") {
		second, _, _ := strings.Cut(more, "/")
		return first + "/" + second
	}
	return first
}
