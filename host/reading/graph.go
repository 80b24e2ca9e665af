package reading

import (
	"github.com/dop251/goja/file"

	"github.com/rho-ext/rho-ext/registry"
)

// node is a piece of code with an owner: a binding at any level, what one call
// is given, what is stored by one assignment, or a literal that the host calls.
// Code that no function of its own name holds belongs to the node around it.
type node struct {
	facts   []fact
	edges   []*node // what it mentions
	touches []*node // what is stored into it, wherever that happens
	holders []*node // who has it as a part of its value

	// Of a binding.
	kind   kind
	shape  shape
	scope  int
	again  bool     // declared more than once
	param  *routine // whose parameter it is
	listed bool     // declared with a value to begin with
	member string   // its value is what something has under this name
	copied bool     // its value is that of another name
	host   int      // the host calls a function of this name: number of its ctx, from 1
	held   bool     // it is a literal that the host calls
	args   *node    // what its calls are given
	eaches []*node  // what map, forEach and the like are given for it
	recast []*node  // what its execute member is replaced by

	wraps   *node // of a call's arguments: what is called with them
	literal *root

	// The last edge to it, so that a name that is used all over counts once.
	from      *node
	fromValue bool

	round uint32 // the last search that came by
	ways  uint8  // how, one bit for each way
}

// routine is one function of the script, as far as its parameters matter.
type routine struct {
	up      *routine
	binding *node // its name, where it has one
	known   bool  // nobody passes anything unseen: a wrapper of the bundler
	module  bool  // its body is the top level of a module
	context bool  // the host calls it with a ctx
	arrow   bool
	mark    uint32 // the search for a root that stands in it
}

// shape is what a binding begins with.
type shape uint8

const (
	shapeUnknown    shape = iota
	shapeFunction         // or a class
	shapeCollection       // an array, Map or Set, whose methods are known
	shapeLibrary          // a package's namespace
	shapeResult           // what a call returned, or a regular expression
)

type factKind uint8

const (
	factEffect   factKind = iota
	factEscaped           // an effect if a ctx was handed on
	factCallTool          // can call other tools
	factEnv               // reads an environment variable
	factWhole             // rho as a value
	factComputed          // an access that cannot be read
	factHandsOn           // a ctx goes where it cannot be followed
	factStores            // a parameter or a ctx becomes a member of this name
	factMember            // run, if that member is a ctx
)

type fact struct {
	kind    factKind
	effects registry.Effects
	name    string
	at      file.Idx
}

// root is a literal whose functions the host calls.
type root struct {
	kind  rootKind
	name  string
	index int // in Script.Tools
	node  *node
	fn    *routine // it stands in
	open  bool     // it uses the this of what is around it
	held  *node    // the binding that is this literal and nothing else
}

type rootKind uint8

const (
	rootTool rootKind = iota
	rootHook
	rootCommand
)

// graph is everything that was read of a script.
type graph struct {
	nodes   []*node
	ambient *node // what patches of globals bring to everyone
	roots   []*root
	round   uint32
	steps   int
}

// maxSteps bounds the work of all tools together. Tools that come after it are
// not told apart.
const maxSteps = 1 << 23

func (g *graph) node() *node {
	n := &node{}
	g.nodes = append(g.nodes, n)
	return n
}
