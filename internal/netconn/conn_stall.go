package netconn

import (
	"crypto/tls"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/sys"
)

// sender is what a flusher has that may have to wait for the socket.
type sender struct {
	leaving
	errno   syscall.Errno
	once    bool                  // try does not wait
	raw     syscall.RawConn       // of a socket
	try     func(fd uintptr) bool // sends; false says that the socket takes nothing
	account writeAccount
	solo
}

// waiter returns c's sender. It is the flusher's.
func (c *Conn) waiter() *sender {
	if c.sender == nil {
		c.sender = newSender(c)
	}
	return c.sender
}

func newSender(c *Conn) *sender {
	s := new(sender)
	if c.socket {
		s.raw = c.raw()
		s.try = func(fd uintptr) bool {
			s.errno = s.sendSome(int(fd), false)
			return s.errno != 0 || s.once || s.size() == 0
		}
	}
	return s
}

// trying returns a try that does not wait to send l.
func (s *sender) trying(l *leaving) func(fd uintptr) bool {
	s.leaving, s.errno, s.once = *l, 0, true
	return s.try
}

// tried says what has come of it, and what is left of l. After a kick err is nil, too: transmitWaiting says what it was
// for.
func (s *sender) tried(l *leaving, err error) error {
	*l = s.leaving
	s.leaving, s.once = leaving{}, false
	if s.errno != 0 {
		return s.errno
	}
	if isTimeout(err) {
		return nil
	}
	return err
}

// transmitWaiting sends through the poller.
func (c *Conn) transmitWaiting(l *leaving) error {
	s := c.waiter()
	s.leaving = *l
	defer func() { s.leaving = leaving{} }()
	return c.waitSocket(func() (int, error) {
		left := s.size()
		err := s.raw.Write(s.try)
		if err == nil && s.errno != 0 {
			err = s.errno
		}
		return left - s.size(), err
	})
}

// waitSocket runs step until it succeeds. step returns how many bytes it moved; a kick makes it fail with a timeout,
// after which the peer is judged and step is run again.
func (c *Conn) waitSocket(step func() (int, error)) error {
	cfg, clock, account := &c.eng.cfg, c.eng.clock, &c.waiter().account
	now := clock.time()
	progress, stuck := now, 0
	for {
		user := c.userWrite.Load()
		at := earlier(user, after(progress, cfg.WriteTimeout))
		if err := c.writeVerdict(at, now); err != nil {
			return err
		}
		if cfg.MinWriteRate > 0 {
			at = earlier(at, now+c.nextLook())
		}
		c.waitUntil(&c.writeBy, at)
		if c.userWrite.Load() != user { // SetWriteDeadline did not yet see that we wait
			c.writeBy.Store(0)
			continue
		}
		n, err := step()
		c.writeBy.Store(0)
		began := now
		now = clock.time()
		account.add(now-began, n)
		if err == nil || !isTimeout(err) {
			return err
		}
		if c.brittle() {
			return ErrSlow
		}
		switch {
		case n > 0:
			progress = now
		case at == 0 || now < at:
			if stuck++; stuck == stuckFor {
				return ErrSlow
			}
		}
		c.unkickWrite()
	}
}

// stuckFor is how many timeouts for which there was no reason say that the transport does not forget the first, as a
// tls.Conn does not that somebody has wrapped. One or two may be kicks that came late.
const stuckFor = 4

// brittle tells whether the transport cannot go on after a write that a deadline has cut: a tls.Conn of somebody else's.
func (c *Conn) brittle() bool {
	_, ok := c.nc.(*tls.Conn)
	return ok
}

// A brittle transport is not looked at while it writes. It gets a minute, with the usual RateGrace, for so many bytes.
const (
	brittlePiece = 64 << 10
	brittleGrace = 12
)

// nextLook returns how long a step may wait before the peer is judged.
func (c *Conn) nextLook() int64 {
	if c.brittle() {
		return brittleGrace * int64(c.eng.cfg.RateGrace)
	}
	return c.sender.account.next(&c.eng.cfg)
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
	if isSocket(c.nc) { // also of the plain loop
		c.raw().Control(func(fd uintptr) { n = max(0, sys.Unsent(int(fd))) })
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
