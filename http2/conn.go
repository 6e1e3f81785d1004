package http2

import "io"

// Conn is one end of an HTTP/2 connection. It is not safe for concurrent use.
//
//	bytes ─► Next ─► receiver ──┐                       ┌── sender ◄─ header sections
//	          events ◄──────────┤                       │
//	                            └─► core ◄──────────────┴── DATA, resets, …
//	                                 streams, windows, schedule, settings, shutdown; what the peer owes
type Conn struct {
	core core
	work *workspace // nil while the connection is idle, see Trim
}

// NewServer returns the server's end of a connection. Its SETTINGS are pending at once: a server need not wait for the
// client's (RFC 9113 §3.4). cfg is kept and must not be modified any more.
func NewServer(cfg *Config, now int64) *Conn { return newConn(cfg, now, false) }

// NewClient returns the client's end of a connection. Its preface and SETTINGS are pending at once. cfg is kept and must
// not be modified any more.
func NewClient(cfg *Config, now int64) *Conn { return newConn(cfg, now, true) }

func newConn(cfg *Config, now int64, client bool) *Conn {
	if !cfg.complete {
		cfg = cfg.Complete()
	}
	return &Conn{core: newCore(cfg, now, client)}
}

// IsClient reports whether c is a client's end.
func (c *Conn) IsClient() bool { return c.core.client }

// Next consumes received bytes up to the next event, and returns how many it consumed. Frames may be cut anywhere. If
// Kind is EventNone, it needs more bytes: the owner keeps the rest of in (at most 300 bytes) and calls again when more have
// arrived after it.
//
// An error ends the connection (RFC 9113 §5.4.1) and is always an *Error: nothing more is consumed, the pending frames
// end with GOAWAY, and streams have no more events. Errors that end only a stream are EventReset, or EventRefused if
// the owner does not know the stream.
func (c *Conn) Next(in []byte, now int64) (ev Event, n int, err error) {
	k := &c.core
	k.now = now
	if k.streams.counts[tallyExcluded] > 0 && k.err == nil && k.nextExcluded(&ev) {
		return ev, 0, nil
	}
	if k.err == nil {
		n = c.use().recv.next(in, &ev)
	}
	if k.err != nil {
		return Event{}, n, k.err
	}
	return ev, n, nil
}

// Err returns the error that ended the connection, which Next and Tick return; nil if it has not ended.
func (c *Conn) Err() error {
	if c.core.err == nil {
		return nil
	}
	return c.core.err
}

// AppendPending appends the frames of the connection itself: acknowledgements, window updates, resets, GOAWAY.
func (c *Conn) AppendPending(dst []byte) []byte { return c.core.appendPending(dst) }

// Pending reports whether AppendPending has anything to append.
func (c *Conn) Pending() bool { return len(c.core.out) > 0 }

// PeerSettings returns the settings of the peer, which are the protocol's defaults before they arrive (RFC 9113 §6.5.2). An
// EventSettings tells that they have changed.
func (c *Conn) PeerSettings() PeerSettings { return c.core.peer.PeerSettings }

// Ping sends a PING, whose answer is an EventPong. Opaque values with the highest bit set are reserved: the bit is
// cleared.
func (c *Conn) Ping(opaque uint64) {
	if c.core.err == nil {
		c.core.pings++
		c.core.out = appendPing(c.core.out, 0, opaque&^ownPing)
	}
}

// Fail ends the connection on behalf of the owner. GOAWAY is the last frame in AppendPending; debug is text for the
// people at the other end. Nothing is received or sent after that.
func (c *Conn) Fail(code ErrCode, debug string) {
	c.core.failWith(local(code, "RFC 9113 §5.4.1", "ended by this side"), debug)
}

// Shutdown starts a graceful end of the connection, in two steps (RFC 9113 §6.8). The first GOAWAY still allows all
// streams. When the peer must have received it, because it has answered a PING or 1 s has passed, a second GOAWAY names
// the last stream that we accepted; later streams are ignored. A client, whose peer opens no streams, sends only the
// second.
func (c *Conn) Shutdown(now int64) {
	c.core.now = now
	c.core.startShutdown()
}

// Final reports whether our last GOAWAY has been sent or is pending: the peer can open no more streams.
func (c *Conn) Final() bool { return c.core.bye.stage == namedLast }

// Drained reports whether a connection that either side is shutting down has nothing left to do: all streams have ended,
// and no more can be opened. What is pending should still be sent.
func (c *Conn) Drained() bool { return c.core.drained() }

// End reports how the connection ended when the peer has closed its side: it returns io.EOF if nothing was incomplete,
// and io.ErrUnexpectedEOF if a frame or a stream was.
func (c *Conn) End() error {
	k := &c.core
	cut := c.work != nil && (c.work.recv.frame.left > 0 || c.work.recv.busy())
	if !cut {
		k.streams.each(func(s *Stream) bool {
			cut = s.phase.mayReceive() && !s.phase.released() || k.client && !s.phase.closed()
			return !cut
		})
	}
	if cut || int(k.greeting.preface) < len(Preface) {
		return io.ErrUnexpectedEOF
	}
	return io.EOF
}
