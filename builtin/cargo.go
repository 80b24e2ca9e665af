package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/rho-ext/rho-ext/internal/proc"
	"github.com/rho-ext/rho-ext/registry"
)

// cargoArgs are the arguments of all Cargo tools.
type cargoArgs struct {
	Package           string   `json:"package,omitempty" description:"One package of the workspace" pattern:"^[A-Za-z0-9_][A-Za-z0-9_-]*(@[0-9][A-Za-z0-9.+-]*)?$" max:"200"`
	Workspace         bool     `json:"workspace,omitempty" description:"All packages of the workspace"`
	Features          []string `json:"features,omitempty" description:"Features to turn on" pattern:"^[A-Za-z0-9_][A-Za-z0-9_+./?-]*$"`
	AllFeatures       bool     `json:"all_features,omitempty"`
	NoDefaultFeatures bool     `json:"no_default_features,omitempty"`
	Target            string   `json:"target,omitempty" description:"Target triple" pattern:"^[a-z0-9_][A-Za-z0-9_-]*(\\.[A-Za-z0-9_-]+)*$" max:"100"`
	AllTargets        bool     `json:"all_targets,omitempty" description:"Tests, examples and benchmarks as well"`
	Cwd               string   `json:"cwd,omitempty" description:"Directory of the package or workspace, relative to the project root"`
}

const noCargo = "there is no cargo program in PATH: install Rust from https://rustup.rs or your system's packages"

func (a cargoArgs) flags() (flags []string) {
	add := func(on bool, flag string) {
		if on {
			flags = append(flags, flag)
		}
	}
	add(a.Package != "", "--package="+a.Package)
	add(a.Workspace, "--workspace")
	add(len(a.Features) > 0, "--features="+strings.Join(a.Features, ","))
	add(a.AllFeatures, "--all-features")
	add(a.NoDefaultFeatures, "--no-default-features")
	add(a.Target != "", "--target="+a.Target)
	add(a.AllTargets, "--all-targets")
	return flags
}

// check refuses what goes together badly.
func (a cargoArgs) check() error {
	if a.Package != "" && a.Workspace {
		return invalid("package and workspace: give one of them")
	}
	if strings.HasSuffix(a.Target, ".json") {
		return invalid("target: expected a target triple such as x86_64-unknown-linux-gnu, got %q", a.Target)
	}
	return nil
}

// cargo runs a command of cargo in a directory of the project. last are
// arguments behind the flags.
func (p *programs) cargo(ctx context.Context, a cargoArgs, command []string, last ...string) (res *proc.Result, dir string, err error) {
	if err := a.check(); err != nil {
		return nil, "", err
	}
	if dir, err = p.dir(ctx, a.Cwd); err != nil {
		return nil, "", err
	}
	args := append(append(command, a.flags()...), last...)
	res, err = p.run(ctx, proc.Command{
		Path: "cargo", Args: args, Dir: dir, Timeout: buildTimeout, Grace: commandGrace, MaxOutput: 2 * buildOutput,
		Env:      proc.Environment{Set: map[string]string{"CARGO_TERM_COLOR": "never", "CARGO_TERM_PROGRESS_WHEN": "never", "NO_COLOR": "1", "RUST_BACKTRACE": "0"}},
		OnOutput: progress(registry.CallFrom(ctx)),
	})
	if res == nil {
		return nil, "", startFailure(err, noCargo)
	}
	if err := ended(ctx); err != nil {
		return nil, "", err
	}
	if res.TimedOut {
		return nil, "", registry.NewFailure(registry.KindTimeout, "cargo "+command[0]+" was ended after "+buildTimeout.String())
	}
	return res, dir, nil
}

// cargoBuild is what the tools that check have in common.
func (p *programs) cargoBuild(ctx context.Context, what string, a cargoArgs, command ...string) (*registry.Result, error) {
	res, dir, err := p.cargo(ctx, a, append(command, "--message-format=json"))
	if err != nil {
		return nil, err
	}
	d, _ := cargoMessages(outputBytes(res.Stdout), p.jail.Root(), dir)
	return buildResult(what, res, d, cargoStderr(res.Stderr.String()), nil)
}

