package host

import (
	"context"
	"fmt"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// What one extension has under way at once, in all its calls: descriptors and
// processes are the whole program's. What is more waits.
const (
	maxFileOps  = 16 // each can hold a directory open for every level of its path
	maxPrograms = 16
)

// maxStreams bounds the bodies and the outputs that an extension has open and
// may never read. One more is an error: to wait for them would be to wait for
// code that waits itself.
const maxStreams = 256

// slots let so many in at once. The zero value has no bound.
type slots chan struct{}

// take waits for a slot, or until ctx ends.
func (s slots) take(ctx context.Context) (free func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func tooManyStreams(req wire.Request) error {
	return &wire.Error{Kind: registry.KindOther, Name: "RangeError", Code: "too_many", Hint: "read each to its end before you open more",
		Message: fmt.Sprintf("%s: the extension has %d bodies and outputs open that nobody has read", as(req), maxStreams)}
}
