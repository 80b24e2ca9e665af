// Command rho-ext runs tools for AI agents that are written in TypeScript,
// beside built-in ones, and serves them to agents.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/rho-ext/rho-ext/host"
)

func main() { os.Exit(realMain()) }

func realMain() int {
	host.WorkerMain()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	return run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
}
