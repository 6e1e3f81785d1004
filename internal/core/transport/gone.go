package transport

import (
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// PeerGone reports whether the peer has closed its write half or the connection, or has reset it, as far as the system
// knows that without a read. known is false if only a read can tell: on a net.Conn without a descriptor, and on other
// systems than Linux. Over TLS it looks at the connection below. Any goroutine may call it.
func (c *Conn) PeerGone() (gone, known bool) {
	below, ok := c.Cleartext().(syscall.Conn)
	if !ok || !sys.Available {
		return false, false
	}
	raw, err := below.SyscallConn()
	if err != nil {
		return false, false
	}
	var errno syscall.Errno
	if raw.Control(func(fd uintptr) { gone, errno = sys.PeerGone(int(fd)) }) != nil {
		return true, true // it has been closed
	}
	return gone, errno == 0
}
