package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/version"
	"github.com/rho-ext/rho-ext/registry"
)

// candidate is a version of an extension on its way to be served.
type candidate struct {
	host     *Host
	source   Source
	bundle   *bundle.Bundle
	spent    time.Duration // on bundling it
	failures []Failure
	old      *generation
	made     *generation
	refused  error // why the registry did not take its tools

	force bool          // it is loaded anew, changed or not
	same  *record       // nothing has changed since: it is neither built nor evaluated
	graph bundle.Graph  // what was read
	stamp string        // of what was read
	took  time.Duration // for evaluating it

	manifest *wire.Manifest // as the sandbox gave it, whatever came of it
	survey   *wire.Survey   // where one is wanted
	fails    *bundle.Failures
}

// needed reports whether it has to be evaluated.
func (c *candidate) needed() bool {
	if len(c.failures) > 0 || c.same != nil {
		return false
	}
	return c.force || c.old == nil || c.old.source != c.source || c.old.bundle.Hash != c.bundle.Hash || c.old.broker.earlyNow() != c.old.early
}

func (c *candidate) build(ctx context.Context) {
	begin := time.Now()
	b, err := c.host.build(ctx, c.source)
	c.spent = time.Since(begin)
	var fails *bundle.Failures
	if errors.As(err, &fails) {
		p := place{root: c.host.opts.codeRoot(), sources: fails}
		for _, f := range fails.List {
			c.failures = append(c.failures, p.failure(c.source.ID, f))
		}
		c.fails = fails
		c.graph, c.stamp = fails.Graph, c.host.stamps.Of(c.host.bundling(c.source), fails.Graph, true)
		return
	}
	c.bundle, c.graph, c.stamp = b, b.Graph, c.host.stamps.Of(c.host.bundling(c.source), b.Graph, false)
}

// mentions reports whether the code holds a tool's name. One that could not be
// bundled may hold anything.
func (c *candidate) mentions(tool string) bool {
	return c.bundle != nil && bytes.Contains(c.bundle.Script, []byte(tool))
}

func (c *candidate) evaluate(ctx context.Context) {
	h := c.host
	begin := time.Now()
	defer func() { c.took = time.Since(begin) }()
	g := &generation{
		source: c.source, bundle: c.bundle, factory: h.factory, timeout: h.opts.LoadTimeout,
		place: place{root: h.opts.codeRoot(), sources: c.bundle},
		broker: &broker{extension: c.source.ID, log: h.opts.Logger, desk: h.desk, files: h.filesFor(), registry: h.opts.Registry, onSecret: h.opts.OnSecret, environ: h.opts.Environ,
			state: h.stateOf(c.source), fileOps: make(slots, maxFileOps), started: make(slots, maxPrograms)},
		model:    h.currentModel,
		disabled: func() *registry.Failure { return h.disabledFailure(c.source.ID, c.bundle.Hash) },
		load: wire.LoadRequest{
			Extension: c.source.ID, Script: c.bundle.Script, SourceMap: c.bundle.SourceMap, Hash: c.bundle.Hash,
			ProjectRoot: filepath.ToSlash(h.opts.Root), ExtensionDir: filepath.ToSlash(c.source.Dir),
			Model: h.currentModel(), Survey: h.opts.Inspect != nil,
		},
	}
	g.broker.net = g.broker.newClient(permission.ClientOptions{Proxy: h.opts.Proxy, CAs: h.opts.CAs, Transport: h.opts.Transport})
	g.ctx, g.stop = context.WithCancel(context.Background())
	ctx, cancel := context.WithTimeoutCause(ctx, c.left(), wire.ErrDeadline)
	defer cancel()
	sb, m, f := c.load(ctx, g)
	if f == nil {
		f = c.admit(g, m)
	}
	if f == nil && g.broker.missedEarly() {
		// The module read variables at its top level that only its manifest
		// could grant it.
		_ = sb.Close()
		var again *wire.Manifest
		if sb, again, f = c.load(ctx, g); f == nil {
			access, err := h.accessFor(c.source, again)
			if err != nil || access.Key() != g.broker.access.Load().Key() {
				f = &wire.Failure{Stage: wire.StagePermission, Position: m.Keys["permissions"],
					Message: "the manifest's permissions change with the environment", Hint: "write them out"}
			}
			m = again
		}
	}
	if f == nil {
		g.manifest = *m
		f = g.onLoad(ctx, sb)
	}
	if f != nil {
		if sb != nil {
			_ = sb.Close()
		}
		g.stop()
		g.broker.close()
		if f.Position.File == "" {
			f.Position = c.entryPosition()
		}
		c.failures = []Failure{g.place.failure(c.source.ID, *f)}
		return
	}
	g.shared, g.early = sb, g.broker.earlyNow()
	c.made = g
}

