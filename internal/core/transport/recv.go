package transport

import (
	"net"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// Unknown is the left result of Receive if the kernel does not report it.
const Unknown = sys.InqUnknown

// Receive receives from the descriptor of a socket, without waiting. left is how many bytes the socket still holds: 0
// means neither bytes nor the end of the stream, unless the connection has been reset.
func (c *below) Receive(fd int, p []byte) (n, left int, errno syscall.Errno) {
	if c.inq == counted {
		return sys.RecvInq(fd, p)
	}
	n, errno = sys.Recv(fd, p)
	return n, Unknown, errno
}

// AskCount makes the kernel report with each later Receive how much is left, if it can.
func (c *below) AskCount(fd int) {
	if c.inq == notAsked {
		c.askCount(fd)
	}
}

// askCount is not inlined, so that AskCount is.
//
//go:noinline
func (c *below) askCount(fd int) {
	c.inq = uncounted
	if _, tcp := c.nc.(*net.TCPConn); tcp && sys.SetInq(fd) {
		c.inq = counted
	}
}
