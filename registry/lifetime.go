package registry

import "sync"

// lifetime counts the calls of a registered tool, so that a tool that holds
// something is closed once: when it has left the registry and its last call has
// ended. A nil lifetime belongs to a tool that holds nothing.
type lifetime struct {
	close func() error

	mu    sync.Mutex
	users int
	gone  bool
}

func newLifetime(t Tool) *lifetime {
	c, ok := As[Closer](t)
	if !ok {
		return nil
	}
	return &lifetime{close: c.Close}
}

// enter reports whether a call may use the tool.
func (l *lifetime) enter() bool {
	if l == nil {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone {
		return false
	}
	l.users++
	return true
}

func (l *lifetime) leave() {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.users--
	last := l.gone && l.users == 0
	l.mu.Unlock()
	if last {
		_ = l.close() // nobody is left to tell
	}
}

// retire is called once, when the tool has left the registry.
func (l *lifetime) retire() {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.gone = true
	last := l.users == 0
	l.mu.Unlock()
	if last {
		_ = l.close()
	}
}
