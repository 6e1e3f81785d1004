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
// Finish; or Serve, which gives it a goroutine after all, unless it is pulled for good. It returns ErrShutdown, with nc
// closed, when the engine ends.
//
// On a *tls.Conn of TLSClient, or of TakeOver, the Conn runs as on the net.Conn below. Any other is the transport itself:
// it has no lot, and is lost when a deadline cuts a write.
func (e *Engine) Pull(nc net.Conn, ahead []byte, forGood bool) (*Conn, error) {
	s := idleShim(nc)
	if s != nil {
		nc = s.below
	}
	c := e.newConn(nc)
	if forGood && !c.brittle() {
		c.alone, c.sender = true, newSender(c)
	}
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
func (c *Conn) Serve(begin func(c *Conn) (Protocol, error)) {
	if c.alone {
		panic("netconn: Serve of a connection that was pulled for good")
	}
	c.launch(begin)
}

// Finish ends a pulled connection as the error would that Data returns; see Protocol. Nothing of it works afterwards.
func (c *Conn) Finish(err error) { c.finish(err) }

// Hold keeps what is appended to a pulled connection, as it is kept while Data runs: until Hold(false) and the next
// append, or until Fill, Read or Flush; see Config.FlushLate. Any goroutine may call it.
func (c *Conn) Hold(on bool) {
	c.lock()
	c.corked = on
	c.unlock()
}

// puller receives for a pulled socket. Thousands of goroutines may wait in it, each on a stack of its own: there are few
// frames between a reader and the wait, and small ones.
type puller struct {
	raw   syscall.RawConn
	try   func(fd uintptr) bool // receives; false says that there is nothing to receive
	into  *[]byte               // where it receives to; given back before a wait, unless it holds something
	lease int                   // the size of into when it is leased anew
	at    int                   // so much of into is taken up
	n     int                   // how many bytes were received
	space int                   // how many there was space for
	errno syscall.Errno         // why none were received
	waits bool                  // try is to wait for something to receive
	woken bool                  // it has waited, until something came or a kick
}

func newPuller(c *Conn) *puller {
	p := &puller{raw: c.raw(), into: &c.buf, lease: c.eng.cfg.ReadBuffer}
	if c.shim != nil {
		p.into, p.lease = &c.shim.in, recordRoom
	}
	p.try = func(fd uintptr) bool {
		if *p.into == nil {
			b := bufpool.Get(p.lease)
			*p.into = b[:cap(b)]
		}
		space := (*p.into)[p.at:]
		p.space = len(space)
		p.n, p.errno = sys.Recv(int(fd), space)
		if p.woken {
			p.woken = false
			c.eng.notePolled(true)
		}
		if p.errno != syscall.EAGAIN {
			return true
		}
		if p.at == 0 {
			bufpool.Put(*p.into)
			*p.into = nil
		}
		if !p.waits {
			return true
		}
		p.woken = true
		c.eng.notePolled(false)
		return false
	}
	return p
}

// pullsRaw tells whether Fill receives from the descriptor: then nothing is leased while it waits.
func (c *Conn) pullsRaw() bool { return c.proto == nil && c.socket }

// pull waits for the socket to have something and receives it, once, into the puller's buffer, which its caller has to
// tell so.
func (c *Conn) pull() (int, error) {
	p := c.puller
	p.at = 0
	if *p.into != nil {
		if err := c.behind(); err != nil {
			return 0, err
		}
	}
	tries := 0
	if p.n < p.space {
		tries = pullTries
	}
	for again := true; again; again = p.errno == syscall.EAGAIN {
		p.waits = tries == 0 || !c.othersFirst()
		tries--
		if err := p.raw.Read(p.try); err != nil {
			return 0, err
		}
	}
	switch {
	case p.errno != 0:
		return 0, p.errno
	case p.n == 0:
		return 0, io.EOF
	}
	c.eng.stats.in(p.n)
	c.giveWay(p.n, p.space)
	return p.n, nil
}

// pullTries is how often a pulled connection lets others run before it waits for a socket that it has emptied. By then
// the next bytes may have come, which spares a wait and what wakes from it.
const pullTries = 3

// notePolled notes whether the poller has been asked since somebody who pulls began to wait.
func (e *Engine) notePolled(done bool) {
	if e.unpolled.Load() == done {
		e.unpolled.Store(!done)
	}
}

// othersFirst lets others run and reports whether somebody received something meanwhile. It does nothing while somebody
// who pulls waits without the poller having been asked: the runtime asks it when it has nobody to run, or after 10 ms,
// which is how long connections of other kinds may wait for those that never need to.
func (c *Conn) othersFirst() bool {
	if c.eng.unpolled.Load() {
		return false
	}
	before := c.eng.stats.bytesIn.Load()
	runtime.Gosched()
	return c.eng.stats.bytesIn.Load() != before
}

// behind makes room behind what the puller's buffer holds.
func (c *Conn) behind() (err error) {
	if c.shim != nil {
		c.shim.space()
		c.puller.at = c.shim.w
		return nil
	}
	_, err = c.space()
	c.puller.at = c.w
	return err
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
		if n, err = c.pull(); err != nil {
			return 0, err
		}
		c.shim.w += n
	}
}
