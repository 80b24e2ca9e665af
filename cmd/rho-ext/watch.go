package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/rho-ext/rho-ext/host"
)

// watchFor reloads extensions when their files are saved. It tells of each on
// stderr, and calls heard.
func (a *app) watchFor(w *workspace, heard func(host.Report)) (*host.Watcher, error) {
	watcher, err := w.host.Watch(host.WatchOptions{
		Reloaded: func(r host.Report) {
			for i := range r.Changes {
				level := slog.LevelInfo
				if r.Changes[i].Kind == host.ChangeFailed {
					level = slog.LevelWarn
				}
				w.log.Log(context.Background(), level, changeLine(w, &r.Changes[i]))
			}
			heard(r)
		},
		Status: func(s host.WatchStatus) {
			if s.Polled > 0 {
				w.log.Warn(pollLine(s))
			}
		},
	})
	if err != nil {
		return nil, fail(exitFailed, "files cannot be watched: %v", err)
	}
	return watcher, nil
}

// pollLine says that folders are looked at again and again.
func pollLine(s host.WatchStatus) string {
	return fmt.Sprintf("%s cannot be watched, and %s looked at again and again: %s",
		counted(s.Polled, "folder", "folders"), map[bool]string{true: "is", false: "are"}[s.Polled == 1], s.Why)
}

// changeLine is a change as the log shows it, without secrets.
func changeLine(w *workspace, c *host.Change) string { return w.hide.Redact(c.Text()) }
