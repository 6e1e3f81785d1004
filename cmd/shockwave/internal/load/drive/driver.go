// Package drive carries out a run of the load generator: it keeps every slot filled with a connection, says when requests
// may be sent, and counts what becomes of them. It knows no protocol. A Driver speaks one:
//
//	Run ─► Driver.Open ─► Slot.Attach ─► Claim ─► send ─► Judge, Answered or Fail ─► Claim … ─► Slot.Ended
//	 └───► Conn.Nudge: something is due           Conn.Expire: too long without a response
package drive

import (
	"context"
	"errors"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pace"
)

// Driver speaks the protocol of a run. It is made for one run, and knows its requests. All methods may be called
// concurrently.
type Driver interface {
	// Turns says how many different requests there are, and in which order a connection sends them.
	Turns() pace.Turns
	// Open opens a connection for s and calls s.Attach. It returns when the connection can be used, or with an error: ErrOver
	// from Attach, or what is counted as a failed attempt. It gives up when ctx is done.
	Open(ctx context.Context, s *Slot) error
	// Bytes returns how many bytes all connections have received and sent, counted at the transport.
	Bytes() (in, out int64)
	// Close ends all connections, and waits until they have ended or ctx is done.
	Close(ctx context.Context)
}

// Conn is the connection of a slot. It claims requests from the slot, sends them, and reports each one exactly once:
// with Slot.Answered, Fail or GiveBack. When it has ended it calls Slot.Ended, and its methods do nothing any more. They are
// called without the slot's lock, and may be called concurrently.
type Conn interface {
	// Nudge sends what may be sent at time now. It is called when a request is due, and for the first ones.
	Nudge(now int64)
	// Expire deals with requests that were sent before the given time and have no response: they time out.
	Expire(before int64)
	// Abort ends the connection at once, because it has taken too long.
	Abort()
}

// ErrOver ends a connection that starts when the run is over.
var ErrOver = errors.New("load: the run is over")
