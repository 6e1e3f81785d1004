package netconn

import (
	"io"
	"net"
	"runtime"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/sys"
)

// Pull makes nc, a connection from elsewhere from which ahead has been read already, a Conn without a goroutine and
// without a Protocol. Its owner is whoever calls Fill, Read, Unread and Take, one goroutine at a time, and in the end
// Finish; or Serve, which gives it a goroutine after all. It returns ErrShutdown, with nc closed, when the engine ends.
//
// On a *tls.Conn of TLSClient, or of TakeOver, the Conn runs as on the net.Conn below. Any other is the transport itself:
// it has no lot, and is lost when a deadline cuts a write.
func (e *Engine) Pull(nc net.Conn, ahead []byte) (*Conn, error) {
	s := idleShim(nc)
	if s != nil {
		nc = s.below
	}
	c := e.newConn(nc)
	if !e.add(c) {
		nc.Close()
		return nil, ErrShutdown
	}
	if s != nil {
		s.c, s.ready, c.shim = c, true, s
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
func (c *Conn) pullsRaw() bool { return c.proto == nil && c.socket }

// pull waits for the socket to have something and receives it into space leased for it.
func (c *Conn) pull() (int, error) {
	if c.puller == nil {
		c.puller = &puller{raw: c.raw(), try: c.tryPull}
	}
	if c.shim != nil {
		return c.pullSealed()
	}
	return c.pullOnce()
}

// pullOnce receives once.
func (c *Conn) pullOnce() (int, error) {
	if c.puller.n < c.puller.space {
		runtime.Gosched() // others first: by then the next bytes may have come, and need not be waited for
	}
	if err := c.puller.raw.Read(c.puller.try); err != nil {
		return 0, err
	}
	c.eng.stats.in(c.puller.n)
	c.giveWay(c.puller.n, c.puller.space)
	return c.puller.n, c.puller.err
}

// pullSealed receives until the tls.Conn can make something of it.
func (c *Conn) pullSealed() (int, error) {
	c.shim.dry = true
	defer func() { c.shim.dry = false }()
	for {
		space, err := c.space()
		if err != nil {
			return 0, err
		}
		n, err := c.shim.tls.Read(space)
		if _, more := err.(wouldBlock); n > 0 || !more {
			return n, err
		}
		c.releaseInput()
		if n, err = c.pullOnce(); err != nil {
			return 0, err
		}
		c.shim.w += n
	}
}

// tryPull receives; false says that there is nothing to receive.
func (c *Conn) tryPull(fd uintptr) bool {
	p := c.puller
	space, err := c.receiveSpace()
	if err != nil {
		p.n, p.err = 0, err
		return true
	}
	n, errno := sys.Recv(int(fd), space)
	switch {
	case errno == syscall.EAGAIN:
		c.releaseInput()
		c.releaseShim()
		return false
	case errno != 0:
		n, err = 0, errno
	case n == 0:
		err = io.EOF
	}
	p.n, p.err, p.space = n, err, len(space)
	return true
}
