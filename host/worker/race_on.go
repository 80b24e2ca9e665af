//go:build race

package worker

// memoryFactor allows for the shadow that the race detector keeps of all
// memory.
const memoryFactor = 12

// raceEnabled says that the race detector is there.
const raceEnabled = true