// left is how long evaluation may take: what bundling left of the time for both,
// and never so little that a busy machine alone uses it up.
func (c *candidate) left() time.Duration {
	whole := c.host.opts.LoadTimeout
	return max(whole-c.spent, min(whole/4, 500*time.Millisecond))
}

// load evaluates the bundle in a new sandbox.
func (c *candidate) load(ctx context.Context, g *generation) (wire.Sandbox, *wire.Manifest, *wire.Failure) {
	sb, err := c.host.factory.NewSandbox(g.broker)
	if err != nil {
		return nil, nil, &wire.Failure{Stage: wire.StageEvaluate, Message: err.Error()}
	}
	res, err := sb.Load(ctx, g.load)
	switch {
	case err != nil:
		return sb, nil, &wire.Failure{Stage: wire.StageEvaluate, Message: err.Error()}
	case res.Failure != nil:
		c.survey = res.Survey
		return sb, nil, res.Failure
	}
	c.manifest, c.survey = &res.Manifest, res.Survey
	return sb, &res.Manifest, nil
}

// admit checks what the manifest asks for, and gives the extension its access.
func (c *candidate) admit(g *generation, m *wire.Manifest) *wire.Failure {
	if f := checkEngine(*m); f != nil {
		return f
	}
	access, err := c.host.accessFor(c.source, m)
	if err != nil {
		return &wire.Failure{Stage: wire.StagePermission, Position: m.Keys["permissions"], Message: err.Error(), Hint: permissionHint(err)}
	}
	g.broker.access.Store(access)
	g.broker.settings = func(ctx context.Context, env func(string) (string, string, bool)) resolvedSettings {
		return c.host.settings(ctx, c.source, m.Settings, env)
	}
	return nil
}

// entryPosition stands for the module as a whole where nothing better is known.
func (c *candidate) entryPosition() wire.Position {
	rel, err := filepath.Rel(c.source.Dir, c.source.Entry)
	if err != nil {
		return wire.Position{}
	}
	return wire.Position{File: filepath.ToSlash(rel)}
}

// checkEngine compares engines.rhoExt with this program.
func checkEngine(m wire.Manifest) *wire.Failure {
	if m.Engine == "" {
		return nil
	}
	want, err := semver.NewConstraint(m.Engine)
	if err != nil {
		return &wire.Failure{Stage: wire.StageManifest, Position: m.Keys["engines"], Message: fmt.Sprintf("engines.rhoExt: %q is no version range", m.Engine), Hint: `write a range such as ">=0.1"`}
	}
	if !want.Check(semver.MustParse(version.Version)) {
		return &wire.Failure{Stage: wire.StageManifest, Position: m.Keys["engines"],
			Message: fmt.Sprintf("the extension needs rho-ext %s, and this is %s", m.Engine, version.Version),
			Hint:    "update rho-ext, or use an older version of the extension"}
	}
	return nil
}

// refusal says why the registry did not take the extension's tools.
func (c *candidate) refusal(err error) Failure {
	f := wire.Failure{Stage: wire.StageManifest, Message: err.Error(), Position: c.entryPosition()}
	name, key := "", ""
	var dup *registry.DuplicateError
	var reserved *registry.ReservedError
	var invalid *registry.InvalidToolError
	switch {
	case errors.As(err, &dup):
		name, key = dup.Name, registry.RuleName
		f.Hint = "rename the tool, or remove one of the two"
	case errors.As(err, &reserved):
		name, key = reserved.Name, registry.RuleName
		f.Hint = "give the tool another name"
	case errors.As(err, &invalid):
		name, key = invalid.Name, invalid.Rule // rules are called as the members
		switch key {
		case registry.RuleParameters:
			f.Hint = `correct the schema; such as parameters: { path: { type: "string", description: "…" } }`
		case registry.RuleOutput:
			f.Hint = "correct the schema, or leave output out"
		}
	}
	for _, t := range c.made.manifest.Tools {
		if t.Name == name && t.Location.File != "" {
			f.Position = t.Location
			if p, ok := t.Keys[key]; ok {
				f.Position = p
			}
		}
	}
	return c.made.place.failure(c.source.ID, f)
}
