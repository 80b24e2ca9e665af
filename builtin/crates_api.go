package builtin

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/rho-ext/rho-ext/registry"
)

// cratesCrate is a crate as crates.io shows it.
type cratesCrate struct {
	Name             string   `json:"name"`
	MaxStableVersion *string  `json:"max_stable_version"`
	MaxVersion       string   `json:"max_version"`
	Downloads        int64    `json:"downloads"`
	Description      *string  `json:"description"`
	Repository       *string  `json:"repository"`
	Homepage         *string  `json:"homepage"`
	Documentation    *string  `json:"documentation"`
	Keywords         []string `json:"keywords"`
}

func text(p *string) string {
	if p == nil {
		return ""
	}
	return cutText(strings.TrimSpace(*p), 2000)
}

func (c cratesCrate) info() crateInfo {
	return crateInfo{Name: c.Name, Version: cmp.Or(text(c.MaxStableVersion), c.MaxVersion), Downloads: c.Downloads, Description: text(c.Description),
		Repository: text(c.Repository), Homepage: text(c.Homepage), Documentation: text(c.Documentation), Keywords: c.Keywords}
}

type cratesVersion struct {
	Num         string  `json:"num"`
	Yanked      bool    `json:"yanked"`
	CreatedAt   string  `json:"created_at"`
	RustVersion *string `json:"rust_version"`
	License     *string `json:"license"`
}

func (c *cratesClient) search(ctx context.Context, query string, limit int) (*cratesAnswer, error) {
	var doc struct {
		Crates []cratesCrate
		Meta   struct{ Total int }
	}
	if err := c.get(ctx, "crates", url.Values{"q": {query}, "per_page": {strconv.Itoa(limit)}}, &doc); err != nil {
		return nil, err
	}
	a := &cratesAnswer{Total: doc.Meta.Total}
	for _, k := range doc.Crates[:min(len(doc.Crates), limit)] {
		a.Crates = append(a.Crates, k.info())
	}
	a.search()
	return a, nil
}

// crate asks for a crate with its versions.
func (c *cratesClient) crate(ctx context.Context, name string) (cratesCrate, []cratesVersion, error) {
	var doc struct {
		Crate    *cratesCrate
		Versions []cratesVersion
	}
	if err := c.get(ctx, "crates/"+url.PathEscape(name), nil, &doc); err != nil {
		return cratesCrate{}, nil, err
	}
	if doc.Crate == nil {
		f := registry.NewFailure(registry.KindProvider, c.base+" answered without the crate")
		f.Code = "bad_answer"
		return cratesCrate{}, nil, f
	}
	return *doc.Crate, doc.Versions, nil
}

func (c *cratesClient) info(ctx context.Context, name string) (*cratesAnswer, error) {
	k, versions, err := c.crate(ctx, name)
	if err != nil {
		return nil, err
	}
	info := k.info()
	if i := slices.IndexFunc(versions, func(v cratesVersion) bool { return v.Num == info.Version }); i >= 0 {
		info.Licence = text(versions[i].License)
	}
	a := &cratesAnswer{Crates: []crateInfo{info}}
	a.info()
	return a, nil
}

func (c *cratesClient) versions(ctx context.Context, name string, limit int) (*cratesAnswer, error) {
	_, versions, err := c.crate(ctx, name)
	if err != nil {
		return nil, err
	}
	a := &cratesAnswer{Total: len(versions)}
	for _, v := range versions[:min(len(versions), limit)] {
		released, _, _ := strings.Cut(v.CreatedAt, "T")
		a.Versions = append(a.Versions, crateVersion{Number: v.Num, Yanked: v.Yanked, Released: released, RustVersion: text(v.RustVersion), Licence: text(v.License)})
	}
	a.versions()
	return a, nil
}

func (c *cratesClient) deps(ctx context.Context, name, version string) (*cratesAnswer, error) {
	if version == "" {
		k, _, err := c.crate(ctx, name)
		if err != nil {
			return nil, err
		}
		version = k.info().Version
	}
	var doc struct {
		Dependencies []struct {
			CrateID  string   `json:"crate_id"`
			Req      string   `json:"req"`
			Kind     string   `json:"kind"`
			Optional bool     `json:"optional"`
			Features []string `json:"features"`
			Target   *string  `json:"target"`
		}
	}
	if err := c.get(ctx, "crates/"+url.PathEscape(name)+"/"+url.PathEscape(version)+"/dependencies", nil, &doc); err != nil {
		return nil, err
	}
	a := &cratesAnswer{Version: version}
	for _, d := range doc.Dependencies {
		a.Dependencies = append(a.Dependencies, crateDependency{Name: d.CrateID, Req: d.Req, Kind: d.Kind, Optional: d.Optional, Features: d.Features, Target: text(d.Target)})
	}
	rank := map[string]int{"normal": 0, "build": 1, "dev": 2}
	slices.SortStableFunc(a.Dependencies, func(x, y crateDependency) int {
		return cmp.Or(cmp.Compare(rank[x.Kind], rank[y.Kind]), cmp.Compare(x.Name, y.Name))
	})
	a.deps(name)
	return a, nil
}
