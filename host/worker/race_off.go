//go:build !race

package worker

// memoryFactor is how much more memory a process needs than it would.
const memoryFactor = 1

// raceEnabled says that the race detector is there.
const raceEnabled = false
