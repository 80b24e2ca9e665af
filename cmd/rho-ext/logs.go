package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/internal/sessionlog"
	"github.com/rho-ext/rho-ext/registry"
)

type logFlags struct {
	follow bool
	tail   int
	since  string
	level  string
	tool   string
}

func (a *app) logsCommand() *cobra.Command {
	var f logFlags
	cmd := &cobra.Command{
		Use:   "logs [EXTENSION]",
		Short: "Show what extensions logged and which calls were made",
		Long: `Show the session log of this project: each call of a tool, how it ended and what
it touched, and each line that an extension logged, whichever program ran it. With
EXTENSION only what is of that one.

--follow goes on showing what is added, and ends when it is interrupted. With
--json each line on stdout is an entry. Lines that are damaged are skipped.`,
		Example: `  rho-ext logs --tail 20
  rho-ext logs weather --follow
  rho-ext logs --since 10m --level warn --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("logs takes one EXTENSION or none, got %d arguments: %q; see rho-ext logs --help", len(args), args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) == 1 {
				name = args[0]
			}
			if !cmd.Flags().Changed("tail") && f.since != "" {
				f.tail = 0
			}
			return a.logs(cmd.Context(), name, f)
		},
	}
	cmd.Flags().BoolVarP(&f.follow, "follow", "f", false, "go on showing what is added")
	cmd.Flags().IntVar(&f.tail, "tail", 100, "begin with the last `N` entries; 0 is all of them, which --since takes for granted")
	cmd.Flags().StringVar(&f.since, "since", "", "leave out what is older than a `TIME` ago, such as 10m or 2d, or than a date such as 2026-01-31")
	cmd.Flags().StringVar(&f.level, "level", "debug", "lowest `LEVEL` that is shown: debug, info, warn or error; a call that failed is an error, one that was refused a warning")
	cmd.Flags().StringVar(&f.tool, "tool", "", "only what is of the tool `NAME`")
	return cmd
}

// filter chooses entries.
type logFilter struct {
	extension, tool string
	level           slog.Level
	since           time.Time
}

func (f logFlags) filter(extension string) (*logFilter, error) {
	if f.tail < 0 {
		return nil, usage("--tail must not be negative, got %d", f.tail)
	}
	level, ok := levels[f.level]
	if !ok || f.level == "off" {
		return nil, usage("--level: unknown level %q; expected debug, info, warn or error", f.level)
	}
	since, err := sinceWhen(f.since, time.Now())
	return &logFilter{extension: extension, tool: f.tool, level: level, since: since}, err
}

// sinceWhen reads --since; nothing is the beginning.
func sinceWhen(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n >= 0 && n < 1e5 {
			return now.Add(-time.Duration(n * 24 * float64(time.Hour))), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage("--since: %q is no time; expected such as 10m, 2h, 3d or 2026-01-31", s)
}

func (a *app) logs(ctx context.Context, extension string, f logFlags) error {
	if err := a.checkFlags(); err != nil {
		return err
	}
	filter, err := f.filter(extension)
	if err != nil {
		return err
	}
	root, c, err := a.configured()
	if err != nil {
		return err
	}
	home := dirs.Home()
	if home == "" {
		return fail(exitFailed, "there is no session log: set HOME or %s", dirs.HomeVariable)
	}
	if !c.Log.Session {
		a.warnOnce("the session log is turned off (log.session); this is what is left of it")
	}
	dir := realPath(sessionDir(home, realPath(root)))
	v := &logView{app: a, filter: filter}
	follower := sessionlog.NewFollower(dir)
	last, broken, err := lastEntries(dir, follower, f, filter)
	if err != nil {
		return fail(exitFailed, "%v", err)
	}
	for _, e := range last {
		v.show(e)
	}
	v.damaged(broken)
	if f.follow {
		followLog(ctx, dir, follower, func(e sessionlog.Entry) {
			if filter.takes(e) {
				v.show(e)
			}
		}, v.damaged)
	} else if len(last) == 0 {
		fmt.Fprintln(a.err, "nothing is in the log of this project"+filter.text())
	}
	return written(v.err)
}

// lastEntries reads the log until now.
func lastEntries(dir string, follower *sessionlog.Follower, f logFlags, filter *logFilter) (last []sessionlog.Entry, broken int, err error) {
	take := func(e sessionlog.Entry) {
		if !filter.takes(e) {
			return
		}
		if last = append(last, e); f.tail > 0 && len(last) >= 2*f.tail {
			last = append([]sessionlog.Entry{}, last[len(last)-f.tail:]...)
		}
	}
	if f.follow {
		broken = follower.Look(take)
	} else {
		broken, err = sessionlog.Read(dir, func(e sessionlog.Entry) error { take(e); return nil })
	}
	if f.tail > 0 && len(last) > f.tail {
		last = last[len(last)-f.tail:]
	}
	return last, broken, err
}

// takes reports whether an entry is to be shown.
func (f *logFilter) takes(e sessionlog.Entry) bool {
	if e.Time.Before(f.since) {
		return false
	}
	about, level := aboutEntry(e)
	return level >= f.level && (f.extension == "" || about.Extension == f.extension) && (f.tool == "" || about.Tool == f.tool)
}

// text says what was chosen, for people.
func (f *logFilter) text() string {
	var parts []string
	if f.extension != "" {
		parts = append(parts, "of the extension "+cleanLine(f.extension))
	}
	if f.tool != "" {
		parts = append(parts, "of the tool "+cleanLine(f.tool))
	}
	if f.level > slog.LevelDebug {
		parts = append(parts, "from the level "+strings.ToLower(f.level.String())+" on")
	}
	if !f.since.IsZero() {
		parts = append(parts, "since "+f.since.Format("2006-01-02 15:04:05"))
	}
	if len(parts) == 0 {
		return " yet"
	}
	return " " + strings.Join(parts, ", ")
}

type entryAbout struct {
	Extension, Tool, Level string
	Status                 registry.Status
}

// aboutEntry tells whose an entry is, and how much it matters.
func aboutEntry(e sessionlog.Entry) (about entryAbout, level slog.Level) {
	_ = json.Unmarshal(e.Data, &about) // one without data is nobody's
	switch {
	case e.Kind == registry.LogKindLine:
		level = levels[about.Level]
	case e.Kind == registry.LogKindOutcome && about.Status == registry.StatusError:
		level = slog.LevelError
	case e.Kind == registry.LogKindOutcome && about.Status != registry.StatusSuccess && about.Status != "":
		level = slog.LevelWarn
	}
	return about, level
}
