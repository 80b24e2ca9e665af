package main

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/rho-ext/rho-ext/host/permission"
)

// allowFlags are the --allow-* flags: what is granted to every extension for
// this run or, after grant and revoke, to the one that is named.
type allowFlags map[permission.Kind]*[]string

var allowHelp = map[permission.Kind]string{
	permission.KindNet:   "let extensions reach `HOST[:PORT]`; may be repeated",
	permission.KindRead:  "let extensions read `PATH` and what is below it; may be repeated",
	permission.KindWrite: "let extensions change `PATH` and what is below it; may be repeated",
	permission.KindRun:   "let extensions run `PROGRAM`, with arguments that begin so where some are given; may be repeated",
	permission.KindEnv:   "let extensions see the variable `NAME`; may be repeated",
	permission.KindTool:  "let extensions call the tool `NAME`; may be repeated",
	permission.KindHook:  "let extensions hear the `EVENT` tool_call, tool_result or before_model; may be repeated",
}

func (a allowFlags) register(f *pflag.FlagSet) {
	for _, k := range permission.Kinds {
		a[k] = f.StringArray("allow-"+string(k), nil, allowHelp[k])
	}
}

// grants reads the flags. root is the project's; relative paths begin there.
func (a allowFlags) grants(root string) ([]permission.Grant, error) {
	var out []permission.Grant
	for _, k := range permission.Kinds {
		if a[k] == nil {
			continue
		}
		for _, text := range *a[k] {
			g, err := permission.ParseGrant(k, text, root)
			if err != nil {
				return nil, usage("--allow-%s: %v", k, err)
			}
			if !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out, nil
}

// again begins a command that finds the same project and extensions as this one.
func (a *app) again() string {
	command := "rho-ext"
	if a.rootGiven {
		command += " --root " + permission.ShellQuote(a.root)
	}
	if a.config != "" {
		command += " --config " + permission.ShellQuote(a.config)
	}
	for _, dir := range a.extensions {
		command += " --extensions " + permission.ShellQuote(dir)
	}
	return command
}
