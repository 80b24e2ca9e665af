package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rho-ext/rho-ext/registry"
)

//go:embed cargotest.md
var cargoTestDescription string

type cargoTestArgs struct {
	TestName          string   `json:"test_name,omitempty" description:"Part of the names of the tests to run" pattern:"^[A-Za-z0-9_][A-Za-z0-9_:.<>() /-]*$" max:"500"`
	Package           string   `json:"package,omitempty" description:"One package of the workspace" pattern:"^[A-Za-z0-9_][A-Za-z0-9_-]*(@[0-9][A-Za-z0-9.+-]*)?$" max:"200"`
	Workspace         bool     `json:"workspace,omitempty" description:"All packages of the workspace"`
	Features          []string `json:"features,omitempty" description:"Features to turn on" pattern:"^[A-Za-z0-9_][A-Za-z0-9_+./?-]*$"`
	AllFeatures       bool     `json:"all_features,omitempty"`
	NoDefaultFeatures bool     `json:"no_default_features,omitempty"`
	Target            string   `json:"target,omitempty" description:"Target triple" pattern:"^[a-z0-9_][A-Za-z0-9_-]*(\\.[A-Za-z0-9_-]+)*$" max:"100"`
	Cwd               string   `json:"cwd,omitempty" description:"Directory of the package or workspace, relative to the project root"`
}

// newCargoTest makes the tool cargo_test. Its file is not cargo_test.go, which
// would be a test.
func newCargoTest(p *programs) registry.Tool {
	return registry.MustTool(registry.TypedOptions{
		Name: "cargo_test", Description: strings.TrimSpace(cargoTestDescription), Risk: registry.Read,
		Info: buildInfo("Cargo test", schemaOf[testAnswer](),
			registry.Example{Args: json.RawMessage(`{}`)},
			registry.Example{Args: json.RawMessage(`{"test_name":"parser::"}`)}),
	}, p.cargoTest)
}

func (p *programs) cargoTest(ctx context.Context, a cargoTestArgs) (*registry.Result, error) {
	var last []string
	if a.TestName != "" {
		last = []string{"--", a.TestName}
	}
	res, dir, err := p.cargo(ctx, cargoArgs{Package: a.Package, Workspace: a.Workspace, Features: a.Features, AllFeatures: a.AllFeatures,
		NoDefaultFeatures: a.NoDefaultFeatures, Target: a.Target, Cwd: a.Cwd}, []string{"test", "--no-fail-fast", "--message-format=json"}, last...)
	if err != nil {
		return nil, err
	}
	d, lines := cargoMessages(outputBytes(res.Stdout), p.jail.Root(), dir)
	t := libtest{testAnswer: testAnswer{Failures: []testFailure{}}}
	for _, line := range lines {
		t.line(line)
	}
	t.end()
	ans := t.testAnswer
	ans.ExitCode, ans.Diagnostics, ans.DurationMS = res.ExitCode, d.shapes(), millis(res.Duration)
	ans.OK = res.ExitCode == 0 && ans.Failed == 0
	if !ans.OK && len(ans.Failures) == 0 {
		ans.Stderr = tailOf(cargoStderr(res.Stderr.String()), 8000)
	}
	text := ans.text("cargo test", d, ans.Stderr)
	if ans.OK && ans.Passed+ans.Ignored == 0 {
		if a.TestName != "" {
			ans.OK = false
			text = fmt.Sprintf("cargo test: no test has a name with %q; %d were left out", a.TestName, ans.FilteredOut)
		} else {
			text = "cargo test: there are no tests"
		}
	}
	r, err := answer(text, ans, !ans.OK)
	if err == nil && len(d) > 0 {
		r.Details = d
	}
	return r, err
}
