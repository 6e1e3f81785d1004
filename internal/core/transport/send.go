package transport

import (
	"net"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// TrySend sends as much of b as the connection takes without waiting, and returns how many bytes it has sent, with TLS
// counted after encryption. On a connection that is not a socket it sends nothing. fd is the descriptor if the caller
// is inside the latch. With last, the end of the stream follows at once, and over TLS the closing alert is sent, too.
func (c *Conn) TrySend(b *Batch, fd int, last bool) (n int, err error) {
	if c.kind != socket {
		return 0, nil
	}
	if c.tls != nil {
		return c.tls.send(b, fd, last, false)
	}
	if fd == NoDescriptor {
		return writerOf(&c.below).tryNow(b)
	}
	return trySocket(&c.below, b, fd, last)
}

// Send sends b and waits until it is taken. A deadline interrupts it with a timeout; the next Send then sends the rest
// of b, and the data that Unsent reports.
func (c *Conn) Send(b *Batch, last bool) (n int, err error) {
	if c.tls != nil {
		return c.tls.send(b, NoDescriptor, last, true)
	}
	return c.sendBelow(b)
}

// SendsFiles reports whether SendFile works: there is a socket below, and no TLS.
func (c *Conn) SendsFiles() bool {
	if c.tls != nil || !sys.Available {
		return false
	}
	switch c.nc.(type) {
	case *net.TCPConn, *net.UnixConn:
		return true
	}
	return false
}

// SendFile makes the system send up to most bytes of the open file, from the offset at or, if that is negative, from the
// current position, which then moves. It waits until the socket takes some. 0 without an error means the end of the file.
func (c *Conn) SendFile(file int, at int64, most int) (n int, err error) {
	raw, errno := syscall.RawConn(nil), syscall.Errno(0)
	if c.kind == socket {
		raw = writerOf(&c.below).raw
	} else {
		raw = c.Raw()
	}
	err = raw.Write(func(fd uintptr) bool {
		n, errno = sys.SendFile(int(fd), file, at, most)
		return errno != syscall.EAGAIN
	})
	if err == nil && errno != 0 {
		err = errno
	}
	return n, err
}

// Trim releases what an idle connection does not need. There must be no reader and no sender.
func (c *Conn) Trim() {
	c.w = nil
	if c.tls != nil {
		c.tls.trim()
	}
}

// Refuses reports whether a socket accepts no more output, as after a reset. It returns false for other connections,
// without asking the system.
func (c *Conn) Refuses() (refuses bool) {
	switch c.nc.(type) {
	case *net.TCPConn, *net.UnixConn:
		c.Raw().Control(func(fd uintptr) {
			_, errno := sys.Send(int(fd), nil, false)
			refuses = errno == syscall.EPIPE || errno == syscall.ECONNRESET
		})
	}
	return refuses
}
