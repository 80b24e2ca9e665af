package main

import (
	"context"
	"fmt"
	"io"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/internal/version"
	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/server/mcp"
	"github.com/rho-ext/rho-ext/server/rpc"
)

func (a *app) serveCommand() *cobra.Command {
	var asMCP, asRPC, watch bool
	var approve string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve all tools to an agent on stdin and stdout",
		Long: `Serve all tools to an agent on stdin and stdout, until its end is closed.

--mcp speaks the Model Context Protocol. --rpc speaks JSON-RPC 2.0, one message
per line: listTools, callTool {name, arguments, id}, cancelCall {id} with the id
that callTool gave, listExtensions, reloadExtensions {names}, enableExtension,
disableExtension and unloadExtension {name}, listCommands, runCommand {name,
input, id}, completeCommand {name, prefix}, setModel {model}, version.

--watch loads extensions anew when their files are saved. Calls that run finish
on the version they began on, and one that does not load leaves the last good
version serving. An MCP client is told when the list of tools changes.`,
		Example: `  rho-ext serve --mcp --watch
  echo '{"jsonrpc":"2.0","id":1,"method":"listTools"}' | rho-ext serve --rpc`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asMCP == asRPC {
				return usage("serve needs one of --mcp and --rpc")
			}
			if asRPC && approve != "" {
				return usage("--approve goes with --mcp; over --rpc the client answers with approvalResponse")
			}
			approvals := &registry.Approvals{}
			gate, err := gateFor(asMCP, approve, approvals)
			if err != nil {
				return err
			}
			a.stays = true
			w, err := a.open(cmd.Context(), "", gate)
			if err != nil {
				return err
			}
			defer w.close()
			return a.serve(cmd.Context(), w, asMCP, watch, approvals)
		},
	}
	cmd.Flags().BoolVar(&asMCP, "mcp", false, "speak the Model Context Protocol")
	cmd.Flags().BoolVar(&asRPC, "rpc", false, "speak JSON-RPC 2.0, one message per line")
	cmd.Flags().BoolVar(&watch, "watch", false, "load extensions anew when their files are saved")
	cmd.Flags().StringVar(&approve, "approve", "", "who approves what the policy asks about, over MCP: client (it asks its user; the default), elicit (we ask through it) or policy (ask is deny)")
	return cmd
}

// gateFor gives the gate of a server.
func gateFor(asMCP bool, approve string, approvals *registry.Approvals) (registry.Gate, error) {
	if !asMCP {
		return approvals, nil
	}
	switch approve {
	case "", "client":
		return registry.AllowDirect, nil
	case "elicit":
		return &mcp.Elicitor{}, nil
	case "policy":
		return nil, nil
	default:
		return nil, usage("--approve: unknown %q; expected client, elicit or policy", approve)
	}
}

// serve runs a server until its client has gone. An interrupt is a proper end
// of a server.
func (a *app) serve(ctx context.Context, w *workspace, asMCP, watch bool, approvals *registry.Approvals) error {
	for _, f := range w.failures() {
		a.printFailure(f)
	}
	a.tellUntrusted(untrusted(w.host))
	protocol := "JSON-RPC"
	if asMCP {
		protocol = "MCP"
	}
	fmt.Fprintf(a.err, "rho-ext %s serves %s of %s over %s on stdio\n", version.Version,
		counted(len(w.reg.Snapshot().Tools()), "tool", "tools"), clean(w.host.Root()), protocol)
	ext := &extensions{w: w}
	if watch {
		watcher, err := a.watchFor(w, ext.reloaded)
		if err != nil {
			return err
		}
		defer watcher.Close()
	}
	var err error
	if asMCP {
		s := mcp.NewServer(w.door, w.reg, &mcp.Options{Name: "rho-ext", Version: version.Version, Logger: w.log})
		err = s.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(a.in), Writer: nopCloser{a.out}})
	} else {
		s := rpc.NewServer(w.door, w.reg, &rpc.Options{Name: "rho-ext", Version: version.Version, Logger: w.log, Extensions: ext, Commands: commands{w.host}, Approvals: approvals, Drain: drain})
		err = s.Serve(ctx, a.in, a.out)
	}
	if err != nil && ctx.Err() == nil {
		return fail(exitFailed, "the connection to the client ended: %v\nexpected %s messages on stdin, one per line", err, protocol)
	}
	return nil
}

// drain lets calls finish whose client has closed its end after sending them,
// as a shell pipe does.
const drain = 30 * time.Second

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
