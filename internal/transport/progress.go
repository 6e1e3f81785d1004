package transport

import (
	"net"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/sys"
)

// largestWindow is how much a receiver is taken to buffer at most: Linux's default bound.
const largestWindow = 6 << 20

// Outstanding returns how many bytes the system holds for the peer that has not acknowledged them, 0 where that cannot be
// known.
func (c *Conn) Outstanding() (n int) {
	inspect(c.Cleartext(), func(fd int) { n = max(0, sys.Unsent(fd)) })
	return n
}

// Taken returns how much of the given bytes that the connection has accepted, of which count is up to the caller, has
// reached the peer; only differences mean something. What a connection accepts says little about its peer: the system
// fills a buffer of its own first, and lets that grow.
func (c *Conn) Taken(given int64) (n int64) {
	n = given
	inspect(c.Cleartext(), func(fd int) {
		if acked, segment := sys.Delivered(fd); segment > 0 {
			n = int64(acked) // as the system counts, whoever else stands between
		} else if c.kind == socket {
			n -= int64(max(0, sys.Unsent(fd)))
		}
	})
	return n
}

// Leap returns how much the peer may have to read before that shows. A receiver whose
// window has closed opens it again when a sixteenth of its buffer is free, or room for a segment; what a system counts of
// a segment that is read in part makes that up to two. How large the buffer is the sender does not know, but it has not
// grown beyond what was acknowledged. Of a net.Conn that has no descriptor nothing is known: the largest leap is assumed.
// Over TLS a peer reads whole records, of 16 KiB if it is us who send: it reads nothing for as long as it lives on one.
func (c *Conn) WindowStep() (n int) {
	if _, ok := c.Cleartext().(syscall.Conn); !ok {
		return largestWindow / 16
	}
	inspect(c.Cleartext(), func(fd int) {
		acked, segment := sys.Delivered(fd)
		n = max(min(2*segment, int(min(acked, largestWindow))), int(min(acked, largestWindow))/16)
	})
	if c.Secured() || c.Brittle() {
		n += Record
	}
	return n
}

// inspect calls f with the descriptor of nc, if there is one.
func inspect(nc net.Conn, f func(fd int)) {
	s, ok := nc.(syscall.Conn)
	if !sys.Available || !ok {
		return
	}
	if raw, err := s.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { f(int(fd)) })
	}
}
