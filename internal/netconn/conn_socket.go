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

// transmit puts p and q on the wire. What comes after the write deadline is not sent, even if it need not wait.
func (c *Conn) transmit(p, q []byte, direct bool) error {
	if at := c.userWrite.Load(); at != 0 && passed(at, c.eng.clock.time()) {
		return ErrSlow
	}
	c.eng.stats.out(len(p) + len(q))
	if c.raw == nil {
		if err := c.transmitPlain(p); err != nil {
			return err
		}
		return c.transmitPlain(q)
	}
	if direct {
		var errno syscall.Errno
		size := len(p) + len(q)
		if p, q, errno = sendSome(c.fd, p, q); errno != 0 {
			return errno
		}
		c.sent = true
		if c.sender != nil {
			c.sender.account.add(0, size-len(p)-len(q))
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

// sender is what a flusher has that may have to wait for the socket.
type sender struct {
	p, q    []byte
	errno   syscall.Errno
	try     func(fd uintptr) bool // s.send, bound once
	account writeAccount
}

// waiter returns c's sender. It is the flusher's.
func (c *Conn) waiter() *sender {
	if c.sender == nil {
		c.sender = &sender{}
		c.sender.try = c.sender.send
	}
	return c.sender
}

func (s *sender) send(fd uintptr) bool {
	s.p, s.q, s.errno = sendSome(int(fd), s.p, s.q)
	return s.errno != 0 || len(s.p)+len(s.q) == 0
}

// transmitWaiting sends through the poller.
func (c *Conn) transmitWaiting(p, q []byte) error {
	s := c.waiter()
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
	cfg, clock, account := &c.eng.cfg, c.eng.clock, &c.waiter().account
	now := clock.time()
	progress := now
	for {
		c.writeBy.Store(never) // first say that we wait: SetWriteDeadline kicks who does
		at := earlier(c.userWrite.Load(), after(progress, cfg.WriteTimeout))
		if err := c.writeVerdict(at, now); err != nil {
			c.writeBy.Store(0)
			return err
		}
		if cfg.MinWriteRate > 0 {
			at = earlier(at, now+account.next(cfg))
		}
		c.waitUntil(&c.writeBy, at)
		n, err := step()
		c.writeBy.Store(0)
		began := now
		now = clock.time()
		account.add(now-began, n)
		if err == nil || !isTimeout(err) {
			return err
		}
		if n > 0 {
			progress = now
		}
		c.unkickWrite()
	}
}

// writeVerdict tells whether a flusher that must be done at at (0: never) has to give up at now.
func (c *Conn) writeVerdict(at, now int64) error {
	if c.aborted.Load() {
		return ErrAbort
	}
	if passed(at, now) || c.sender.account.tooSlow(&c.eng.cfg, c.unsent) {
		c.eng.stats.slow.Add(1)
		return ErrSlow
	}
	return nil
}

// unsent returns how many bytes the kernel holds for the peer, 0 where that cannot be known.
func (c *Conn) unsent() (n int) {
	raw := c.raw
	if raw == nil {
		raw = exactSocket(c.nc)
	}
	if raw != nil {
		raw.Control(func(fd uintptr) { n = max(0, sys.Unsent(int(fd))) })
	}
	return n
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
