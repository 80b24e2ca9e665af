// Package reading looks at a bundle without running it, with the engine's own
// parser: which effects each of its tools, hooks and commands can reach, where
// its tools are defined, how an old-style function uses its argument, and
// constants that would hang the compiler.
//
// The code becomes a graph. Every binding, the arguments of every call and what
// every assignment stores is a node; a node has an edge to whatever it mentions,
// and a binding to whatever is stored into it, wherever that happens. A tool has
// the effects of all nodes that its literal leads to, of functions that the
// literal is passed to on its way to the host, and of changes to globals. A
// literal that is made from the parameters of a function around it leads
// anywhere: such a tool has the effects of the whole script.
//
// What it says is a hint for people and policy: too much where an object with
// many functions counts as one, too little where a global or a ctx is reached
// by a computed name, where code comes from a text, and where a function is
// handed on through the variables of a closure. The guarantee is at run time,
// where a call may use only what it was granted.
package reading
