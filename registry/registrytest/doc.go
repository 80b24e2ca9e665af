// Package registrytest has what tests of tools need: tools that behave in one
// well-defined way each, and a suite that tells whether a tool keeps the
// contract of [registry.Tool].
package registrytest
