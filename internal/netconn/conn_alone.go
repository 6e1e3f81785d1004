package netconn

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// solo is the short way of a write, for connections that are pulled for good. Nearly always one goroutine at a time
// writes to such a connection, and nothing is pending: then to lock the queue, to become its flusher and to cease to be
// it again takes longer than all else that is done for a write. So whoever finds the output idle takes all of it in
// one atomic step, sends without holding c.mu, and gives it back in another.
//
//	open ──Alone──► alone ──all has left, and nobody came──► open
//	  │               └──something is left, or somebody came──► a flusher as any other
//	  └──lock──► barred ──unlock, with nothing pending, being sent or held back──► open
//
// Who takes the long way bars the short one, and waits for nobody to do so: if somebody is on it, that one is the flusher
// from then on. As long as there is a flusher the short way stays barred, also while c.mu is free.
type solo struct {
	state  atomic.Int64 // 0 is open; else the bit barred, and above it since when, by the clock, somebody is alone
	spare  []byte       // leased: what the last unit lay in, for the next; of who is alone, or of the flusher
	unsaid int          // bytes that have left and are not in the statistics yet; as spare
}

// barred is the bit of solo.state that keeps everybody from being alone.
const barred = 1

const (
	soloMost   = gatherFrom // from this size on units take the long way
	soloUnsaid = 64 << 10   // so many bytes at most stay unsaid
)

// patience returns for how long a transport that is no socket may take a write before it is looked after, 0 for ever.
func (cfg *Config) patience() int64 {
	if cfg.MinWriteRate > 0 {
		return earlier(int64(cfg.WriteTimeout), int64(cfg.RateGrace))
	}
	return int64(cfg.WriteTimeout)
}

// lock locks the output for who changes it. Who only looks at it, has to do with something else that c.mu guards, or is
// the flusher, locks c.mu.
func (c *Conn) lock() {
	c.mu.Lock()
	if c.alone {
		c.bar()
	}
}

func (c *Conn) unlock() {
	if c.alone && c.err == nil && c.end == endNone && !c.sending && !c.corked && !c.parted && len(c.out) == 0 {
		c.sender.state.Store(0)
	}
	c.mu.Unlock()
}

// bar keeps everybody from the short way until unlock opens it; c.mu is held.
func (c *Conn) bar() {
	if c.sender.state.Or(barred) > barred {
		c.sending = true
	}
}

// Alone begins a write of up to size bytes, as a Whole, if there is nothing that it would have to wait for: the caller
// appends the unit, which is not empty, to what is returned and must then give that to SendAlone, once and soon. It
// returns nil if somebody writes or something is pending or held back, with a write deadline, from 16 KiB on, and if the
// connection has not been pulled for good: WriteUnit is for all of these. Any goroutine may call it.
func (c *Conn) Alone(size int) []byte {
	if !c.alone || size >= soloMost || c.userWrite.Load() != 0 {
		return nil
	}
	s := c.sender
	if !s.state.CompareAndSwap(0, c.eng.clock.time()<<1) {
		return nil
	}
	if size > cap(s.spare) {
		bufpool.Put(s.spare)
		s.spare = bufpool.Get(max(size, gatherFrom/4))
	}
	return s.spare[:0]
}

// SendAlone sends the unit that Alone was called for. It returns, and fails, as Write does.
func (c *Conn) SendAlone(unit []byte) (err error) {
	s := c.sender
	since := s.state.Load() &^ barred
	n := 0
	if c.socket || c.shim != nil {
		n, err = c.tryAlone(unit)
	} else {
		n, err = c.writeAlone(unit, since>>1)
	}
	if n < len(unit) || err != nil {
		return c.endAlone(unit[n:], err)
	}
	if s.unsaid >= soloUnsaid || c.readBy.Load() != 0 {
		c.settleAlone() // the reader has settled, and waits; one who is about to wait lets us keep it until the next write
	}
	if s.state.CompareAndSwap(since, 0) {
		return nil
	}
	return c.endAlone(nil, nil)
}

