package streamsock

import (
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// conn is one connection of a peer.
//
//	open ──► ending: what is in line leaves, then our FIN or close frame ──► over
//	  │         ▲
//	  └► heard: the peer has sent its FIN; when the user has been told ─┘
//
// Its goroutine reads; what it writes comes from the peer's line, and from whoever sends past that.
type conn struct {
	peer   *Peer
	nc     *netconn.Conn
	wire   wire
	framed bool // ws and wss: there are close frames
	window int
	since  time.Time // when it began

	drains func()      // drain, made once
	warm   atomic.Bool // something has been sent, and nothing came since: who sends next is gathered

	// Guarded by peer.mu.
	busy    bool        // somebody is about to write: what is sent stands in line
	asked   bool        // the output will ask for what is in line
	broken  bool        // writing has failed
	stuck   bool        // it has taken nothing from the line for as long as keepNear waits
	closing bool        // no more than what is in line leaves, which is
	left    int         // so many messages
	end     End         // why
	told    bool        // the user has been told, or is about to be
	tire    *time.Timer // of keepNear, while there are
	waiters int         // there

	// The connection's goroutine's.
	arrived *batch // what has been found in what is being read
	partial int    // what the inbox knows of a message that is not whole, in bytes
	deaf    bool   // nobody wants what comes
	said    bool   // our close frame has been sent
	seen    bool   // the peer's has come
	cut     bool   // Linger was over before everything had left
	clean   bool   // every message had left when our close frame was sent
	pace    pace
	pulse   pulse
	over    chan struct{} // closed when it is over
	late    atomic.Bool   // Linger has passed
	waits   atomic.Bool   // for the user to take what has come
}

// Data implements netconn.Protocol.
func (c *conn) Data(nc *netconn.Conn, in []byte) (n int, err error) {
	c.warm.Store(false)
	if len(in) > 0 {
		c.pulse.note(nc.Moment())
		n, err = c.read(in)
		c.handOver()
		if c.pace.note(nc.Moment(), n, c.wire.between()) {
			c.alarm(rateGrace)
		}
		c.account()
	}
	if err != nil && !c.seen {
		return c.stop(err)
	}
	return n, c.last()
}
