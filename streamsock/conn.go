package streamsock

import (
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// conn is one connection of a peer.
//
//	open ──► closing: the queue is sent, then our FIN or close frame ──► over
//	 │         ▲
//	 └► ended by the peer: until the user has been told of its FIN ─┘
//
// Its goroutine reads. Output comes from the peer's queue, or directly from a Send while the queue is empty.
type conn struct {
	peer   *Peer
	nc     *netconn.Conn
	wire   wire
	framed bool // ws or wss: there are close frames
	window int
	since  time.Time // when it was opened

	// Guarded by peer.mu.
	gather       netconn.Gather // when the queue is sent
	writing      bool           // a goroutine is about to write: others put their messages into the queue
	writeBroken  bool           // writing has failed
	stuck        bool           // nothing was taken from the queue for nearWait
	closing      bool           // only the messages that are queued now are sent
	lastMessages int            // how many of these are left
	end          End            // why it is closing
	endReported  bool           // the user has received EventDisconnected, or is about to
	nearTimer    *time.Timer    // calls nearTimeout while nearWaiters is not 0
	nearWaiters  int            // goroutines in awaitNearRoom

	// Used by the connection's goroutine.
	batch         *batch // the messages found in the current input
	partial       int    // bytes of an incomplete message, as the inbox knows
	discarding    bool   // input is not delivered any more
	closeSent     bool   // our close frame was sent
	closeReceived bool   // the peer's close frame was received
	outputCut     bool   // Linger ended before all output was sent
	allSent       bool   // all messages were sent before our close frame
	rate          rateCheck
	heartbeat     heartbeat
	over          chan struct{} // closed when the connection is over
	lingerOver    atomic.Bool   // Linger has passed
	waitsForUser  atomic.Bool   // reading is paused until the user has taken messages
}

// Data implements netconn.Protocol.
func (c *conn) Data(nc *netconn.Conn, in []byte) (n int, err error) {
	c.gather.Received()
	if len(in) > 0 {
		c.heartbeat.signOfLife(nc.Moment())
		n, err = c.read(in)
		c.handOver()
		if c.rate.received(nc.Moment(), n, c.wire.between()) {
			c.alarm(rateGrace)
		}
		c.accountPartial()
	}
	if err != nil && !c.closeReceived {
		return c.stop(err)
	}
	return n, c.checkEnd()
}
