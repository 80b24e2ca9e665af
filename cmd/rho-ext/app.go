package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/internal/config"
	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/internal/redact"
	"github.com/rho-ext/rho-ext/internal/sessionlog"
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
	config     string
	isolation  string
	timeout    time.Duration
	logLevel   string
	allow      allowFlags
	keyboard   *terminal // where a person is asked, once it was needed
	yes        bool
	short      bool // the verb runs one tool and ends
	stays      bool // the verb serves until it is stopped
	asks       bool // the verb may ask the person at the terminal
	unlogged   bool // calls are not kept in the session log
	json       bool
	warned     map[string]bool

	hide *redact.Redactor // of secrets that were handed out; nil before any could be
}

// run is the whole program but for the process around it.
func run(ctx context.Context, args []string, s streams) int {
	a := &app{streams: s, allow: allowFlags{}}
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
	f.StringVar(&a.config, "config", "", "read this `FILE` in place of your own config.toml")
	f.StringVar(&a.isolation, "isolation", "", "the `MODE` in which extensions run: process (locked-down worker processes, the default of all verbs but run) or in-process")
	f.DurationVar(&a.timeout, "timeout", 0, "deadline of a call, a `TIME` such as 5s or 300ms (default: the tool's own, else 30s)")
	f.StringVar(&a.logLevel, "log-level", "", "lowest `LEVEL` of log lines on stderr: debug, info, warn, error or off (default info)")
	a.allow.register(f)
	f.BoolVar(&a.yes, "yes", false, "answer yes where the policy asks; it grants nothing and overrides no deny")
	f.BoolVar(&a.json, "json", false, "print JSON on stdout (see docs/schemas)")
	root.AddCommand(a.runCommand(), a.listCommand(), a.infoCommand(), a.serveCommand(), a.devCommand(), a.testCommand(), a.commandCommand(), a.hookCommand(), a.trustCommand(), a.grantCommand(),
		a.revokeCommand(), a.permissionsCommand(), a.secretCommand(), a.doctorCommand(), a.versionCommand())
	root.AddCommand(a.initCommand(), a.typesCommand(), a.completionCommand())
	root.AddCommand(a.checkCommand())
	root.AddCommand(a.bundleCommand(), a.benchCommand(), a.logsCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	a.completes(root)
	return root
}

// one is for a verb that takes one argument and nothing else.
func one(what string) cobra.PositionalArgs {
	article := "a"
	if strings.ContainsRune("AEIOU", rune(what[0])) {
		article = "an"
	}
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usage("%s needs %s %s, such as:\n%s", cmd.Name(), article, what, cmd.Example)
		case len(args) > 1:
			return usage("%s takes one %s, got %d arguments: %q; see rho-ext %[1]s --help", cmd.Name(), what, len(args), args)
		case args[0] == "":
			return usage("%s needs %s %s, got an empty one; see rho-ext list", cmd.Name(), article, what)
		default:
			return nil
		}
	}
}

// workspace is what every verb but version needs: the tools and the door.
type workspace struct {
	host   *host.Host
	reg    *registry.Registry
	door   *registry.Door
	log    *slog.Logger
	config *config.Config

	session *sessionlog.Log  // or nil
	hide    *redact.Redactor // of secrets that were handed out
}

// failures are those of the host, without secrets that were handed out.
func (w *workspace) failures() []host.Failure {
	list := w.host.Failures()
	for i := range list {
		f := &list[i]
		f.Message, f.Hint, f.Frame = w.hide.Redact(f.Message), w.hide.Redact(f.Hint), w.hide.Redact(f.Frame)
	}
	return list
}

func (w *workspace) close() {
	_ = w.host.Close()
	_ = w.reg.Swap("", nil) // ends what the built-in tools still run
	if w.session != nil {
		_ = w.session.Close()
	}
}

// open reads the configuration and loads the extensions. tool limits that to
// what one tool needs; gate answers where the policy asks.
func (a *app) open(ctx context.Context, tool string, gate registry.Gate) (*workspace, error) {
	if err := a.checkFlags(); err != nil {
		return nil, err
	}
	root, c, err := a.configured()
	if err != nil {
		return nil, err
	}
	w, err := a.openWith(ctx, tool, gate, root, c)
	if err == nil {
		a.warn(settingWarnings(c, w.host.Extensions()))
	}
	return w, err
}

func (a *app) openWith(ctx context.Context, tool string, gate registry.Gate, root string, c *config.Config) (*workspace, error) {
	isolation, err := a.isolationOf(c)
	if err != nil {
		return nil, err
	}
	redactor, err := redactorOf(c)
	if err != nil {
		return nil, usage("redaction: %v", err)
	}
	logger := a.logger(c.Log.Level, redactor)
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		real = root // host.New says what is wrong
	}
	allow, err := a.allow.grants(real)
	if err != nil {
		return nil, err
	}
	trusted, _ := a.trusted(real)
	store := a.kept()
	if store != nil {
		if _, err := store.Keys(); err != nil {
			a.warnOnce(err.Error())
		}
	}
	proxy, cas, err := networkOf(c)
	if err != nil {
		return nil, usage("%v", err)
	}
	var asker permission.Asker
	if p := a.person(); p != nil && a.asks {
		asker = p
	}
	session := a.openSession(real, c)
	keep := session
	defer func() {
		if keep != nil {
			_ = keep.Close()
		}
	}()
	if session != nil {
		logger = slog.New(registry.LogHandler(session, redactor, logger.Handler(), nil))
	}
	reg := registry.New()
	if err := registerBuiltins(reg, root, real, c, cas, redactor); err != nil {
		return nil, fail(exitFailed, "%v", err)
	}
	a.hide = redactor.Values()
	h, err := host.New(ctx, settingsFrom(host.Options{
		Isolation: isolation, Root: root, Dirs: c.Extensions.Dirs, Registry: reg,
		Enabled: c.Extensions.Enabled, Disabled: c.Extensions.Disabled,
		Tool: tool, Logger: logger, LoadTimeout: c.Sandbox.LoadTimeout,
		Trusted: trusted, IsTrusted: func() bool { yes, _ := a.trusted(real); return yes }, Home: dirs.Home(), Allow: allow, Grants: storeOf(store), AskPermission: asker, Proxy: proxy, CAs: cas,
		GrantCommand: a.again(), Workers: host.WorkerOptions{NoStandby: !a.stays},
	}, c, redactor))
	if err != nil {
		if ctx.Err() != nil {
			return nil, fail(exitInterrupted, "interrupted")
		}
		return nil, fail(exitFailed, "%v", err)
	}
	door, err := a.newDoor(reg, h.Root(), c, gate, redactor, logger, session)
	if err != nil {
		_ = h.Close()
		return nil, err
	}
	keep = nil
	return &workspace{host: h, reg: reg, door: door, log: logger, config: c, session: session, hide: a.hide}, nil
}

// configured finds the project's root and reads the configuration for it.
func (a *app) configured() (string, *config.Config, error) {
	root, err := a.findRoot()
	if err != nil {
		return "", nil, err
	}
	c, warnings, err := a.loadConfig(root)
	if err != nil {
		return "", nil, usage("%v", err)
	}
	a.warn(warnings)
	return root, c, nil
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
		// Two names of a project are one project, also for rules on paths.
		if root, err = filepath.EvalSymlinks(root); err != nil {
			return "", usage("--root: %v", err)
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
