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

// send is the flusher's way out: p, then q. Small sends by the loop inside the latch (direct) go straight to the
// descriptor; all others wait for the socket as long as the peer takes enough.
func (c *Conn) send(p, q []byte, direct bool) error {
	if c.tls != nil {
		return c.shim.encrypt(p, q, direct)
	}
	return c.transmit(p, q, direct)
}

// transmit puts p and q on the wire.
func (c *Conn) transmit(p, q []byte, direct bool) error {
	c.eng.stats.out(len(p) + len(q))
	if c.raw == nil {
		if err := c.transmitPlain(p); err != nil {
			return err
		}
		return c.transmitPlain(q)
	}
	if direct {
		var errno syscall.Errno
		if p, q, errno = sendSome(c.fd, p, q); errno != 0 {
			return errno
		}
		if len(p)+len(q) == 0 {
			return nil
		}
	}
	return c.transmitWaiting(p, q)
}

// sendSome sends what the socket takes without waiting and returns the rest.
func sendSome(fd int, p, q []byte) (_, _ []byte, errno syscall.Errno) {
	for len(p)+len(q) > 0 {
		var n int
		if len(p) == 0 {
			n, errno = sys.Send(fd, q)
		} else if len(q) == 0 {
			n, errno = sys.Send(fd, p)
		} else {
			n, errno = sys.SendTwo(fd, p, q)
		}
		if errno == syscall.EAGAIN {
			return p, q, 0
		}
		if errno != 0 {
			return p, q, errno
		}
		k := min(n, len(p))
		p, q = p[k:], q[n-k:]
	}
	return nil, nil, 0
}

// sender is what a flusher hands to RawConn.Write.
type sender struct {
	p, q  []byte
	errno syscall.Errno
	try   func(fd uintptr) bool // s.send, bound once
}

func (s *sender) send(fd uintptr) bool {
	s.p, s.q, s.errno = sendSome(int(fd), s.p, s.q)
	return s.errno != 0 || len(s.p)+len(s.q) == 0
}

// transmitWaiting sends through the poller.
func (c *Conn) transmitWaiting(p, q []byte) error {
	s := c.sender
	if s == nil {
		s = &sender{}
		s.try = s.send
		c.sender = s
	}
	s.p, s.q = p, q
	defer func() { s.p, s.q = nil, nil }()
	return c.waitSocket(func() (int, error) {
		left := len(s.p) + len(s.q)
		err := c.raw.Write(s.try)
		if err == nil && s.errno != 0 {
			err = s.errno
		}
		return left - len(s.p) - len(s.q), err
	})
}

// transmitPlain sends through the net.Conn.
func (c *Conn) transmitPlain(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	return c.waitSocket(func() (int, error) {
		n, err := c.nc.Write(p)
		p = p[n:]
		if err == nil && len(p) > 0 {
			err = io.ErrShortWrite
		}
		return n, err
	})
}

// waitSocket runs step until it succeeds. step returns how many bytes it moved; a kick makes it fail with a timeout,
// after which the peer is judged and step is run again.
func (c *Conn) waitSocket(step func() (int, error)) error {
	clock := c.eng.clock
	now := clock.time()
	account := writeAccount{cfg: &c.eng.cfg, began: now, progress: now}
	for {
		if err := c.writeVerdict(now, &account); err != nil {
			return err
		}
		c.waitUntil(&c.writeBy, earlier(c.userWrite.Load(), account.next(now)))
		n, err := step()
		c.writeBy.Store(0)
		if err == nil || !isTimeout(err) {
			return err
		}
		c.unkickWrite()
		now = clock.time()
		account.add(n, now)
	}
}

// writeVerdict tells whether a flusher must give up at now.
func (c *Conn) writeVerdict(now int64, a *writeAccount) error {
	if c.aborted.Load() {
		return ErrAbort
	}
	if passed(c.userWrite.Load(), now) || a.tooSlow(now) {
		c.eng.stats.slow.Add(1)
		return ErrSlow
	}
	return nil
}

// unkickWrite takes the mark of a kickWrite back.
func (c *Conn) unkickWrite() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.nc.SetWriteDeadline(noDeadline)
	}
}

// exactSocket returns the raw connection of nc if nc is one of the standard library's own sockets. A type that embeds
// one and counts or decodes what passes must keep seeing every byte, so nothing less exact will do.
func exactSocket(nc net.Conn) syscall.RawConn {
	if !sys.Available {
		return nil
	}
	var raw syscall.RawConn
	var err error
	switch nc := nc.(type) {
	case *net.TCPConn:
		raw, err = nc.SyscallConn()
	case *net.UnixConn:
		raw, err = nc.SyscallConn()
	}
	if err != nil {
		return nil
	}
	return raw
}
