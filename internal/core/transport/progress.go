package transport

import (
	"net"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// largestWindow is the assumed limit of a receiver's buffer: Linux's default.
const largestWindow = 6 << 20

// Progress says how far output has come.
type Progress struct {
	Taken       int64 // bytes that the peer has taken, as far as is known; only differences are meaningful
	Outstanding int64 // bytes that the system holds and the peer has not acknowledged
	Unsent      bool  // output waits in the queue, or is being sent
}

// Outstanding returns how many bytes the system holds that the peer has not acknowledged, 0 if unknown.
func (c *Conn) Outstanding() (n int) {
	inspect(c.Cleartext(), func(fd int) { n = max(0, sys.Unsent(fd)) })
	return n
}

// LimitUnsent makes the system refuse output while it holds n bytes that it has not sent for the first time, where it can.
func (c *Conn) LimitUnsent(n int) {
	inspect(c.Cleartext(), func(fd int) { sys.LimitUnsent(fd, n) })
}

// Taken returns how many of the given bytes, which the connection has accepted, have reached the peer. The caller
// chooses where given starts to count; only differences of the result are meaningful. What a connection accepts says
// little about the peer: the system fills a buffer of its own first, and lets that grow.
func (c *Conn) Taken(given int64) (n int64) {
	n = given
	inspect(c.Cleartext(), func(fd int) {
		if acked, segment := sys.Delivered(fd); segment > 0 {
			n = int64(acked) // counted by the system, even if there are layers above the socket
		} else if c.kind == socket {
			n -= int64(max(0, sys.Unsent(fd)))
		}
	})
	return n
}

// WindowStep returns how many bytes the peer may have to read before it acknowledges anything. A receiver whose window
// has closed opens it again when a sixteenth of its buffer, or room for a segment, is free; because of how systems
// count a partly read segment, that can be two segments. The sender does not know the size of the buffer, but it is at
// most what has been acknowledged. For a net.Conn without a descriptor the largest step is assumed. Over TLS the peer
// reads whole records, of 16 KiB if we send them, and reads nothing while it consumes one.
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

// PeerBuffer returns how many bytes may lie unread in the peer's buffer. The sender does not know its size, but it is at
// most what has been acknowledged.
func (c *Conn) PeerBuffer() (n int64) {
	n = largestWindow
	inspect(c.Cleartext(), func(fd int) {
		if acked, segment := sys.Delivered(fd); segment > 0 {
			n = int64(min(acked, largestWindow))
		}
	})
	return n
}

// inspect calls f with the descriptor of nc, if it has one.
func inspect(nc net.Conn, f func(fd int)) {
	s, ok := nc.(syscall.Conn)
	if !sys.Available || !ok {
		return
	}
	if raw, err := s.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { f(int(fd)) })
	}
}
