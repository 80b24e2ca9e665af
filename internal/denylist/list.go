package denylist

import (
	"path"
	"slices"
	"strings"
)

// List is what is refused. The zero value is the built-in list alone.
type List struct {
	// Commands are refused besides the built-in ones: a program's name, also
	// with a star as of [path.Match], or a name and what the command goes on
	// with, such as "git push".
	Commands []string
	// Flags are refused combinations: a command that has all flags of one,
	// whatever its name.
	Flags [][]string
	// Allowed are taken off the built-in list, by the names that it uses.
	Allowed []string
}

// group is a part of the built-in list, and why it is there.
type group struct{ names, why string }

var builtin = []group{
	{"curl wget aria2c axel nc ncat netcat socat telnet ftp sftp tftp lftp bitsadmin certutil invoke-webrequest iwr invoke-restmethod irm start-bitstransfer",
		"it moves data over the network"},
	{"sudo su doas pkexec runas gsudo", "it acts as another user"},
	{"mkfs mkfs.* fdisk sfdisk parted wipefs blkdiscard diskpart format format-volume clear-disk", "it can wipe a disk"},
	{"shutdown reboot halt poweroff stop-computer restart-computer", "it stops the machine"},
	{"remove-item ri", "it deletes without a way back; use rm or del on named files"},
	{"start-process saps new-service set-executionpolicy invoke-expression iex", "it starts programs past this list"},
}

// dotnet are .NET classes that PowerShell reaches the network through, in small
// letters.
var dotnet = []string{"system.net.webclient", "net.webclient", "system.net.http.httpclient", "net.http.httpclient", "system.net.sockets.tcpclient", "net.sockets.tcpclient"}

// combos are the built-in refused combinations of flags.
var combos = [][]string{{"-recurse", "-force"}}

// A Denial says what is refused.
type Denial struct {
	// Part is what of the command is meant, as it was understood.
	Part string
	// Reason says why.
	Reason string
}

// Error implements error.
func (d *Denial) Error() string {
	return "the command is refused because of `" + clip(d.Part) + "`: " + d.Reason
}

func clip(s string) string {
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}

// judge looks at one command with its arguments.
func (l *List) judge(argv []string) *Denial {
	if len(argv) == 0 {
		return nil
	}
	name := baseName(argv[0])
	part := strings.Join(argv, " ")
	for _, g := range builtin {
		if hit := matchName(name, strings.Fields(g.names)); hit != "" && !l.allows(hit) {
			return &Denial{part, hit + " is on the denylist, since " + g.why}
		}
	}
	for _, entry := range l.Commands {
		words := strings.Fields(entry)
		if len(words) > 0 && matchName(name, words[:1]) != "" && startsWith(argv[1:], words[1:]) {
			return &Denial{part, "`" + entry + "` is on the denylist of the configuration"}
		}
	}
	for _, flags := range append(slices.Clone(combos), l.Flags...) {
		if len(flags) > 0 && !slices.ContainsFunc(flags, func(f string) bool { return !hasFlag(argv[1:], f) }) {
			return &Denial{part, "the flags " + strings.Join(flags, " and ") + " together are on the denylist"}
		}
	}
	return l.ruin(name, argv)
}

func (l *List) allows(name string) bool {
	return slices.ContainsFunc(l.Allowed, func(a string) bool { return strings.EqualFold(a, name) })
}

// baseName is the name of a program without its folder and ending, in small
// letters, for systems that do not tell those apart.
func baseName(program string) string {
	program = strings.ToLower(strings.ReplaceAll(program, `\`, "/"))
	program = program[strings.LastIndexByte(program, '/')+1:]
	for _, ext := range []string{".exe", ".cmd", ".bat", ".com"} {
		if s, ok := strings.CutSuffix(program, ext); ok && s != "" {
			return s
		}
	}
	return program
}

// matchName finds the entry that means a program. The name can be a pattern
// that the shell completes, such as cur?.
func matchName(name string, entries []string) string {
	for _, e := range entries {
		low := strings.ToLower(e)
		if ok, _ := path.Match(low, name); ok || low == name {
			return e
		}
		if strings.ContainsAny(name, "*?[") && strings.Trim(name, "*?") != "" {
			if ok, err := path.Match(name, low); err == nil && ok {
				return e
			}
		}
	}
	return ""
}

// startsWith reports whether the arguments, without flags between them, begin
// with the words.
func startsWith(args, words []string) bool {
	for _, w := range words {
		for len(args) > 0 && args[0] != w && strings.HasPrefix(args[0], "-") && !strings.HasPrefix(w, "-") {
			short := len(args[0]) == 2
			args = args[1:]
			if short && len(args) > 1 && args[0] != w && args[1] == w { // the value of a flag, as in git -C dir push
				args = args[1:]
			}
		}
		if len(args) == 0 || args[0] != w {
			return false
		}
		args = args[1:]
	}
	return true
}

// hasFlag reports whether a flag is among the arguments, also with a value
// behind = or :, or as a letter in a cluster such as -rf.
func hasFlag(args []string, flag string) bool {
	for _, a := range args {
		if a == "--" {
			return false
		}
		if strings.EqualFold(a, flag) {
			return true
		}
		if n := len(flag); len(a) > n && (a[n] == '=' || a[n] == ':') && strings.EqualFold(a[:n], flag) {
			return true
		}
		if len(flag) == 2 && len(a) > 2 && a[0] == '-' && a[1] != '-' && strings.Contains(a[1:], flag[1:]) && letters(a[1:]) {
			return true
		}
	}
	return false
}

func letters(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') })
}

// roots are places whose deletion takes everything along.
var roots = []string{"/", "/*", "/.", "~", "~/", "~/*", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/opt", "/root", "/sbin", "/usr", "/var", "c:/", "c:/*"}

// ruin refuses what an ordinary command does to a whole system.
func (l *List) ruin(name string, argv []string) *Denial {
	part := strings.Join(argv, " ")
	switch name {
	case "rm", "chmod", "chown", "chgrp", "del", "rd", "rmdir":
		deep := hasFlag(argv[1:], "-r") || hasFlag(argv[1:], "-R") || hasFlag(argv[1:], "--recursive") || hasFlag(argv[1:], "/s")
		for _, a := range argv[1:] {
			p := strings.ToLower(strings.ReplaceAll(a, `\`, "/"))
			if clean := path.Clean(p); deep && (slices.Contains(roots, p) || slices.Contains(roots, clean) && strings.HasPrefix(p, "/")) {
				return &Denial{part, name + " of all of " + a + " is on the denylist"}
			}
		}
	case "dd":
		for _, a := range argv[1:] {
			if to, ok := strings.CutPrefix(a, "of="); ok && isDisk(to) {
				return &Denial{part, "writing to a disk is on the denylist"}
			}
		}
	}
	return nil
}

// isDisk reports whether a file is a disk, or a part of one.
func isDisk(file string) bool {
	rest, ok := strings.CutPrefix(path.Clean(file), "/dev/")
	return ok && slices.ContainsFunc([]string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "mapper/", "dm-"}, func(p string) bool { return strings.HasPrefix(rest, p) })
}
