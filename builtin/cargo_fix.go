package builtin

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rho-ext/rho-ext/registry"
)

//go:embed cargo_fix.md
var cargoFixDescription string

type cargoFixArgs struct {
	Package           string   `json:"package,omitempty" description:"One package of the workspace" pattern:"^[A-Za-z0-9_][A-Za-z0-9_-]*(@[0-9][A-Za-z0-9.+-]*)?$" max:"200"`
	Workspace         bool     `json:"workspace,omitempty" description:"All packages of the workspace"`
	Features          []string `json:"features,omitempty" description:"Features to turn on" pattern:"^[A-Za-z0-9_][A-Za-z0-9_+./?-]*$"`
	AllFeatures       bool     `json:"all_features,omitempty"`
	NoDefaultFeatures bool     `json:"no_default_features,omitempty"`
	Target            string   `json:"target,omitempty" description:"Target triple" pattern:"^[a-z0-9_][A-Za-z0-9_-]*(\\.[A-Za-z0-9_-]+)*$" max:"100"`
	AllTargets        bool     `json:"all_targets,omitempty" description:"Tests, examples and benchmarks as well"`
	Clippy            bool     `json:"clippy,omitempty" description:"Apply Clippy's suggestions as well"`
	Cwd               string   `json:"cwd,omitempty" description:"Directory of the package or workspace, relative to the project root"`
}

// fixAnswer tells what was changed.
type fixAnswer struct {
	OK          bool              `json:"ok"`
	ExitCode    int               `json:"exitCode"`
	Changed     []string          `json:"changed" description:"Files, relative to the project root"`
	Errors      int               `json:"errors"`
	Warnings    int               `json:"warnings"`
	Diagnostics []diagnosticShape `json:"diagnostics" description:"What is left"`
	Stderr      string            `json:"stderr,omitempty"`
	DurationMS  float64           `json:"durationMs"`
}

// newCargoFix makes the tool cargo_fix.
func newCargoFix(p *programs) registry.Tool {
	info := buildInfo("Cargo fix", schemaOf[fixAnswer](), registry.Example{Args: json.RawMessage(`{}`)})
	info.Annotations = nil
	return registry.MustTool(registry.TypedOptions{
		Name: "cargo_fix", Description: strings.TrimSpace(cargoFixDescription), Risk: registry.Write, Info: info,
	}, p.cargoFix)
}

func (p *programs) cargoFix(ctx context.Context, a cargoFixArgs) (*registry.Result, error) {
	c := cargoArgs{Package: a.Package, Workspace: a.Workspace, Features: a.Features, AllFeatures: a.AllFeatures,
		NoDefaultFeatures: a.NoDefaultFeatures, Target: a.Target, AllTargets: a.AllTargets, Cwd: a.Cwd}
	command, what := []string{"fix"}, "cargo fix"
	if a.Clippy {
		command, what = []string{"clippy", "--fix"}, "cargo clippy --fix"
	}
	before := sources(p.jail.Root())
	res, dir, err := p.cargo(ctx, c, append(command, "--allow-dirty", "--allow-staged", "--allow-no-vcs", "--message-format=json"))
	changed := changes(before, sources(p.jail.Root()))
	call := registry.CallFrom(ctx)
	for _, f := range changed {
		call.RecordUse(registry.Use{Kind: "file", Target: f, Effect: "write", Grant: "default"})
	}
	if err != nil {
		return nil, err
	}
	d, _ := cargoMessages(outputBytes(res.Stdout), p.jail.Root(), dir)
	ans := fixAnswer{ExitCode: res.ExitCode, Changed: changed, Errors: d.count("error"), Warnings: d.count("warning"), Diagnostics: d.shapes(), DurationMS: millis(res.Duration)}
	ans.OK = res.ExitCode == 0 && ans.Errors == 0
	text := what + ": nothing was changed"
	if len(changed) > 0 {
		text = what + ": changed " + strconv.Itoa(len(changed)) + " file(s): " + strings.Join(changed, ", ")
	}
	if !ans.OK {
		ans.Stderr = tailOf(cargoStderr(res.Stderr.String()), 8000)
		text = what + " failed with exit code " + strconv.Itoa(res.ExitCode) + "\n" + strings.TrimPrefix(text, what+": ")
	}
	if len(d) > 0 {
		text += "\n\nleft to do: " + strings.TrimPrefix(d.headline(""), ": ") + "\n\n" + d.text()
	}
	if ans.Stderr != "" {
		text += "\n\n" + ans.Stderr
	}
	r, err := answer(text, ans, !ans.OK)
	if err == nil && len(d) > 0 {
		r.Details = d
	}
	return r, err
}

// maxSources is how many source files are compared.
const maxSources = 20_000

// sources are the checksums of the Rust sources of a project, without what is
// built.
func sources(root string) map[string][sha256.Size]byte {
	sums := map[string][sha256.Size]byte{}
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be read cannot be fixed either
		case e.IsDir() && path != root && (e.Name() == "target" || strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules"):
			return fs.SkipDir
		case len(sums) >= maxSources:
			return fs.SkipAll
		case !e.Type().IsRegular() || filepath.Ext(path) != ".rs":
			return nil
		}
		data, err := os.ReadFile(path)
		if rel, bad := filepath.Rel(root, path); err == nil && bad == nil {
			sums[filepath.ToSlash(rel)] = sha256.Sum256(data)
		}
		return nil
	})
	return sums
}

// changes are the files that differ.
func changes(before, after map[string][sha256.Size]byte) []string {
	out := []string{}
	for name, sum := range after {
		if old, ok := before[name]; !ok || old != sum {
			out = append(out, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
