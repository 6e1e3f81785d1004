package netconn

import (
	"io"
	"net"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/sys"
)

// serveLatched is the serve loop for the standard library's own sockets. The connection's life runs inside one
// RawConn.Read(turn): turn receives, has Data run, sends, and returns false to wait for the next edge. Go's poller is
// edge-triggered and remembers an edge that came meanwhile, so no receive is needed just to be told EAGAIN before a
// wait.
//
// While turn runs it holds the descriptor's read lock: nobody may call Read or Close of the net.Conn. What needs
// them runs outside: see ErrUnlatch.
func (c *Conn) serveLatched() error {
	raw, turn := c.raw(), c.turn
	for {
		err := raw.Read(turn)
		c.latched = false
		c.readBy.Store(0)
		switch {
		case err == nil && c.verdict == errParkNow:
			if c.parkNow() {
				return errParked
			}
		case err == nil && c.verdict == ErrUnlatch:
			if err = c.runData(); err == nil {
				c.beginWait()
			}
		case err == nil:
			err = c.verdict
		case isTimeout(err):
			c.unkick()
			var look bool
			if look, err = c.idleVerdict(); look {
				c.last, err = err, nil // turn begins with a receive
			} else if err == nil && c.park() {
				return errParked
			}
		default:
			err = c.endOfInput(err)
		}
		if err != nil {
			return err
		}
	}
}

// askCount asks the kernel to tell with each receive how much is left.
func (c *Conn) askCount() {
	c.counts = uncounted
	if _, tcp := c.nc.(*net.TCPConn); tcp && sys.SetInq(c.fd) {
		c.counts = counted
	}
}

// turn is what happens inside the latch: receive until nothing is left, then return false to wait; or return true with
// a verdict. Its first act is always a receive, because edges from before it was entered are not remembered.
func (c *Conn) turn(fd uintptr) bool {
	c.fd, c.latched = int(fd), true
	var err error
	if c.shim != nil {
		err = c.decrypt() // what the tls.Conn read ahead outside the latch
	}
	for err == nil {
		var empty bool
		if empty, err = c.receive(); err == nil && empty {
			if !c.parksNow() {
				c.beforeWait()
				return false
			}
			err = errParkNow
		}
	}
	c.latched = false
	c.verdict = err
	return true
}

// receive takes what the socket has and gives it to Data. empty says that the socket is known to hold nothing more, no
// end of stream and no reset either. A short receive alone does not prove that, because what comes together makes a
// single edge. EAGAIN does. So does the kernel's own count if it is 0, which it is not behind an end of stream, and a
// send since then has not failed, as it would have behind a reset.
func (c *Conn) receive() (empty bool, err error) {
	space, err := c.receiveSpace()
	if err != nil {
		return false, err
	}
	n, left, errno := 0, sys.InqUnknown, syscall.Errno(0)
	if c.counts == counted {
		n, left, errno = sys.RecvInq(c.fd, space)
	} else {
		n, errno = sys.Recv(c.fd, space)
	}
	switch {
	case errno == syscall.EAGAIN && c.r == c.w && c.Draining():
		return false, ErrShutdown // only now: the count of an earlier receive does not know of a last request
	case errno == syscall.EAGAIN:
		return true, c.last
	case errno != 0:
		return false, c.endOfInput(errno)
	case n == 0:
		return false, c.endOfInput(io.EOF)
	}
	c.readBy.Store(0)
	c.eng.stats.in(n)
	c.sent = false
	if c.shim != nil {
		c.shim.w += n
		err = c.decrypt()
	} else {
		c.w += n
		err = c.runData()
		c.beginWait()
	}
	if c.counts == notAsked && err == nil {
		c.askCount()
	}
	c.giveWay(n, len(space))
	return left == 0 && c.sent && !c.Draining(), err
}

// receiveSpace returns where the next receive goes.
func (c *Conn) receiveSpace() ([]byte, error) {
	if c.shim != nil {
		return c.shim.space(), nil
	}
	return c.space()
}

// decrypt gives Data what the tls.Conn can make of the bytes received so far.
func (c *Conn) decrypt() error {
	for fresh := 0; ; {
		space, err := c.space()
		if err != nil {
			return err
		}
		n, rerr := c.shim.tls.Read(space)
		c.w += n
		fresh += n
		if n > 0 && n < len(space) {
			continue
		}
		if fresh > 0 {
			fresh = 0
			err = c.runData()
			c.beginWait()
			if err != nil {
				return err
			}
		}
		switch rerr.(type) {
		case nil:
		case wouldBlock:
			return nil
		default:
			return c.endOfInput(rerr)
		}
	}
}

// beforeWait gives back what an idle connection does not need and tells the clock how long it may wait.
func (c *Conn) beforeWait() {
	c.releaseInput()
	c.releaseShim()
	c.armWait()
}

// releaseShim gives the buffer of cipher text back if it holds nothing.
func (c *Conn) releaseShim() {
	if c.shim != nil && c.shim.r == c.shim.w {
		c.shim.release()
	}
}
