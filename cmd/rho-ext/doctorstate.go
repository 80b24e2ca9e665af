package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/internal/config"
	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/internal/secret"
)

// shadow is an extension whose place another one of its name has taken.
type shadow struct {
	Extension string `json:"extension"`
	Path      string `json:"path"`
	By        string `json:"by"`
}

// loadTime is how long one extension took.
type loadTime struct {
	Extension string  `json:"extension"`
	BundledMS float64 `json:"bundledMs"`
	LoadedMS  float64 `json:"loadedMs"`
}

// secretStore is where new secrets go.
type secretStore struct {
	Store string `json:"store"`         // keychain or file
	Why   string `json:"why,omitempty"` // why it is the file although the keychain is wanted
}

// logState is what there is of the session log.
type logState struct {
	On    bool   `json:"on"`
	Path  string `json:"path"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
}

// lockdown is what a process has given up of the system.
type lockdown struct {
	NoNewPrivs bool     `json:"noNewPrivs"`
	Landlock   int      `json:"landlock"`
	Seccomp    bool     `json:"seccomp"`
	Job        bool     `json:"job"`
	Why        []string `json:"why"` // what does not hold
}

func lockdownOf(l host.Lockdown) *lockdown {
	return &lockdown{NoNewPrivs: l.NoNewPrivs, Landlock: l.Landlock, Seccomp: l.Seccomp, Job: l.Job, Why: append([]string{}, l.Why...)}
}

func (l *lockdown) String() string {
	var holds []string
	if l.NoNewPrivs {
		holds = append(holds, "no new privileges")
	}
	if l.Landlock > 0 {
		holds = append(holds, fmt.Sprintf("Landlock %d", l.Landlock))
	}
	if l.Seccomp {
		holds = append(holds, "a filter of system calls")
	}
	if l.Job {
		holds = append(holds, "a job object")
	}
	return strings.Join(holds, ", ")
}

// lookAtExtensions tells which are shadowed, how long loading took, and whose
// declarations are of another version.
func (d *diagnosis) lookAtExtensions(h *host.Host, c *config.Config) {
	for _, e := range h.Extensions() {
		d.Extensions[e.State]++
		if e.State == host.StateShadowed {
			d.Shadowed = append(d.Shadowed, shadow{e.ID, e.Path, e.ShadowedBy})
		}
	}
	began := h.Began()
	for i := range began.Changes {
		if ch := &began.Changes[i]; ch.Kind == host.ChangeAdded {
			d.Loads = append(d.Loads, loadTime{ch.Extension, millis(ch.Bundled), millis(ch.Loaded)})
		}
	}
	slices.SortStableFunc(d.Loads, func(x, y loadTime) int { return cmp.Compare(y.BundledMS+y.LoadedMS, x.BundledMS+x.LoadedMS) })
	sources, _, err := host.Sources(host.Options{Root: h.Root(), UserDir: "-", Dirs: c.Extensions.Dirs, Home: dirs.Home()})
	if err != nil {
		return // it was told when they were loaded
	}
	seen := map[string]bool{}
	for _, s := range sources {
		dir := typesFolder(s)
		if seen[dir] {
			continue
		}
		seen[dir] = true
		if f, err := updateTypes(dir, true); err == nil && f.State == "different" {
			d.Outdated = append(d.Outdated, f.Path)
			d.notef("%s is not of this version, so editors may be wrong; rho-ext types writes it anew", cleanLine(f.Path))
		}
	}
}

// lookAtKept tells where secrets and the session log are.
func (d *diagnosis) lookAtKept(root string, c *config.Config) {
	d.Secrets = secretStore{Store: secret.InKeychain}
	if c.Secrets.Store == secret.InFile {
		d.Secrets.Store = secret.InFile
	} else if err := secret.Reachable(); err != nil {
		d.Secrets = secretStore{Store: secret.InFile, Why: err.Error()}
	}
	d.Log = logState{On: c.Log.Session}
	home := dirs.Home()
	if home == "" {
		return
	}
	d.Log.Path = sessionDir(home, realPath(root))
	entries, _ := os.ReadDir(d.Log.Path) // none is there yet
	for _, e := range entries {
		if st, err := e.Info(); err == nil && st.Mode().IsRegular() && filepath.Ext(e.Name()) == ".jsonl" {
			d.Log.Files++
			d.Log.Bytes += st.Size()
		}
	}
}

// shownLoads is how many of the slowest are shown to people.
const shownLoads = 5

// printState is the part of the report for people that follows the extensions.
func (d *diagnosis) printState(b *strings.Builder) error {
	if len(d.Loads) > 0 {
		t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "\nSLOWEST\tBUNDLED\tLOADED")
		for _, l := range d.Loads[:min(shownLoads, len(d.Loads))] {
			fmt.Fprintf(t, "%s\t%s\t%s\n", cleanLine(l.Extension), short(toDuration(l.BundledMS)), short(toDuration(l.LoadedMS)))
		}
		if err := t.Flush(); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	for _, s := range d.Shadowed {
		fmt.Fprintf(b, "shadowed: %s (%s) by %s\n", cleanLine(s.Extension), cleanLine(s.Path), cleanLine(s.By))
	}
	if w := d.Isolation.Worker; w != nil {
		fmt.Fprintf(b, "worker: ready in %s; %s\n", short(toDuration(d.Isolation.StartMS)), cmp.Or(w.String(), "not locked down"))
	}
	if w := d.Isolation.Bundler; w != nil {
		fmt.Fprintf(b, "bundler: %s\n", cmp.Or(w.String(), "not locked down"))
	}
	fmt.Fprintf(b, "secrets: new ones go into the %s", d.Secrets.Store)
	if d.Secrets.Why != "" {
		fmt.Fprintf(b, ", as the keychain cannot be asked: %s", cleanLine(d.Secrets.Why))
	}
	state := "off"
	if d.Log.On {
		state = fmt.Sprintf("%s in %s", size(int(d.Log.Bytes)), counted(d.Log.Files, "file", "files"))
	}
	fmt.Fprintf(b, "\nsession log: %s (%s)\n", state, cleanLine(d.Log.Path))
	return nil
}
