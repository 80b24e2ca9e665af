package builtin

import (
	"os/exec"
	"runtime"
	"strings"

	"github.com/rho-ext/rho-ext/internal/denylist"
	"github.com/rho-ext/rho-ext/internal/proc"
	"github.com/rho-ext/rho-ext/registry"
)

// shells are the shells that a call may choose, with what stands before the
// command.
var shells = map[string][]string{
	"sh":         {"-c"},
	"bash":       {"-c"},
	"zsh":        {"-c"},
	"pwsh":       {"-NoProfile", "-NonInteractive", "-Command"},
	"powershell": {"-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"},
	"cmd":        {"/d", "/s", "/c"},
}

// shellOf is the shell of a call: the one that it names, that of the options,
// or the platform's.
func (p *programs) shellOf(name string) string {
	if name != "" {
		return name
	}
	if p.o.Shell != "" {
		return p.o.Shell
	}
	likely, last := []string{"bash"}, "sh"
	if runtime.GOOS == "windows" {
		likely, last = []string{"pwsh", "powershell"}, "cmd"
	}
	for _, s := range likely {
		if _, err := exec.LookPath(s); err == nil {
			return s
		}
	}
	return last
}

// isPOSIX reports whether a shell's commands can be read.
func isPOSIX(shell string) bool { return shell == "sh" || shell == "bash" || shell == "zsh" }

// check refuses a command that is on the denylist, or that would leave
// something running that nobody could stop.
func (p *programs) check(call *registry.Call, shell, command string) error {
	if strings.TrimSpace(command) == "" {
		return invalid("command: expected a command, got only white space")
	}
	if strings.ContainsRune(command, 0) {
		return invalid("command: it holds a NUL character, which no shell can be given")
	}
	var denial *denylist.Denial
	background := false
	if isPOSIX(shell) {
		denial, background = p.denied.Check(command)
	} else {
		denial = p.denied.CheckWords(command)
	}
	if denial != nil {
		call.RecordUse(registry.Use{Kind: "run", Target: command, Effect: "run", Denied: true})
		f := registry.NewFailure(registry.KindPermissionDenied, denial.Error()+". Ask the user to run it, or do it with another tool")
		f.Code = "command_denied"
		f.Hint = "the built-in list can be changed by shell.allowed_commands and shell.denied_commands in your own configuration"
		return f
	}
	if background {
		return invalid("command: it leaves something running in the background with &, which would be ended with the command. " +
			"Leave the & away and set background to true, or let the command wait for it")
	}
	return nil
}

// shellCommand is the call of a shell.
func shellCommand(shell, command, dir string) proc.Command {
	return proc.Command{
		Path: shell, Args: append(append([]string{}, shells[shell]...), command), Dir: dir,
		Env: proc.Environment{Set: map[string]string{"NO_COLOR": "1", "TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}},
	}
}