func outputBytes(o proc.Output) []byte {
	if !o.Truncated {
		return o.Head
	}
	return append(append(bytes.Clone(o.Head), '\n'), o.Tail...)
}

// cargoStderr is what cargo says without the lines that tell its progress.
func cargoStderr(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "Compiling", "Checking", "Finished", "Updating", "Locking", "Adding", "Downloading", "Downloaded", "Blocking", "Fresh", "Running", "Doc-tests":
		default:
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String())
}

// cargoLine is a line of cargo's messages in JSON.
type cargoLine struct {
	Reason  string        `json:"reason"`
	Message *rustcMessage `json:"message"`
	Target  struct {
		SrcPath string `json:"src_path"`
	} `json:"target"`
}

type rustcMessage struct {
	Message string `json:"message"`
	Code    *struct {
		Code string `json:"code"`
	} `json:"code"`
	Level string `json:"level"`
	Spans []struct {
		FileName      string  `json:"file_name"`
		LineStart     int     `json:"line_start"`
		LineEnd       int     `json:"line_end"`
		ColumnStart   int     `json:"column_start"`
		ColumnEnd     int     `json:"column_end"`
		IsPrimary     bool    `json:"is_primary"`
		Label         *string `json:"label"`
		Replacement   *string `json:"suggested_replacement"`
		Applicability *string `json:"suggestion_applicability"`
	} `json:"spans"`
	Children []rustcMessage `json:"children"`
	Rendered *string        `json:"rendered"`
}

// cargoMessages reads the compiler's messages out of cargo's output. Warnings
// about code outside of the project are left out; errors never. The lines that
// are no messages come back as well: what tests print.
func cargoMessages(out []byte, root, dir string) (d Diagnostics, other []string) {
	seen := map[string]bool{}
	for line := range bytes.Lines(out) {
		var m cargoLine
		if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &m) != nil || m.Reason == "" {
			other = append(other, string(line))
			continue
		}
		if m.Reason != "compiler-message" || m.Message == nil || m.Message.Level == "failure-note" {
			continue
		}
		if m.Message.Code == nil && len(m.Message.Spans) == 0 && (strings.HasPrefix(m.Message.Message, "aborting due to") || strings.Contains(m.Message.Message, "warning emitted") || strings.Contains(m.Message.Message, "warnings emitted")) {
			continue
		}
		if m.Message.Level != "error" && !isIn(root, m.Target.SrcPath) {
			continue
		}
		g := m.Message.diagnostic(dir)
		// The same code is compiled once for a library and once for its tests.
		key, _ := json.Marshal(g)
		if !seen[string(key)] {
			seen[string(key)] = true
			d = append(d, g)
		}
	}
	return d, other
}

func isIn(root, file string) bool {
	rel, err := filepath.Rel(root, file)
	return file == "" || err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func (m rustcMessage) diagnostic(dir string) Diagnostic {
	d := Diagnostic{Level: m.Level, Message: m.Message}
	if strings.HasPrefix(m.Level, "error") { // "error: internal compiler error" too
		d.Level = "error"
	}
	if m.Code != nil {
		d.Code = m.Code.Code
	}
	if m.Rendered != nil {
		d.Rendered = *m.Rendered
	}
	for _, s := range m.Spans {
		span := Span{File: relTo(dir, s.FileName), LineStart: s.LineStart, LineEnd: s.LineEnd, ColumnStart: s.ColumnStart, ColumnEnd: s.ColumnEnd, Primary: s.IsPrimary}
		if s.Label != nil {
			span.Label = *s.Label
		}
		if s.Replacement != nil {
			span.Suggestion = &Suggestion{Replacement: *s.Replacement, Applicability: "Unspecified"}
			if s.Applicability != nil {
				span.Suggestion.Applicability = *s.Applicability
			}
		}
		d.Spans = append(d.Spans, span)
	}
	for _, c := range m.Children {
		d.Children = append(d.Children, c.diagnostic(dir))
	}
	return d
}
