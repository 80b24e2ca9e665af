package worker

import (
	"fmt"
	"os"
	"syscall"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"github.com/rho-ext/rho-ext/host/bundle"
)

// maxOpen is how many files a bundler may have open at a time.
const maxOpen = 4096

// confineBundler gives up everything but to read what a bundler has to.
func confineBundler(in, out *os.File, reads bundle.Reads) Lockdown {
	l := confineTo(keep(in, out), maxOpen, readRules(reads), readerPolicy)
	if l.Landlock == 0 {
		l.Why = append(l.Why, "a bundler that an attacker has taken over can read files outside the extensions")
	}
	return l
}

// readRules say it to Landlock. What is gone meanwhile needs no rule.
func readRules(r bundle.Reads) (rules []landlock.Rule) {
	for _, of := range []struct {
		paths []string
		may   landlock.AccessFSSet
	}{
		{r.Trees, landlocksys.AccessFSReadDir | landlocksys.AccessFSReadFile},
		{r.Names, landlocksys.AccessFSReadDir},
		{r.Files, landlocksys.AccessFSReadFile},
	} {
		for _, path := range of.paths {
			rules = append(rules, landlock.PathAccess(of.may, path).IgnoreIfMissing())
		}
	}
	return rules
}

// What a bundler may call besides.
var (
	readerAllowed = []string{"fstat", "getdents64", "lseek", "pread64", "readlinkat"}
	readerStat    = map[string]string{"amd64": "newfstatat", "arm64": "fstatat"}
)

// readerPolicy lets a worker open files to read them, which ones Landlock
// decides.
func readerPolicy(goarch string, pid int) (seccomp.Policy, error) {
	p, err := filterPolicy(goarch, pid)
	if err != nil {
		return p, err
	}
	if len(p.Syscalls) == 0 || readerStat[goarch] == "" {
		return p, fmt.Errorf("there is no list of system calls for %s", goarch)
	}
	g := &p.Syscalls[0]
	g.Names = append(append(g.Names[:len(g.Names):len(g.Names)], readerAllowed...), readerStat[goarch])
	g.NamesWithCondtions = append(g.NamesWithCondtions, seccomp.NameWithConditions{Name: "openat", Conditions: seccomp.ArgumentConditions{{
		Argument: 2, Operation: seccomp.BitsNotSet,
		Value: uint64(unix.O_ACCMODE | unix.O_CREAT | unix.O_TRUNC | unix.O_APPEND | unix.O_TMPFILE&^unix.O_DIRECTORY | unix.O_PATH),
	}}})
	return p, nil
}

// fileID tells whether a path still leads to the same file: rules are about
// files, not names.
func fileID(path string) string {
	st, err := os.Stat(path)
	if err != nil {
		return ""
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d", sys.Dev, sys.Ino)
}
