package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/check"
	"github.com/rho-ext/rho-ext/registry"
)

func (a *app) checkCommand() *cobra.Command {
	var strict bool
	var format string
	cmd := &cobra.Command{
		Use:   "check [PATH]",
		Short: "Say what is wrong with extensions, without running a tool",
		Long: `Say what is wrong with extensions, without running a tool: what does not load,
what a model is not told, what will be refused, what the sandbox does not have.

PATH is an extension (its file, folder or id) or a folder with extensions; without
one, all that the project and you have, and those of --extensions. They are loaded
in a locked-down process and granted nothing, so a project need not be trusted.
Types are checked by the project's own tsc where there is one, and then only in a
project that you trust.

A comment on the line above a finding silences it:

  // rho-ext-ignore RULE: reason

With GITHUB_ACTIONS=true in the environment the findings are annotations.

Exit status: 0 when nothing is wrong, 1 with errors (with --strict also with
warnings), 2 when PATH names nothing to check.`,
		Example: `  rho-ext check
  rho-ext check .rho/extensions/weather.ts
  rho-ext check --strict --extensions examples/extensions
  rho-ext check --format github`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return usage("check takes one path, got %d arguments: %q; put the extensions into one folder, or name none", len(args), args)
			case len(args) == 1 && args[0] == "":
				return usage("check was given an empty path; leave it out to check everything")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case format == "" && os.Getenv("GITHUB_ACTIONS") == "true":
				format = "github"
			case format == "":
				format = "text"
			case format != "text" && format != "github":
				return usage("--format %q: expected text or github", format)
			}
			path := ""
			if len(args) > 0 {
				path = args[0]
			}
			report, err := a.check(cmd.Context(), path)
			if err != nil {
				return err
			}
			switch {
			case a.json:
				err = a.printJSON(report)
			case format == "github":
				err = a.printAnnotations(report)
			default:
				err = a.printReport(report)
			}
			if err != nil {
				return written(err)
			}
			if report.Failed(strict) {
				return &exitError{code: exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "fail with warnings, too")
	cmd.Flags().StringVar(&format, "format", "", "print as text or, for GitHub Actions, as annotations: text or github (default text)")
	return cmd
}

// check runs the linter with what the flags and the configuration say.
func (a *app) check(ctx context.Context, path string) (*check.Report, error) {
	if err := a.checkFlags(); err != nil {
		return nil, err
	}
	if a.isolation == host.InProcess.String() {
		return nil, usage("--isolation in-process: check looks at code that nobody trusts yet, and loads it in a process of its own; leave the flag out")
	}
	root, c, err := a.configured()
	if err != nil {
		return nil, err
	}
	redactor, err := redactorOf(c)
	if err != nil {
		return nil, usage("redaction: %v", err)
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		real = root
	}
	_, cas, err := networkOf(c)
	if err != nil {
		return nil, usage("%v", err)
	}
	reg := registry.New()
	if err := registerBuiltins(reg, root, real, c, cas, redactor); err != nil {
		return nil, fail(exitFailed, "%v", err)
	}
	defer func() { _ = reg.Swap("", nil) }()
	trusted, _ := a.trusted(real)
	report, err := check.Run(ctx, check.Options{
		Host: host.Options{
			Root: root, Dirs: c.Extensions.Dirs, Registry: reg, LoadTimeout: c.Sandbox.LoadTimeout,
			Enabled: c.Extensions.Enabled, Disabled: c.Extensions.Disabled,
		},
		Path: path, Trusted: trusted,
	})
	var nothing *check.PathError
	switch {
	case errors.As(err, &nothing):
		return nil, usage("%v", nothing)
	case ctx.Err() != nil:
		return nil, fail(exitInterrupted, "interrupted")
	case err != nil:
		return nil, fail(exitFailed, "%v", err)
	}
	for i := range report.Findings {
		f := &report.Findings[i]
		f.Message, f.Hint, f.Frame = redactor.Redact(f.Message), redactor.Redact(f.Hint), redactor.Redact(f.Frame)
	}
	return report, nil
}
