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
	frames *frames   // the wire on ws and wss, where there are pings and close frames; nil elsewhere
	since  time.Time // when it was opened

	// Guarded by peer.mu.
	writer writer
	near   near
	ending ending

	// Used by the connection's goroutine.
	batch      *batch // the messages found in the current input
	partial    int    // bytes of an incomplete message, as the inbox knows
	discarding bool   // input is not delivered any more
	close      closeHandshake
	delivery   delivery
	rate       rateCheck
	heartbeat  heartbeat

	over         chan struct{} // closed when the connection is over
	lingerOver   atomic.Bool   // Linger has passed
	waitsForUser atomic.Bool   // reading is paused until the user has taken messages
}

// closeHandshake is which close frames there have been (RFC 6455 §7.1.2).
type closeHandshake struct{ sent, received bool }

// framed reports whether the wire has close frames.
func (c *conn) framed() bool { return c.frames != nil }

// Data implements netconn.Protocol.
func (c *conn) Data(nc *netconn.Conn, in []byte) (n int, err error) {
	c.writer.gather.Received()
	if len(in) > 0 {
		c.heartbeat.signOfLife(nc.Moment())
		n, err = c.read(in)
		c.handOver()
		if c.rate.received(nc.Moment(), n, c.wire.between()) {
			c.alarm(rateGrace)
		}
		c.accountPartial()
	}
	if err != nil && !c.close.received {
		return c.stop(err)
	}
	return n, c.checkEnd()
}

// alarm schedules Alarm after d, or earlier if the heartbeat needs it.
func (c *conn) alarm(d time.Duration) {
	if c.heartbeat.interval > 0 && c.heartbeat.interval < d {
		d = c.heartbeat.interval
	}
	c.nc.SetAlarm(d)
}

// Alarm implements netconn.Alarmer.
func (c *conn) Alarm() {
	now := c.nc.Moment()
	waitsForUser := c.waitsForUser.Load() // load it first: pauses that end after this are checked next time
	tooSlow, underWay := c.rate.tooSlow(now, c.peer.sock.inbox.leastRate(&c.peer.in))
	if tooSlow && !waitsForUser {
		c.fail(errTooSlow)
		return
	}
	next := time.Duration(0)
	if underWay {
		next = rateGrace
	}
	if c.heartbeat.interval > 0 {
		rest, silent := c.heartbeat.check(c.frames, now, !waitsForUser)
		if silent {
			c.fail(errSilent)
			return
		}
		if next == 0 || rest < next {
			next = rest
		}
	}
	if next > 0 {
		c.nc.SetAlarm(next)
	}
}
