package server

import (
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

// drainBounds bounds the reading of a body's unread rest, which is discarded so that the connection can be used again.
// A client that waits for a response that is not complete must not wait long.
var drainBounds = httpread.Bounds{Bytes: 256 << 10, Wait: 500 * time.Millisecond, Time: 5 * time.Second}

// promisedBounds bounds the same behind a response that did not say that the connection closes. How long a body in chunks is
// may turn out only there, and the client may have sent its next request already, which would be lost if the connection
// ended.
var promisedBounds = httpread.Bounds{Bytes: 16 << 20, Wait: drainBounds.Wait, Time: drainBounds.Time}

// clientSending reports whether the client is probably still sending. A client that waits for 100 Continue and did not
// get it has most likely stopped.
func (b *requestBody) clientSending() bool {
	e := b.expect.Load()
	return !b.Ended() && e != expected && e != notContinued
}

// arrivedBounds bounds the same before a response that is complete. It serves only to find out whether too much
// arrives.
var arrivedBounds = httpread.Bounds{Bytes: drainBounds.Bytes, Wait: 10 * time.Millisecond, Time: 100 * time.Millisecond}

// prepareBody handles the unread rest of the request's body before a response begins. It reports whether another
// request may follow. After a complete response there is time to read a small rest. A streamed response must not begin
// before the rest has been read; clients that send the whole request before they read anything also need that.
func (m *h1Message) prepareBody(whole bool) bool {
	b := &m.req.body
	switch {
	case b.Ended():
		return true
	case !b.drainable(drainBounds.Bytes):
		return false
	case !whole:
		within := drainBounds
		within.Time = m.Conn.WriteTimeLeft(within.Time)
		m.drainBody(within)
		return b.Ended()
	}
	return b.Left() >= 0 || b.DiscardArrived(m.Conn, arrivedBounds)
}

// drainBody reads and discards the rest of the body within bounds, unless it is longer for sure. If the body has not ended
// afterwards, the connection must be closed.
func (m *h1Message) drainBody(within httpread.Bounds) {
	b := &m.req.body
	if b.Ended() || !b.drainable(within.Bytes) {
		return
	}
	b.Discard(m.Conn, within)
	b.Fail(http.ErrBodyReadAfterClose)
}

// drainable reports whether drainBody would try to read up to the end of the body. A client that still waits for 100
// Continue does not send the body. A client that got a final response instead may send it: in full duplex the response
// did not say that the connection closes, so the body still has to be read (RFC 9110 §10.1.1).
func (b *requestBody) drainable(most int) bool {
	return b.Err() == nil && b.expect.Load() != expected && b.MinLeft() <= int64(most)
}
