package worker

// Lockdown says what of the system a worker has given up. What runs in it can
// only ask the host.
type Lockdown struct {
	// NoNewPrivs: no program that it could start would gain privileges.
	NoNewPrivs bool
	// Landlock is the version of the kernel's interface; 0: it is not there.
	Landlock int
	// Seccomp: a filter refuses all system calls but those that Go's runtime
	// needs to compute.
	Seccomp bool
	// Job: a job object of Windows bounds the memory and forbids other
	// processes.
	Job bool
	// Why names what does not hold, for people; empty when all holds.
	Why []string
}

// Complete reports whether all that the system can offer holds.
func (l Lockdown) Complete() bool { return len(l.Why) == 0 }
