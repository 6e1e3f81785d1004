package http2

// Open opens a stream of a client. The next header section that is appended must be that stream's. The error is
// ErrTooManyStreams, ErrGoingAway, ErrStreamIDs or the error that ended the connection.
func (c *Conn) Open(owner any) (*Stream, error) {
	k := &c.core
	switch {
	case k.err != nil:
		return nil, k.err
	case !k.client || k.bye.closing():
		return nil, ErrGoingAway
	case k.streams.opening || k.streams.active() >= k.peer.MaxStreams:
		return nil, ErrTooManyStreams
	case k.streams.next > maxStreamID:
		return nil, ErrStreamIDs
	}
	c.use()
	s := k.openStream(k.streams.next)
	k.streams.next += 2
	k.streams.opening = true
	s.Owner = owner
	return s, nil
}

// Room returns how many streams a client can open now.
func (c *Conn) Room() int {
	k := &c.core
	n, most := k.streams.active(), k.peer.MaxStreams
	if k.err != nil || !k.client || k.bye.closing() || k.streams.next > maxStreamID || n >= most {
		return 0
	}
	return int(min(most-n, maxWindow))
}

// Reset ends a stream with RST_STREAM, which waits in AppendPending. The owner must still release the stream. If the
// stream has ended already, Reset does nothing; if its HEADERS were not appended, nothing is sent.
func (c *Conn) Reset(s *Stream, code ErrCode) { c.core.reset(s, code) }

// Release ends the owner's use of the stream: it must not keep a pointer to it. A stream that has not ended is reset with
// CANCEL. If we are a server and our message is complete, the rest of the request is not needed: then it is reset with
// NO_ERROR (RFC 9113 §8.1), or the rest is received and discarded, see discard.go. What was received and not consumed counts
// as consumed. The RST_STREAM waits in AppendPending.
func (c *Conn) Release(s *Stream) { c.core.release(s) }

// Consumed records that the owner has processed n bytes of the stream's Data. When half of a window has been consumed, a
// WINDOW_UPDATE waits in AppendPending; the window may be enlarged then.
func (c *Conn) Consumed(s *Stream, n int, now int64) {
	k := int32(min(n, int(s.unconsumed)))
	if k <= 0 || c.core.err != nil {
		return
	}
	c.core.now = now
	c.core.consumed(s, k)
}

// Streams calls yield for every stream that was not released, in no particular order. The connection must not be changed
// meanwhile.
func (c *Conn) Streams(yield func(*Stream) bool) {
	c.core.streams.each(func(s *Stream) bool { return s.phase.released() || yield(s) })
}

// Len returns the number of streams that were not released.
func (c *Conn) Len() int { return int(c.core.streams.n) - int(c.core.streams.counts[tallyDiscarding]) }
