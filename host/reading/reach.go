package reading

// way is how a node was come by.
type way uint8

const (
	// wayStored: what is stored there counts, so its parameters stand for what
	// all callers pass. Otherwise a parameter is nothing: the caller mentions
	// what it passes itself.
	wayStored way = 1 << iota
	// wayWrapped: by a function that the literal is passed to. The literals of
	// other roots are passed to it as well and do not count.
	wayWrapped
)

// covers says, for each way, by which ways a node must have been come by before
// for it to bring nothing new.
var covers = [4]uint8{
	0:                      1<<0 | 1<<wayStored,
	wayStored:              1 << wayStored,
	wayWrapped:             1<<0 | 1<<wayStored | 1<<wayWrapped | 1<<(wayStored|wayWrapped),
	wayStored | wayWrapped: 1<<wayStored | 1<<(wayStored|wayWrapped),
}

type visit struct {
	n   *node
	way way
}

// reach is one search for what a root can run.
type reach struct {
	g     *graph
	root  *root
	order []*node // nearest first
	queue []visit
}

func (s *reach) add(n *node, w way) {
	if n == nil || w&wayWrapped != 0 && n.literal != nil && n.literal.name != "" && n != s.root.node {
		return
	}
	if n.round != s.g.round {
		n.round, n.ways = s.g.round, 0
		s.order = append(s.order, n)
	}
	if n.ways&covers[w] == 0 {
		n.ways |= 1 << w
		s.queue = append(s.queue, visit{n, w})
	}
}

// reach gives all nodes whose code a root can run, nearest first. It reports
// false when more may be reached than can be seen.
func (g *graph) reach(r *root) ([]*node, bool) {
	if r.open {
		return nil, false
	}
	g.round++
	for f := r.fn; f != nil; f = f.up {
		f.mark = g.round
	}
	s := &reach{g: g, root: r}
	s.add(r.node, 0)
	if !s.follow() {
		return nil, false
	}
	s.add(g.ambient, wayStored)
	if r.held != nil {
		for _, n := range r.held.touches {
			s.add(n, wayStored)
		}
	}
	s.climb()
	return s.order, s.follow()
}

// follow works off the queue.
func (s *reach) follow() bool {
	g := s.g
	for ; len(s.queue) > 0; s.queue = s.queue[1:] {
		n, w := s.queue[0].n, s.queue[0].way
		if g.steps += 1 + len(n.edges) + len(n.touches) + len(n.facts); g.steps > maxSteps {
			return false
		}
		if p := n.param; p != nil {
			if p.mark == g.round && !p.known {
				return false // the literal is made from what its maker was given
			}
			if w&wayStored != 0 && p.binding != nil {
				s.add(p.binding.args, w)
			}
		}
		for _, e := range n.edges {
			s.add(e, w)
		}
		if p := n.param; p != nil && !p.known && w&wayStored == 0 {
			continue // what is stored into it is stored into what the caller passed
		}
		for _, e := range n.touches {
			s.add(e, w|wayStored)
		}
	}
	return true
}

// climb adds what happens to the root's literal before it gets to the host:
// functions that it is passed to may wrap it.
func (s *reach) climb() {
	seen := map[*node]bool{s.root.node: true}
	queue := []*node{s.root.node}
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		s.g.steps += 1 + len(n.holders)
		s.add(n.wraps, wayWrapped)
		for _, list := range [][]*node{n.recast, n.eaches} {
			for _, e := range list {
				s.add(e, wayStored|wayWrapped)
			}
		}
		for _, h := range n.holders {
			if seen[h] || s.g.steps > maxSteps {
				continue
			}
			seen[h] = true
			if l := h.literal; l != nil {
				if l.name != "" {
					continue // another root, which looks at this one
				}
				s.add(h, wayWrapped) // a copy with changes
			}
			queue = append(queue, h)
		}
	}
}
