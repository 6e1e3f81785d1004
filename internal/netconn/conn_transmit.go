package netconn

import (
	"io"
	"net"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/sys"
)

// noDeadline takes a deadline of a net.Conn away.
var noDeadline time.Time

// leaving is what a flusher sends: p, then q. As it leaves both become shorter.
type leaving struct{ p, q []byte }

func (l *leaving) size() int { return len(l.p) + len(l.q) }

// left takes away n bytes that have left.
func (l *leaving) left(n int) {
	k := min(n, len(l.p))
	l.p, l.q = l.p[k:], l.q[n-k:]
	l.shift()
}

// shift puts q in the place of an empty p.
func (l *leaving) shift() {
	if len(l.p) == 0 {
		l.p, l.q = l.q, nil
	}
}

// send is the flusher's way out. The loop inside the latch (direct) uses the descriptor itself. What the socket does not
// take at once waits for it, as long as the peer takes enough. l is handed on by its address because the stack of a
// goroutine that reads and writes is most of what it holds while it waits.
func (c *Conn) send(l *leaving, direct bool) error {
	if c.shim != nil {
		return c.shim.encrypt(l, direct)
	}
	return c.transmit(l, direct)
}

// transmit puts l on the wire. What comes after the write deadline is not sent, even if it need not wait.
func (c *Conn) transmit(l *leaving, direct bool) error {
	if at := c.userWrite.Load(); at != 0 && passed(at, c.eng.clock.time()) {
		return ErrSlow
	}
	size := l.size()
	c.eng.stats.out(size)
	if !c.socket {
		return c.transmitPlain(l)
	}
	var err error
	if direct {
		err = c.sendDirect(l)
	} else {
		s := c.waiter()
		err = s.tried(l, s.raw.Write(s.trying(l)))
	}
	if err != nil {
		return err
	}
	if c.sender != nil {
		c.sender.account.add(0, size-l.size())
	}
	if l.size() == 0 {
		return nil
	}
	return c.transmitWaiting(l)
}

// sendDirect sends, inside the latch, what the socket takes without waiting.
func (c *Conn) sendDirect(l *leaving) error {
	errno := l.sendSome(c.fd, c.final)
	c.sent = true
	if errno != 0 {
		return errno
	}
	return nil
}

// apartFrom is the size from which what is pending is sent by a system call of its own, held back for the large write
// that follows. Gathered sends of 1 MiB were measured to take a fifth more instructions of the kernel than plain ones
// and up to twice the time; at 64 KiB gathering is the cheaper of the two by 5 %.
const apartFrom = 256 << 10

// sendSome sends what the socket takes without waiting. last says that the end follows at once.
func (l *leaving) sendSome(fd int, last bool) syscall.Errno {
	for l.shift(); len(l.p) > 0; {
		var n int
		var errno syscall.Errno
		if len(l.q) > 0 && len(l.q) < apartFrom {
			n, errno = sys.SendTwo(fd, l.p, l.q)
		} else {
			n, errno = sys.Send(fd, l.p, last || len(l.q) > 0)
		}
		if errno == syscall.EAGAIN {
			return 0
		}
		if errno != 0 {
			return errno
		}
		l.left(n)
	}
	return 0
}

// transmitPlain sends through the net.Conn.
func (c *Conn) transmitPlain(l *leaving) error {
	for l.shift(); len(l.p) > 0; {
		n := len(l.p)
		if c.brittle() {
			n = min(n, brittlePiece)
		}
		if err := c.transmitPiece(l.p[:n]); err != nil {
			return err
		}
		l.left(n)
	}
	return nil
}

func (c *Conn) transmitPiece(p []byte) error {
	return c.waitSocket(func() (int, error) {
		n, err := c.nc.Write(p)
		p = p[n:]
		if err == nil && len(p) > 0 {
			err = io.ErrShortWrite
		}
		return n, err
	})
}

// isSocket tells whether nc is one of the standard library's own sockets. A type that embeds one and counts or decodes
// what passes must keep seeing every byte, so nothing less exact will do.
func isSocket(nc net.Conn) bool {
	switch nc.(type) {
	case *net.TCPConn, *net.UnixConn:
		return sys.Available
	}
	return false
}

// raw returns the raw connection of c's transport, which is a socket. It is made anew each time: a parked connection
// keeps none.
func (c *Conn) raw() syscall.RawConn {
	raw, err := c.nc.(syscall.Conn).SyscallConn()
	if err != nil {
		panic("netconn: a socket without a raw connection: " + err.Error()) // only a nil *net.TCPConn is
	}
	return raw
}
