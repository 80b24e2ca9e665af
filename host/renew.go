package host

// Renew throws the runtimes of all extensions away: the next call of each begins
// on a fresh one, with the module's variables as after loading. Calls that run
// end as lost.
func (h *Host) Renew() {
	for _, g := range h.inOrder() {
		g.mu.Lock()
		open := g.take()
		g.mu.Unlock()
		closeAll(open)
	}
}
