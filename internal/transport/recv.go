package transport

import (
	"net"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/sys"
)

// inq says whether the kernel tells with each receive how much is left.
type inq uint8

const (
	notAsked inq = iota // it costs a system call, which a connection for one message does without
	counted
	uncounted
)

// Unknown is what Receive says of what is left when the kernel does not tell.
const Unknown = sys.InqUnknown

// Receive receives from the descriptor of a socket, without waiting. left is how much the socket holds after it: 0 says
// that neither a byte nor the end of the stream is there, unless the connection has been reset.
func (c *Conn) Receive(fd int, p []byte) (n, left int, errno syscall.Errno) {
	if c.inq == counted {
		return sys.RecvInq(fd, p)
	}
	n, errno = sys.Recv(fd, p)
	return n, Unknown, errno
}

// AskCount has the kernel tell from now on how much each Receive has left, if it can.
func (c *Conn) AskCount(fd int) {
	if c.inq != notAsked {
		return
	}
	c.inq = uncounted
	if _, tcp := c.nc.(*net.TCPConn); tcp && sys.SetInq(fd) {
		c.inq = counted
	}
}
