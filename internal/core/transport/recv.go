package transport

import (
	"net"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// inq says whether the kernel reports with each receive how much is left.
type inq uint8

const (
	notAsked inq = iota // asking costs a system call, which a connection for one message saves
	counted
	uncounted
)

// Unknown is the left result of Receive if the kernel does not report it.
const Unknown = sys.InqUnknown

// Receive receives from the descriptor of a socket, without waiting. left is how many bytes the socket still holds: 0
// means neither bytes nor the end of the stream, unless the connection has been reset.
func (c *Conn) Receive(fd int, p []byte) (n, left int, errno syscall.Errno) {
	if c.inq == counted {
		return sys.RecvInq(fd, p)
	}
	n, errno = sys.Recv(fd, p)
	return n, Unknown, errno
}

// AskCount makes the kernel report with each later Receive how much is left, if it can.
func (c *Conn) AskCount(fd int) {
	if c.inq == notAsked {
		c.askCount(fd)
	}
}

// askCount is not inlined, so that AskCount is.
//
//go:noinline
func (c *Conn) askCount(fd int) {
	c.inq = uncounted
	if _, tcp := c.nc.(*net.TCPConn); tcp && sys.SetInq(fd) {
		c.inq = counted
	}
}
