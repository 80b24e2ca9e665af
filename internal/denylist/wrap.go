package denylist

import (
	"slices"
	"strings"
)

// isShell reports whether a program reads shell.
func isShell(name string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish"}, name)
}

// wrapper is a program that runs another one, and what stands before it.
type wrapper struct {
	valued string // flags that take the next word
	skip   int    // words before the command
	assign bool   // NAME=value words before the command
	text   string // flags whose value is a command as text
}

var wrappers = map[string]wrapper{
	"env":         {valued: "-u --unset -C --chdir -a --argv0", assign: true, text: "-S --split-string"},
	"sudo":        {valued: "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir", assign: true},
	"doas":        {valued: "-u -C", assign: true},
	"pkexec":      {valued: "--user"},
	"su":          {text: "-c --command", valued: "-s --shell -g -G -w"},
	"runuser":     {text: "-c --command", valued: "-u -s -g -G"},
	"xargs":       {valued: "-I -i -n -P -L -l -s -d -a -E -e --max-args --max-procs --delimiter --arg-file --replace --max-lines"},
	"parallel":    {valued: "-j --jobs -I --max-args -n -N -a --arg-file"},
	"nohup":       {},
	"nice":        {valued: "-n --adjustment"},
	"ionice":      {valued: "-c -n -p --class --classdata"},
	"chrt":        {skip: 1, valued: "-T -P -D"},
	"taskset":     {skip: 1},
	"time":        {valued: "-f --format -o --output"},
	"timeout":     {valued: "-s --signal -k --kill-after", skip: 1},
	"gtimeout":    {valued: "-s --signal -k --kill-after", skip: 1},
	"stdbuf":      {valued: "-i -o -e --input --output --error"},
	"setsid":      {},
	"command":     {},
	"builtin":     {},
	"exec":        {valued: "-a"},
	"noglob":      {},
	"busybox":     {},
	"toybox":      {},
	"watch":       {valued: "-n --interval"},
	"chroot":      {skip: 1, valued: "--userspec --groups"},
	"flock":       {skip: 1, text: "-c --command", valued: "-w --timeout -E"},
	"script":      {text: "-c --command"},
	"strace":      {valued: "-e -o -p -s -u -E"},
	"ltrace":      {valued: "-e -o -p -s -u"},
	"unshare":     {valued: "--map-user --root --wd"},
	"nsenter":     {valued: "-t --target"},
	"setarch":     {skip: 1},
	"systemd-run": {valued: "-p --property -u --unit -t"},
	"caffeinate":  {valued: "-t -w"},
	"winpty":      {},
	"proxychains": {}, "proxychains4": {}, "torsocks": {}, "torify": {}, "fakeroot": {}, "catchsegv": {}, "dbus-run-session": {},
}

// command looks at one command with its arguments, and at what it runs.
func (r *reader) command(argv []string, depth int) {
	if len(argv) == 0 || r.denied != nil {
		return
	}
	if depth > maxDepth {
		r.deny(&Denial{strings.Join(argv, " "), "commands are nested too deep to be read"})
		return
	}
	name := baseName(argv[0])
	if !r.funcs[argv[0]] {
		if d := r.list.judge(argv); d != nil {
			r.deny(d)
			return
		}
	}
	args := argv[1:]
	switch {
	case isShell(name):
		r.shell(args, depth)
	case name == "wait" || name == "kill": // or it is ended
		r.waits = true
	case name == "eval":
		r.text(strings.Join(args, " "), depth+1)
	case name == "trap" && len(args) > 0:
		r.text(args[0], depth+1)
	case name == "alias":
		for _, a := range args {
			if _, value, ok := strings.Cut(a, "="); ok {
				r.text(value, depth+1)
			}
		}
	case name == "pwsh" || name == "powershell" || name == "cmd":
		if d := r.list.CheckWords(strings.Join(args, " ")); d != nil {
			r.deny(d)
		}
	case name == "find" || name == "fd" || name == "fdfind":
		r.find(args, depth)
	default:
		if w, ok := wrappers[name]; ok {
			r.wrapped(name, w, args, depth)
		}
	}
}

// shell looks for the command that a shell is given as text.
func (r *reader) shell(args []string, depth int) {
	for i, a := range args {
		switch {
		case strings.HasPrefix(a, "--"):
		case strings.HasPrefix(a, "-") && strings.Contains(a, "c"):
			for _, text := range args[i+1:] {
				if !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "+") {
					r.text(text, depth+1)
					return
				}
			}
			return
		case strings.HasPrefix(a, "-") || strings.HasPrefix(a, "+"):
		default:
			return
		}
	}
}

// find looks at the commands between -exec and its end.
func (r *reader) find(args []string, depth int) {
	for i, a := range args {
		if !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}, a) {
			continue
		}
		rest := args[i+1:]
		if end := slices.IndexFunc(rest, func(s string) bool { return s == ";" || s == "+" }); end >= 0 {
			rest = rest[:end]
		}
		r.command(rest, depth+1)
	}
}

// wrapped finds the command that a program runs.
func (r *reader) wrapped(name string, w wrapper, args []string, depth int) {
	valued, text := strings.Fields(w.valued), strings.Fields(w.text)
	skip := w.skip
	for len(args) > 0 {
		a := args[0]
		flag, value, glued := strings.Cut(a, "=")
		switch {
		case a == "--":
			args = args[1:]
			r.command(args[min(skip, len(args)):], depth+1)
			return
		case strings.HasPrefix(a, "-") && slices.Contains(text, flag):
			if !glued {
				value = ""
				if len(args) > 1 {
					value = strings.Join(args[1:2], " ")
				}
				if name == "env" { // the rest of the line is added to it
					value = strings.Join(args[1:], " ")
				}
			}
			r.text(value, depth+1)
			return
		case name == "env" && strings.HasPrefix(a, "-S") && len(a) > 2:
			r.text(a[2:]+" "+strings.Join(args[1:], " "), depth+1)
			return
		case strings.HasPrefix(a, "-") && len(a) > 1:
			args = args[1:]
			if slices.Contains(valued, a) && len(args) > 0 {
				args = args[1:]
			}
		case a == "-" || a == "" || w.assign && strings.Contains(a, "=") && !strings.ContainsAny(flag, "/ "):
			args = args[1:]
		case skip > 0:
			skip--
			args = args[1:]
			if slices.Contains(text, first(args)) {
				continue
			}
		case name == "su" || name == "runuser" || name == "script": // a user or a file; a command may still follow
			args = args[1:]
		default:
			if name == "watch" || name == "parallel" { // they give it to a shell
				r.text(strings.Join(args, " "), depth+1)
				return
			}
			r.command(args, depth+1)
			return
		}
	}
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
