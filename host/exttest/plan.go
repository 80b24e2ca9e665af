package exttest

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/rho-ext/rho-ext/host/wire"
)

// plan is the tree of a test file with what is decided about each test.
type plan struct {
	node     *wire.TestNode
	path     []string
	children []*plan
	state    string // of a test: empty means that it runs
	note     string
	runs     int // tests that run in it, or 1
	index    int // of a test, in the order of the file
}

// planner decides which tests run.
type planner struct {
	name  *regexp.Regexp
	seed  uint64
	only  bool
	tests int
}

// planFor decides about the tests of a file.
func planFor(root *wire.TestNode, o Options, file string) (*plan, int) {
	p := &planner{name: o.Name, only: hasOnly(root)}
	top := p.plan(root, nil, "", !p.only)
	if o.Seed != 0 {
		shuffle(top, rand.New(rand.NewPCG(o.Seed, hashOf(file))))
	}
	return top, p.tests
}

func hasOnly(n *wire.TestNode) bool {
	if n.Mode == "only" {
		return true
	}
	for i := range n.Children {
		if hasOnly(&n.Children[i]) {
			return true
		}
	}
	return false
}

// plan decides about a node. mode is skip or todo where a suite around it is so;
// chosen says that no only leaves it out.
func (p *planner) plan(n *wire.TestNode, path []string, mode string, chosen bool) *plan {
	out := &plan{node: n, path: path}
	if n.ID != 0 {
		out.path = append(path[:len(path):len(path)], n.Name)
	}
	if mode == "" && (n.Mode == "skip" || n.Mode == "todo") {
		mode = n.Mode
	}
	if n.Mode == "only" {
		chosen = true
	}
	if n.Suite {
		inner := chosen
		if inner && p.only && childrenHaveOnly(n) {
			inner = false // those that are named in it, and no other
		}
		for i := range n.Children {
			c := p.plan(&n.Children[i], out.path, mode, inner)
			out.children = append(out.children, c)
			out.runs += c.runs
		}
		return out
	}
	out.index = p.tests
	p.tests++
	switch {
	case mode == "todo":
		out.state = StateTodo
	case mode == "skip", !chosen:
		out.state = StateSkip
	case p.name != nil && !p.name.MatchString(strings.Join(out.path, " ")):
		out.state = StateSkip
	default:
		out.runs = 1
	}
	return out
}

func childrenHaveOnly(n *wire.TestNode) bool {
	for i := range n.Children {
		if hasOnly(&n.Children[i]) {
			return true
		}
	}
	return false
}

func shuffle(p *plan, r *rand.Rand) {
	r.Shuffle(len(p.children), func(i, j int) { p.children[i], p.children[j] = p.children[j], p.children[i] })
	for _, c := range p.children {
		shuffle(c, r)
	}
}

func hashOf(text string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text) // never fails
	return h.Sum64()
}
