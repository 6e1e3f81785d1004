// Package linger makes sure that a last response reaches a peer that is still sending.
//
// If a socket is closed with unread bytes, the kernel sends a reset, which may overtake what was written before and
// destroy it (RFC 9112 §9.6).
package linger

import (
	"io"
	"net"
	"time"
)

// Drain closes the write half of nc, and then reads and drops what the peer still sends: up to the end of the stream,
// at most most bytes, and no longer than until, which becomes nc's read deadline. It does not close nc. If the write
// half cannot be closed alone, Drain returns at once, since the peer would not learn that nothing follows.
func Drain(nc net.Conn, most int64, until time.Time) {
	half, ok := nc.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	nc.SetReadDeadline(until)
	io.CopyN(io.Discard, nc, most)
}
