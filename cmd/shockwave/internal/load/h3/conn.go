package h3

import (
	"sync"
	"sync/atomic"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// conn is a connection of a slot. Each worker keeps one stream open, so that as many requests are
// in flight as there are workers. The slot's lock guards it.
//
//	worker: open a stream ─► wait for a request that may be sent ─► send it ─► read the response ─► count
type conn struct {
	slot      *drive.Slot
	requests  *requests
	forget    func() // tells the driver that the connection has ended
	quic      *quic.Conn
	may       sync.Cond     // a request may be sent, or none ever will be; its lock is the shard's
	workers   int           // that have not returned
	used      int           // requests in flight
	goingAway bool          // no new requests are sent
	told      chan struct{} // closed by a GOAWAY
	ended     bool          // the connection has ended
	broken    bool          // the server broke a rule
	blame     bool          // of the connection: the next request that fails by its end counts as that error
	left      int           // requests that had no response when the connection ended
	lastInput atomic.Int64
}

// requests are the requests of a run.
type requests struct {
	encoded [][]byte // by turn: heads and bodies in frames
	method  string
}

// end ends the connection, and makes the workers return.
func (c *conn) end(code h3frame.Code) { c.quic.CloseWithError(quic.ApplicationErrorCode(code), "") }

// noteEnd is called when the connection has ended.
func (c *conn) noteEnd() {
	c.slot.Lock()
	defer c.slot.Unlock()
	if !c.ended {
		c.ended, c.left = true, c.used
	}
	c.may.Broadcast()
}

// next waits until a request may be sent, and returns its times and index. ok is false if none will be sent any more.
func (c *conn) next() (g drive.Group, turn int, ok bool) {
	c.slot.Lock()
	defer c.slot.Unlock()
	for !c.ended && !c.goingAway && !c.slot.Over() {
		if g, turn = c.slot.Claim(c.slot.Now(), 1); g.N > 0 {
			c.used++
			return g, turn, true
		}
		c.may.Wait()
	}
	return g, 0, false
}

// Nudge implements drive.Conn. It wakes workers that wait for a request that may be sent.
func (c *conn) Nudge(int64) {
	c.slot.Lock()
	defer c.slot.Unlock()
	if c.slot.Scheduled() {
		c.may.Signal()
	} else {
		c.may.Broadcast()
	}
}

// Expire implements drive.Conn. The deadlines of the streams do that.
func (c *conn) Expire(int64) {}

// Abort implements drive.Conn.
func (c *conn) Abort() { c.end(h3frame.NoError) }

// bytes returns the bytes received and sent, counted at the transport.
func (c *conn) bytes() (in, out int64) {
	st := c.quic.ConnectionStats()
	return int64(st.BytesReceived), int64(st.BytesSent)
}
