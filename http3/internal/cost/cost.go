// Package cost limits the work without progress that a peer of HTTP/3 may cause: beyond it the connection ends with
// H3_EXCESSIVE_LOAD.
package cost

import (
	"sync"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/peerbudget"
)

// The costs of work without progress, in the units of package http2.
const (
	Idle     = 2 // a frame of unknown type, or DATA without bytes
	Reset    = 2 // a request that the client gives up
	Priority = 1
	Control  = 5 // any other frame of the control stream
	Stream   = 5 // a unidirectional stream of unknown type
	Refused  = 2 // a request beyond our GOAWAY; a stream of a session that does not exist
	Capsule  = 2 // a capsule of unknown type
)

// Message is how many units a complete message earns.
const Message = 4

// Default is the default limit.
const Default = peerbudget.Default

// ErrSpent ends the connection of a peer that cannot pay.
var ErrSpent = &h3frame.Error{Code: h3frame.ExcessiveLoad, Violation: shockwave.Violation{Rule: "RFC 9114 §10.5", Msg: "too much work without progress"}}

// Budget is the budget of one connection. Its methods are safe for concurrent use.
type Budget struct {
	mu   sync.Mutex
	left peerbudget.Budget
}

// New returns a full budget at now, in nanoseconds. A negative limit means none.
func New(limit int32, now int64) *Budget { return &Budget{left: peerbudget.New(limit, now)} }

// Pay charges the peer for work without progress. It reports whether the budget suffices.
func (b *Budget) Pay(cost int32, now int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left.Limit < 0 || b.left.Pay(cost, now)
}

// PayIdle is Pay for a number of frames without content or meaning.
func (b *Budget) PayIdle(frames int, now int64) bool {
	return frames <= 0 || b.Pay(int32(min(frames, 1000))*Idle, now)
}

// Earn gives units back, such as Message.
func (b *Budget) Earn(units int32) {
	b.mu.Lock()
	b.left.Earn(units)
	b.mu.Unlock()
}

// Deliver records that n bytes of content were taken, which is progress.
func (b *Budget) Deliver(n int) {
	if n > 0 {
		b.mu.Lock()
		b.left.Deliver(n)
		b.mu.Unlock()
	}
}
