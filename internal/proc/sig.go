package proc

// A sig is what the tree of a run is told.
type sig uint8

const (
	probe sig = iota // nothing: only whether something is there
	ask              // to stop
	kill
)
