package check

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

// Run checks extensions. What is wrong with them is in the report; an error
// means that they could not be looked at, and is a [*PathError] where
// Options.Path names nothing to check.
func Run(ctx context.Context, o Options) (*Report, error) {
	began := time.Now()
	if o.Host.Root != "" {
		real, err := filepath.EvalSymlinks(o.Host.Root)
		if err != nil {
			return nil, err
		}
		o.Host.Root = real
	}
	if o.Host.Registry == nil {
		o.Host.Registry = registry.New()
	}
	t, err := targetOf(&o)
	if err != nil {
		return nil, err
	}
	r := &run{opts: o, target: t, builtins: map[string]bool{}}
	for _, e := range o.Host.Registry.Snapshot().Tools() {
		r.builtins[e.Name()] = true
	}
	if err := r.load(ctx); err != nil {
		return nil, err
	}
	report := &Report{Root: r.root, Extensions: []Checked{}, Findings: []Finding{}}
	r.judge(ctx, report)
	report.arrange()
	report.DurationMS = float64(time.Since(began).Microseconds()) / 1000
	if len(report.Extensions) == 0 && o.Path != "" {
		for _, e := range r.listed {
			if e.State == host.StateDisabled && (r.target.id == e.ID || r.target.path != "" && inside(r.absolute(e.Path), r.target.path)) {
				return nil, &PathError{Message: e.ID + " is disabled by the configuration, so it is not looked into"}
			}
		}
		return nil, &PathError{Message: o.Path + " holds no extension; an extension is NAME.ts, or a folder with mod.ts, index.ts or a package.json that names its module"}
	}
	return report, nil
}

// run is one run of the linter.
type run struct {
	opts     Options
	target   target
	root     string
	builtins map[string]bool
	units    []*unit // what was looked into
	listed   []host.ExtensionInfo
	failures []host.Failure
	folders  []folder
}

// load loads everything, as untrusted code: in worker processes, with nothing
// granted, and with a home of its own for what it may keep.
func (r *run) load(ctx context.Context) error {
	home, err := os.MkdirTemp("", "rho-ext-check-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	o := r.opts.Host
	o.Isolation, o.Trusted, o.IsTrusted = host.Process, true, nil
	o.Allow, o.Grants, o.AskPermission, o.Secrets, o.Settings = nil, nil, nil, nil, nil
	o.Tool, o.Home, o.Workers.NoStandby = "", home, true
	o.Inspect = func(i *host.Inspection) { r.units = append(r.units, newUnit(r, i)) }
	h, err := host.New(ctx, o)
	if err != nil {
		return err
	}
	r.root, r.listed, r.failures = h.Root(), h.Extensions(), h.Failures()
	r.folders = foldersOf(o, r.root)
	return h.Close()
}

// judge asks every rule about every extension.
func (r *run) judge(ctx context.Context, report *Report) {
	asked := []*unit{}
	for _, u := range r.units {
		if !r.target.wants(u.Source) {
			continue
		}
		asked = append(asked, u)
		report.Extensions = append(report.Extensions, u.checked())
	}
	r.clashes(asked)
	for _, u := range asked {
		u.loadFailures()
		for _, rules := range []func(*unit){
			effectRules, permissionRules, schemaRules, providerRules, exampleRules, trapRules, argumentRules, hookRules,
			settingRules, secretRules, sizeRules, testRules,
		} {
			rules(u)
		}
	}
	loose := r.discovery(report)
	r.types(ctx, asked, &report.Types)
	for _, u := range asked {
		u.silence(report)
		report.Findings = append(report.Findings, u.findings...)
	}
	report.Findings = append(report.Findings, loose...)
}
