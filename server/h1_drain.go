package server

import (
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/internal/httpread"
)

// drain is what may be spent on what a handler left of a body: it is read and thrown away, so that the connection can be
// used again. A client that waits for an answer that cannot leave whole must not wait long.
var drainBounds = httpread.Bounds{Bytes: 256 << 10, Wait: 500 * time.Millisecond, Time: 5 * time.Second}

// coming reports whether the client is still sending. One that was never told to go on has most likely stopped.
func (b *requestBody) clientSending() bool {
	e := b.expect.Load()
	return !b.Ended() && e != expected && e != notContinued
}

// arriving is what may be spent so before an answer that leaves whole: only to know whether too much comes.
var arrivedBounds = httpread.Bounds{Bytes: drainBounds.Bytes, Wait: 10 * time.Millisecond, Time: 100 * time.Millisecond}

// prepare sees to the rest of a body before an answer begins, and reports whether another request may follow. Behind an
// answer that leaves whole there is time to read a small rest; any other must not begin before that is done, which is
// also what clients need that send all of their request before they read.
func (m *h1Message) prepareBody(whole bool) bool {
	b := &m.req.body
	switch {
	case b.Ended():
		return true
	case !b.drainable():
		return false
	case !whole:
		m.drainBody()
		return b.Ended()
	}
	return b.Left() >= 0 || b.DiscardArrived(m.Conn, arrivedBounds)
}

// settle reads the rest of a body if it is small. One that has not ended afterwards ends the connection.
func (m *h1Message) drainBody() {
	b := &m.req.body
	if b.Ended() || !b.drainable() {
		return
	}
	b.Discard(m.Conn, drainBounds)
	b.Fail(http.ErrBodyReadAfterClose)
}

// settles reports whether settle would try to come to the body's end. A client that waits to be told to go on does not
// send it. One that has been answered instead may: in full duplex the answer did not say that the connection closes, so the
// body is still to be read (RFC 9110 §10.1.1).
func (b *requestBody) drainable() bool {
	return b.Err() == nil && b.expect.Load() != expected && b.AtLeast() <= int64(drainBounds.Bytes)
}
