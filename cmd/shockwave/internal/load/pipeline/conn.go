// Package pipeline runs connections whose responses come in the order of their requests: of HTTP/1.1, and of messages with
// their echoes. A Reader knows what a response looks like.
package pipeline

import (
	"errors"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Reader reads the responses on one connection. The slot's lock is held.
type Reader interface {
	// Read reads from b, which continues where the last call stopped, and calls c.Settle for each complete response. taken is how
	// much of b it needs no more. An error ends the connection: ErrClosing, ErrLost or netconn.ErrDone, or else one that blames
	// the server.
	Read(c *Conn, b []byte, now int64) (taken int, err error)
	// End is called when the connection has ended with err, unless that was our doing. It returns ErrClosing if that is how a
	// response ends, which it has settled, or ErrShort if it has cut a body short.
	End(c *Conn, err error, now int64) error
}

// Results of a Reader.
var (
	ErrClosing = errors.New("load: the server has announced that it closes")
	ErrLost    = errors.New("load: the responses cannot be read any more")
	ErrShort   = errors.New("load: a body was cut short")
)

// Conn is a connection of a slot, and its netconn.Protocol. The slot's lock guards it.
type Conn struct {
	slot   *drive.Slot
	net    *netconn.Conn
	script *Script
	depth  int // requests in flight at most
	reader Reader
	flight flight
	next   int   // index of the request that is answered next
	begun  int64 // when the first byte of the current response arrived; 0: not yet
	cause  endCause
	ended  bool
	writer writer
}

// writer is the state of the goroutine that writes large requests: the goroutine that reads responses must not block on a
// server that waits for responses to be read.
type writer struct {
	busy bool // it is running
	left int  // requests in flight that it still has to write
	turn int  // index of the first of them
}

// endCause says why we, and not the server, end a connection.
type endCause uint8

const (
	noCause      endCause = iota
	lastResponse          // the server announced that it closes
	badInput              // the input is not a valid response
	lost                  // what follows cannot be read
	timedOut
)

// Slot returns the connection's slot.
func (c *Conn) Slot() *drive.Slot { return c.slot }

// Net returns the connection below.
func (c *Conn) Net() *netconn.Conn { return c.net }

// InFlight returns how many requests wait for their response.
func (c *Conn) InFlight() int { return c.flight.total }

// Turn returns the index of the request that is answered next.
func (c *Conn) Turn() int { return c.next }

// Begin records that the response to the oldest request in flight has begun to arrive and is not complete.
func (c *Conn) Begin(now int64) {
	if c.begun == 0 && c.flight.total > 0 {
		c.begun = now
	}
}

// Settle counts the oldest request in flight, whose response is complete. wrong is the counter of the error that it
// has, or nil.
func (c *Conn) Settle(now int64, wrong *int64) {
	c.slot.Answered(*c.flight.oldest(), c.begun, c.next, now, wrong)
	c.begun = 0
	c.pop()
}

// pop forgets the oldest request in flight.
func (c *Conn) pop() {
	c.flight.pop()
	if c.script.Turns.All > 1 {
		c.next = c.script.Turns.After(c.next, 1)
	}
}
