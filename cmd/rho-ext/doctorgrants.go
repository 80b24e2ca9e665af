package main

import (
	"fmt"
	"strings"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/internal/dirs"
)

func (d *diagnosis) notef(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// muteUnreadable keeps warnings back that are problems in the diagnosis.
func (a *app) muteUnreadable() {
	a.warned = map[string]bool{}
	if _, err := a.trustStore().Roots(); err != nil {
		a.warned[err.Error()] = true
	}
	if store := a.kept(); store != nil {
		if _, err := store.Keys(); err != nil {
			a.warned[err.Error()] = true
		}
	}
}

// lookAtTrust tells of a project whose extensions wait, and of a file of trust
// that cannot be used.
func (d *diagnosis) lookAtTrust(h *host.Host) {
	if _, err := permission.NewTrust(dirs.Home()).Roots(); err != nil {
		d.problemf("trust: %v", err)
	}
	if waiting := untrusted(h); len(waiting) > 0 {
		d.notef("this project is not trusted, so %s: %s; rho-ext trust lets them be loaded",
			counted(len(waiting), "extension of its own is not loaded", "extensions of its own are not loaded"), shortList(waiting, 10))
	}
}

// lookAtGrants tells of a file of grants that cannot be used, and of grants in
// this project that no extension has any more.
func (d *diagnosis) lookAtGrants(h *host.Host) {
	store := permission.NewFileStore(dirs.Home())
	keys, err := store.Keys()
	if err != nil {
		d.problemf("grants: %v", err)
	}
	here := map[string]host.State{}
	for _, e := range h.Extensions() {
		if e.State != host.StateShadowed {
			here[e.ID] = e.State
		}
	}
	for _, k := range keys {
		if k.Root != h.Root() {
			continue
		}
		access := h.Access(k.Extension)
		if access != nil && access.Key() == k {
			continue
		}
		grants, _ := store.Grants(k)
		list := grantsText(grants)
		switch {
		case access == nil && (here[k.Extension] != "" || k.Scope == string(host.ScopeExplicit)):
			continue // not loaded, so what it asks for is not known
		case access == nil:
			d.notef("%s was granted %s, and there is no such extension here; rho-ext revoke %s --all takes it back",
				cleanLine(k.Extension), list, permission.ShellQuote(cleanLine(k.Extension)))
		default:
			old := access.Key()
			old.Hash = k.Hash
			why := "it asks for other permissions now"
			if old != k {
				why = "that was one in another folder, " + strings.TrimSpace(cleanLine(k.Dir))
			}
			d.notef("%s was granted %s, which no longer counts: %s; see rho-ext permissions %s",
				cleanLine(k.Extension), list, why, permission.ShellQuote(cleanLine(k.Extension)))
		}
	}
}
