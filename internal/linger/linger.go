// Package linger lets a last answer arrive at a peer that is still sending.
//
// A close with unread bytes makes the kernel send a reset, and a reset may overtake what was written before it and
// destroy it (RFC 9112 §9.6).
package linger

import (
	"io"
	"net"
	"time"
)

// HearOut ends our half of nc, then reads and drops what the peer still sends: up to its end, no more than most bytes
// and no later than until, which becomes nc's read deadline. It does not close nc. Where our half cannot be ended alone it
// returns at once, since the peer would not learn that nothing follows.
func HearOut(nc net.Conn, most int64, until time.Time) {
	half, ok := nc.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	nc.SetReadDeadline(until)
	io.CopyN(io.Discard, nc, most)
}