// tryAlone sends what the socket takes at once, or through TLS all of it, however long that takes.
func (c *Conn) tryAlone(unit []byte) (n int, err error) {
	l := leaving{p: unit}
	if c.shim != nil {
		err = c.shim.encrypt(&l, false)
		return len(unit) - len(l.p), err
	}
	s := c.sender
	err = s.tried(&l, s.raw.Write(s.trying(&l)))
	n = len(unit) - len(l.p)
	s.account.add(0, n)
	s.unsaid += n
	return n, err
}

// writeAlone writes to a transport that is no socket, and without TLS. If that takes too long the clock cuts it short.
func (c *Conn) writeAlone(unit []byte, since int64) (n int, err error) {
	s := c.sender
	if patience := c.eng.patience; patience != 0 {
		if due := c.due.Load(); due == 0 || due > since+patience {
			c.eng.clock.arm(c, since+patience)
		}
	}
	if c.userWrite.Load() != 0 {
		return 0, nil // it was set meanwhile, by somebody who did not see us
	}
	n, err = c.nc.Write(unit)
	s.unsaid += n
	if n == len(unit) && err == nil && c.eng.clock.now.Load() == since {
		return n, nil
	}
	return n, c.judgeAlone(n, len(unit), since, err)
}

// judgeAlone judges a write of n of size bytes that took a while or failed with err. It returns nil to go on.
func (c *Conn) judgeAlone(n, size int, since int64, err error) error {
	now, by := c.eng.clock.time(), int64(0)
	c.sender.account.add(now-since, n)
	switch {
	case err != nil && !isTimeout(err):
		return err
	case err == nil && n < size:
		return io.ErrShortWrite
	case n == 0:
		by = after(since, c.eng.cfg.WriteTimeout)
	}
	return c.writeVerdict(by, now)
}

// aloneUntil returns when the clock must look after who is in writeAlone, 0 for never.
func (c *Conn) aloneUntil() int64 {
	if !c.alone || c.socket || c.shim != nil {
		return 0
	}
	since := c.sender.state.Load() >> 1
	if since == 0 {
		return 0
	}
	return earlier(after(since, time.Duration(c.eng.patience)), c.userWrite.Load())
}

// endAlone goes on with the long way: there is a rest to send, or somebody has come, or sending has failed with err.
func (c *Conn) endAlone(rest []byte, err error) error {
	c.mu.Lock()
	c.sender.state.Store(barred)
	c.sending = true
	if err == nil && len(rest) > 0 {
		c.mu.Unlock()
		err = c.send(&leaving{p: rest}, false)
		c.mu.Lock()
	}
	c.settleAlone()
	err = c.flushRest(err)
	c.unlock()
	return err
}

// settleAlone gives back what is kept between writes. Its caller is alone or the flusher, or holds c.mu while there is
// neither.
func (c *Conn) settleAlone() {
	s := c.sender
	bufpool.Put(s.spare)
	s.spare = nil
	if s.unsaid > 0 {
		c.eng.stats.out(s.unsaid)
		s.unsaid = 0
	}
}

// settled settles if the short way is open, and reports whether it was all the time: then nothing is pending, and nothing
// has failed.
func (c *Conn) settled() bool {
	if !c.alone {
		return false
	}
	s := c.sender
	if !s.state.CompareAndSwap(0, c.eng.clock.time()<<1) {
		return false
	}
	c.settleAlone()
	return c.reopen()
}

// reopen gives back the output of which nothing was used. If somebody has come meanwhile it reports false, and what that
// one has left to the flusher is still pending: a reader must not wait for the socket.
func (c *Conn) reopen() bool {
	s := c.sender
	since := s.state.Load() &^ barred
	if s.state.CompareAndSwap(since, 0) {
		return true
	}
	c.mu.Lock()
	s.state.Store(barred)
	c.endFlush(nil)
	c.unlock()
	return false
}
