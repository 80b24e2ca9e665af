package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/builtin"
	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/internal/version"
	"github.com/rho-ext/rho-ext/registry"
)

type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// app is one run of the program: its streams and the global flags.
type app struct {
	streams
	root       string
	rootGiven  bool // --root was given, if only as an empty text
	extensions []string
	isolation  string
	timeout    time.Duration
	logLevel   string
	allowNet   []string
	json       bool
}

// run is the whole program but for the process around it.
func run(ctx context.Context, args []string, s streams) int {
	a := &app{streams: s}
	root := a.command()
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(ctx)
	var exit *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		if exit.message != "" {
			fmt.Fprintln(s.err, a.paint(red, "error:"), clean(exit.message))
		}
		return exit.code
	default: // cobra's own: unknown verbs, flags and arguments
		fmt.Fprintf(s.err, "%s %s\nrun 'rho-ext --help' for usage\n", a.paint(red, "error:"), clean(err.Error()))
		return exitUsage
	}
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "rho-ext",
		Short: "Run and serve tools for AI agents, written in TypeScript",
		Long: `rho-ext runs tools for AI agents that are written in TypeScript, in a sandbox,
beside built-in ones. A .ts file in .rho/extensions/ is an extension.`,
		Example: `  rho-ext list
  rho-ext run word_count --args '{"path":"README.md"}'
  rho-ext serve --mcp`,
		Version:       version.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			a.rootGiven = cmd.Flags().Changed("root")
		},
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	f := root.PersistentFlags()
	f.StringVar(&a.root, "root", "", "the project's root `DIR` (default: found from the current directory)")
	f.StringArrayVar(&a.extensions, "extensions", nil, "a further `DIR` with extensions; may be repeated, a later one wins")
	f.StringVar(&a.isolation, "isolation", "in-process", "the `MODE` in which extensions run: in-process (process is not available yet)")
	f.DurationVar(&a.timeout, "timeout", 0, "deadline of a call, a `TIME` such as 5s or 300ms (default: the tool's own, else 30s)")
	f.StringVar(&a.logLevel, "log-level", "info", "lowest `LEVEL` of log lines on stderr: debug, info, warn, error or off")
	f.StringArrayVar(&a.allowNet, "allow-net", nil, "let extensions reach `HOST[:PORT]`; may be repeated")
	f.BoolVar(&a.json, "json", false, "print JSON on stdout (see docs/schemas)")
	root.AddCommand(a.runCommand(), a.listCommand(), a.infoCommand(), a.serveCommand(), a.versionCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	return root
}

// one is for a verb that takes one argument and nothing else.
func one(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usage("%s needs a %s, such as:\n%s", cmd.Name(), what, cmd.Example)
		case len(args) > 1:
			return usage("%s takes one %s, got %d arguments: %q; see rho-ext %[1]s --help", cmd.Name(), what, len(args), args)
		case args[0] == "":
			return usage("%s needs a %s, got an empty one; see rho-ext list", cmd.Name(), what)
		default:
			return nil
		}
	}
}

// workspace is what every verb but version needs: the tools and the door.
type workspace struct {
	host *host.Host
	reg  *registry.Registry
	door *registry.Door
	log  *slog.Logger
}

func (w *workspace) close() { _ = w.host.Close() }

// open loads the extensions. tool limits that to what one tool needs.
func (a *app) open(ctx context.Context, tool string) (*workspace, error) {
	isolation, err := host.ParseIsolation(a.isolation)
	if err != nil {
		return nil, usage("--isolation: %v", err)
	}
	if isolation == host.Process {
		return nil, usage("--isolation process is not available in this version; leave the flag out, or use --isolation in-process")
	}
	if a.timeout < 0 {
		return nil, usage("--timeout must not be negative, got %s", a.timeout)
	}
	logger, err := a.logger()
	if err != nil {
		return nil, err
	}
	if slices.Contains(a.extensions, "") {
		return nil, usage("--extensions is empty; expected a folder, such as --extensions examples/extensions")
	}
	var rules []permission.NetRule
	for _, s := range a.allowNet {
		rule, err := permission.ParseNetRule(s)
		if err != nil {
			return nil, usage("--allow-net: %v", err)
		}
		rules = append(rules, rule)
	}
	root, err := a.findRoot()
	if err != nil {
		return nil, err
	}
	reg := registry.New()
	if err := builtin.Register(reg, builtin.Options{Root: root}); err != nil {
		return nil, fail(exitFailed, "%v", err)
	}
	h, err := host.New(ctx, host.Options{
		Isolation: isolation, Root: root, Dirs: a.extensions, Registry: reg,
		Tool: tool, AllowNet: rules, Logger: logger,
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, fail(exitInterrupted, "interrupted")
		}
		return nil, fail(exitFailed, "%v", err)
	}
	door := registry.NewDoor(reg, &registry.DoorOptions{ForceTimeout: a.timeout, ProjectRoot: root, Logger: logger})
	return &workspace{host: h, reg: reg, door: door, log: logger}, nil
}

func (a *app) findRoot() (string, error) {
	if a.rootGiven {
		if a.root == "" {
			return "", usage("--root is empty; expected the project's folder, such as --root .")
		}
		root, err := filepath.Abs(a.root)
		if err != nil {
			return "", usage("--root: %v", err)
		}
		st, err := os.Stat(root)
		if err != nil {
			return "", usage("--root: %v", err)
		}
		if !st.IsDir() {
			return "", usage("--root: %s is not a folder", a.root)
		}
		return root, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fail(exitFailed, "the current directory: %v", err)
	}
	root, err := host.FindRoot(dir)
	if err != nil {
		return "", usage("%v", err)
	}
	return root, nil
}

func (a *app) logger() (*slog.Logger, error) {
	if a.logLevel == "off" {
		return slog.New(slog.DiscardHandler), nil
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.logLevel)); err != nil {
		return nil, usage("--log-level: unknown level %q; expected debug, info, warn, error or off", a.logLevel)
	}
	return slog.New(&lineHandler{app: a, level: level}), nil
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of rho-ext and of the engines inside",
		Example: "  rho-ext version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := version.Read()
			if a.json {
				return written(a.printJSON(v))
			}
			_, err := fmt.Fprintf(a.out, "rho-ext %s (%s, goja %s, esbuild %s)\n", v.Version, v.Go, v.Goja, v.Esbuild)
			return written(err)
		},
	}
}
