//go:build !race

package host_test

// slowness is by how much the race detector slows the tests' programs down.
const slowness = 1
