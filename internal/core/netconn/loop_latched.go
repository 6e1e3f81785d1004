package netconn

import (
	"io"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// latchedLoop is the serve loop for sockets of the standard library. It runs inside one RawConn.Read(cycle): cycle
// receives, calls Data, sends, and returns false to wait for the next edge. Go's poller is edge-triggered and remembers
// an edge that comes while cycle runs, so the loop saves the receive that would only return EAGAIN before each wait.
//
// While cycle runs it holds the descriptor's read lock, so Read and Close of the net.Conn must not be called. Code that
// needs them runs outside the latch: see ErrUnlatch.
type latchedLoop struct {
	runner
	exitErr error // why cycle has left the latch
	endErr  error // the error that ends the connection if the next receive finds nothing; nil for none
	flood   flood
}

func (c *latchedLoop) serve() error {
	raw, cycle := c.tr.Raw(), c.newCycle()
	for {
		err := raw.Read(cycle)
		c.latch.leave()
		c.readBy.Store(0)
		switch {
		case err == nil && c.exitErr == errParkNow:
			if c.parkNow() {
				return errParked
			}
		case err == nil && c.exitErr == ErrUnlatch:
			if err = c.runData(); err == nil {
				c.beginWait()
			}
		case err == nil:
			if err = c.exitErr; c.work.busy() && isEnd(err) {
				err = c.endOfInput(err) // outside the latch, because it waits
			}
		case transport.TimedOut(err) && c.tr.ReaderWoken():
			var look bool
			if look, err = c.woken(); look {
				c.endErr, err = err, nil // cycle begins with a receive
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

// newCycle returns cycle, which runs inside the latch. It receives and handles the input until nothing is left and then
// returns false to wait, or sets exitErr and returns true. It always begins with a receive, because edges from before it
// was entered are not remembered. newCycle is not inlined, since that makes the frame of cycle larger, and every connection
// waits on one.
//
//go:noinline
func (c *latchedLoop) newCycle() func(fd uintptr) bool {
	return func(fd uintptr) bool {
		c.latch.fd = int32(fd)
		var err error
		if c.tr.Secured() {
			err = c.decrypt() // input that the tls.Conn has read ahead outside the latch
		}
		for err == nil {
			var n, left int
			n, left, err = c.receive()
			switch {
			case n == 0:
			case c.tr.Secured():
				err = c.decrypt()
			default:
				err = c.runData()
				c.beginWait()
			}
			if n > 0 && err == nil {
				err = c.handled()
			}
			if err == nil && c.isEmpty(n, left) {
				if !c.shouldParkNow() {
					c.in.Release()
					c.tr.TrimInput()
					c.armWait()
					return false
				}
				err = errParkNow
			}
		}
		c.latch.leave()
		c.exitErr = err
		return true
	}
}

// receive receives from the socket once, and appends n bytes to the input. left is what the kernel says is still there.
// n is 0 if there was nothing to receive, or with an error.
func (c *latchedLoop) receive() (n, left int, err error) {
	space, err := c.roomToReceive()
	if err != nil {
		return 0, 0, err
	}
	n, left, errno := c.tr.Receive(int(c.latch.fd), space)
	switch {
	case errno == syscall.EAGAIN && c.in.Empty() && c.endsWhenIdle():
		return 0, 0, ErrShutdown // only now: the count of an earlier receive does not include a last request that came since
	case errno == syscall.EAGAIN:
		return 0, 0, c.endErr
	case errno != 0:
		return 0, 0, c.endInLatch(errno)
	case n == 0:
		return 0, 0, c.endInLatch(io.EOF)
	}
	c.readBy.Store(0)
	c.eng.stats.in(n)
	c.latch.sentIn, c.endErr = false, nil
	if c.tr.Secured() {
		c.tr.Arrived(nil, n)
	} else {
		c.arrived(n, len(space))
	}
	c.flood.yieldIfFlooded(n, len(space))
	return n, left, nil
}

// handled is called when input has been handled and the connection goes on.
func (c *latchedLoop) handled() error {
	if c.stack.TooSmall() {
		return errDeepStack
	}
	c.tr.AskCount(int(c.latch.fd))
	return nil
}

// isEmpty reports whether the socket is known to hold nothing more after a receive of n bytes: no bytes, no end of stream
// and no reset. A short receive does not prove that, because bytes and the end of stream that arrive together make a
// single edge. EAGAIN proves it. The kernel's count, left, proves it if it is 0 (it is not 0 before an end of stream) and a
// send has succeeded since (it would have failed after a reset).
func (c *latchedLoop) isEmpty(n, left int) bool {
	return n == 0 || left == 0 && c.latch.sentIn && !c.Draining()
}

// endInLatch is endOfInput, unless that has to wait for work: then it returns err, and endOfInput runs outside the
// latch.
func (c *latchedLoop) endInLatch(err error) error {
	if c.work.busy() && isEnd(err) {
		return err
	}
	return c.endOfInput(err)
}

// roomToReceive returns the space for the next receive.
func (c *latchedLoop) roomToReceive() ([]byte, error) {
	if c.tr.Secured() {
		return c.tr.Ciphertext(), nil
	}
	return c.roomToRead()
}

// decrypt gives Data what the tls.Conn can decrypt of the bytes received so far.
func (c *latchedLoop) decrypt() error {
	for fresh := 0; ; {
		space, err := c.roomToRead()
		if err != nil {
			return err
		}
		n, rerr := c.tr.Decrypt(space)
		if c.tr.TLSWrote() {
			c.flush(c.out.TakeNone(), flushTry)
		}
		c.arrived(n, len(space))
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
		switch {
		case rerr == nil:
		case transport.WouldBlock(rerr):
			return nil
		default:
			return c.endInLatch(rerr)
		}
	}
}
