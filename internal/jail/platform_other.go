//go:build !unix && !windows

package jail

const nonBlock = 0
