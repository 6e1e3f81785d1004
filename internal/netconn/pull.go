package netconn

import (
	"io"
	"net"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/sys"
)

// Pull makes nc, a connection from elsewhere from which ahead has been read already, a Conn without a goroutine and
// without a Protocol. Its owner is whoever calls Fill, Read, Unread and Take, one goroutine at a time, and in the end
// Finish; or Serve, which gives it a goroutine after all. It returns ErrShutdown, with nc closed, when the engine ends.
func (e *Engine) Pull(nc net.Conn, ahead []byte) (*Conn, error) {
	c := e.newConn(nc)
	if !e.add(c) {
		nc.Close()
		return nil, ErrShutdown
	}
	c.running = runnings.Get().(*running)
	if len(ahead) > 0 {
		c.buf = bufpool.Get(max(len(ahead), e.cfg.ReadBuffer))
		c.buf = c.buf[:cap(c.buf)]
		c.w = copy(c.buf, ahead)
	}
	return c, nil
}

// Serve runs a pulled connection as the engine runs those that it accepts. begin is called first, on the connection's
// goroutine, and returns its Protocol; then what is unread is given to it.
func (c *Conn) Serve(begin func(c *Conn) (Protocol, error)) { c.launch(begin) }

// Finish ends a pulled connection as the error would that Data returns; see Protocol. Nothing of it works afterwards.
func (c *Conn) Finish(err error) { c.finish(err) }

// Hold keeps what is appended to a pulled connection, as it is kept while Data runs: until Hold(false) and the next
// append, or until Fill, Read or Flush; see Config.FlushLate. Any goroutine may call it.
func (c *Conn) Hold(on bool) {
	c.mu.Lock()
	c.corked = on
	c.mu.Unlock()
}

// puller receives for a pulled socket.
type puller struct {
	raw      syscall.RawConn
	try      func(fd uintptr) bool // c.tryPull, bound once
	n, space int                   // how many bytes were received, and how many there was space for
	err      error
}

// pullsRaw tells whether Fill receives from the descriptor: then nothing is leased while it waits.
func (c *Conn) pullsRaw() bool { return c.proto == nil && c.socket && c.shim == nil }

// pull waits for the socket to have something and receives it into space leased for it.
func (c *Conn) pull() (int, error) {
	if c.puller == nil {
		c.puller = &puller{raw: c.raw(), try: c.tryPull}
	}
	if err := c.puller.raw.Read(c.puller.try); err != nil {
		return 0, err
	}
	c.eng.stats.in(c.puller.n)
	c.giveWay(c.puller.n, c.puller.space)
	return c.puller.n, c.puller.err
}

// tryPull receives; false says that there is nothing to receive.
func (c *Conn) tryPull(fd uintptr) bool {
	p := c.puller
	space, err := c.space()
	if err != nil {
		p.n, p.err = 0, err
		return true
	}
	n, errno := sys.Recv(int(fd), space)
	switch {
	case errno == syscall.EAGAIN:
		c.releaseInput()
		return false
	case errno != 0:
		n, err = 0, errno
	case n == 0:
		err = io.EOF
	}
	p.n, p.err, p.space = n, err, len(space)
	return true
}

// Post appends p as a unit if there is room for it, and never waits for the socket: what that does not take at once is
// sent by a goroutine of its own. ok is false when there is no room or it is not p's turn. p is copied. Any goroutine may
// call it.
func (c *Conn) Post(u Unit, p []byte) (ok bool, err error) {
	ok, held, err := c.post(u, p)
	if held && c.eng.cfg.FlushLate {
		c.FlushSoon()
	}
	return ok, err
}

func (c *Conn) post(u Unit, p []byte) (ok, held bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.corked && !c.sending && c.full(len(p)) && c.err == nil {
		c.pushOut() // what was held back is more than there is room for
	}
	switch {
	case c.end != endNone:
		return false, false, net.ErrClosed
	case c.err != nil:
		return false, false, c.err
	case c.parted && u == Whole, c.full(len(p)):
		return false, false, nil
	}
	c.append(u, p, nil)
	if c.corked || c.sending {
		return true, c.corked, nil
	}
	c.pushOut()
	return c.err == nil, false, c.err
}

// pushOut makes the caller the flusher of what is pending, but not for longer than the transport takes it at once: the
// rest is sent by a goroutine of its own. c.mu is held.
func (c *Conn) pushOut() {
	batch := c.out
	c.out, c.sending = nil, true
	c.mu.Unlock()
	rest, err := c.transmitNow(batch)
	c.mu.Lock()
	if err == nil && len(rest)+len(c.out) > 0 {
		go c.flushPosted(batch, rest)
		return
	}
	bufpool.Put(batch)
	c.endFlush(err)
}

// pushPending sees to it that what is pending is sent.
func (c *Conn) pushPending() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && !c.sending && len(c.out) > 0 {
		c.pushOut()
	}
	return c.err
}

// endFlush ends a flush; err is what it failed with. c.mu is held.
func (c *Conn) endFlush(err error) {
	if err != nil && c.err == nil {
		c.err = err
		go c.kick()
	}
	c.sending = false
	c.wakeWriters()
}

// flushPosted sends rest, the end of batch, and what has been appended since.
func (c *Conn) flushPosted(batch, rest []byte) {
	err := c.send(rest, nil, false)
	c.mu.Lock()
	defer c.mu.Unlock()
	bufpool.Put(batch)
	if err == nil && c.err == nil && len(c.out) > 0 && !c.corked {
		c.flushLocked(nil, false)
		return
	}
	c.endFlush(err)
}

// transmitNow sends what the transport takes without waiting and returns the rest; where it cannot be asked that is all.
func (c *Conn) transmitNow(p []byte) (rest []byte, err error) {
	if !c.socket || c.shim != nil {
		return p, nil
	}
	s := c.waiter()
	s.p, s.once = p, true
	werr := s.raw.Write(s.try)
	rest, s.p, s.once = s.p, nil, false
	switch {
	case s.errno != 0:
		return nil, s.errno
	case werr != nil && !isTimeout(werr):
		return nil, werr
	}
	c.eng.stats.out(len(p) - len(rest))
	return rest, nil
}
