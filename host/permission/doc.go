// Package permission says yes or no to what an extension asks for. So far it
// holds the network guard: the rules that grant hosts ([NetRule]) and the HTTP
// client that keeps to them ([Client]).
//
// The guard stands at the resource, not in front of JavaScript: the rules are
// checked for each hop of a request and once more where the connection is
// opened, against the address that is really dialled. Whatever an extension
// finds a way to ask for, a packet to a host that nobody granted never leaves.
//
// What the guard does not promise: a host that is granted by name may lead
// anywhere, also into the local network, and so may whoever runs its name
// server; and what a granted host does with what it gets is its own affair.
package permission
