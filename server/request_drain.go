package server

import (
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/internal/httpread"
)

// drain is what may be spent on what a handler left of a body: it is read and thrown away, so that the connection can be
// used again. A client that waits for the answer first must not wait long.
var drain = httpread.Bounds{Bytes: 256 << 10, Wait: 500 * time.Millisecond, Time: 5 * time.Second}

// coming tells whether the client is still sending. One that was never told to go on has most likely stopped.
func (b *requestBody) coming() bool {
	e := b.expect.Load()
	return !b.Ended() && e != expected && e != notContinued
}

// settle sees to the rest of a body before the answer begins: it reads it if it is small, which is also what clients
// need that send all of their request before they read. A body that has not ended afterwards ends the connection.
func (r *Request) settle() {
	b := &r.body
	if b.Ended() || b.failure() != nil || b.expect.Load() == expected {
		return
	}
	if b.Left() > int64(drain.Bytes) {
		return
	}
	b.Discard(r.x.c, drain)
	b.Fail(http.ErrBodyReadAfterClose)
}
