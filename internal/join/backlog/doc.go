// Package backlog holds the messages that wait for a slow peer: a line for each connection, its limits, and the policies for
// a message that finds the line full. It does no I/O: the owner of a line moves it on when there is room for output again.
package backlog

import (
	"errors"

	"github.com/shockwave-go/shockwave/internal/core/budget"
)

// Policy says what happens to messages for a peer that takes them too slowly.
type Policy uint8

// The policies.
const (
	Block        Policy = iota // the sender waits for room
	DropOldest                 // the oldest waiting message is dropped
	LatestPerKey               // the waiting message with the same key is replaced if there is room, else as DropOldest
	Refuse                     // the new message is refused with ErrSlow
)

// Limits bound a line. All lines of one owner may share one.
type Limits struct {
	Policy   Policy
	Messages int            // at most so many wait
	Bytes    int64          // at most so many of their bytes; a single message may wait whatever its size
	Memory   *budget.Budget // counts the bytes of all lines together
}

var (
	// ErrDropped means that a message was dropped because the line is full.
	ErrDropped = errors.New("backlog: the line is full")
	// ErrSlow means that a message was refused because the line is full and the Policy is Refuse.
	ErrSlow = errors.New("backlog: the peer is too slow")
)
