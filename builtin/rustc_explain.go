package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/internal/proc"
	"github.com/rho-ext/rho-ext/registry"
)

//go:embed rustc_explain.md
var rustcExplainDescription string

type rustcExplainArgs struct {
	ErrorCode string `json:"error_code" description:"The code, such as E0308" pattern:"^[Ee]?[0-9]{1,4}$"`
}

// newRustcExplain makes the tool rustc_explain. It starts one program with one
// checked argument, in a place where no file of the project chooses which
// compiler that is, so that it counts as reading.
func newRustcExplain(p *programs) registry.Tool {
	return registry.MustTool(registry.TypedOptions{
		Name: "rustc_explain", Description: strings.TrimSpace(rustcExplainDescription), Risk: registry.Read,
		Info: registry.Info{Title: "Explain a Rust error", Kind: registry.KindRead, Examples: []registry.Example{{Args: json.RawMessage(`{"error_code":"E0308"}`)}}},
	}, func(ctx context.Context, a rustcExplainArgs) (string, error) {
		digits := strings.TrimLeft(a.ErrorCode, "Ee")
		code := "E" + strings.Repeat("0", 4-len(digits)) + digits
		res, err := p.run(ctx, proc.Command{Path: "rustc", Args: []string{"--explain", code}, Dir: topDir(), Timeout: 20 * time.Second, Grace: commandGrace})
		if res == nil {
			return "", startFailure(err, "there is no rustc program in PATH: install Rust from https://rustup.rs or your system's packages")
		}
		text := strings.TrimSpace(res.Stdout.String())
		switch {
		case ended(ctx) != nil:
			return "", ended(ctx)
		case res.TimedOut:
			return "", registry.NewFailure(registry.KindTimeout, "rustc --explain was ended after 20s")
		case strings.Contains(res.Stderr.String(), "not a valid error code"):
			f := registry.NewFailure(registry.KindNotFound, code+" is not an error code that this compiler knows")
			f.Code = "unknown_error_code"
			return "", f
		case res.ExitCode != 0:
			return "", registry.Failuref(registry.KindOther, "rustc --explain %s failed with exit code %d: %s", code, res.ExitCode, tailOf(res.Stderr.String(), 2000))
		case text == "":
			return code + " has no longer explanation", nil
		}
		return text, nil
	})
}

// topDir is the top of the file system, which nobody but the system writes to.
func topDir() string {
	dir, err := filepath.Abs(".")
	if err != nil {
		return "/"
	}
	return filepath.VolumeName(dir) + string(filepath.Separator)
}
