package netconn

import (
	"io"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/transport"
)

// latchedLoop is the serve loop for sockets of the standard library. It runs inside one RawConn.Read(cycle): cycle
// receives, calls Data, sends, and returns false to wait for the next edge. Go's poller is edge-triggered and remembers
// an edge that comes while cycle runs, so the loop saves the receive that would only return EAGAIN before each wait.
//
// While cycle runs it holds the descriptor's read lock, so Read and Close of the net.Conn must not be called. Code that
// needs them runs outside the latch: see ErrUnlatch.
type latchedLoop struct {
	*Conn
	exitErr error // why cycle has left the latch
	endErr  error // the error that ends the connection if the next receive finds nothing; nil for none
	flood   flood
}

func (c *latchedLoop) serve() error {
	raw, cycle := c.tr.Raw(), c.cycle
	for {
		err := raw.Read(cycle)
		c.latchFD = transport.NoDescriptor
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
			if err = c.exitErr; c.busy() && isEnd(err) {
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

// cycle runs inside the latch. It receives until nothing is left and then returns false to wait, or sets exitErr and
// returns true. It always begins with a receive, because edges from before it was entered are not remembered.
func (c *latchedLoop) cycle(fd uintptr) bool {
	c.latchFD = int32(fd)
	var err error
	if c.tr.Secured() {
		err = c.decrypt() // input that the tls.Conn has read ahead outside the latch
	}
	for err == nil {
		var empty bool
		if empty, err = c.receive(); err == nil && empty {
			if !c.shouldParkNow() {
				c.release()
				c.tr.TrimInput()
				c.armWait()
				return false
			}
			err = errParkNow
		}
	}
	c.latchFD = transport.NoDescriptor
	c.exitErr = err
	return true
}

// receive receives from the socket and gives the input to Data. empty reports that the socket is known to hold nothing
// more: no bytes, no end of stream and no reset. A short receive does not prove that, because bytes and the end of
// stream that arrive together make a single edge. EAGAIN proves it. The kernel's count proves it if it is 0 (it is not
// 0 before an end of stream) and a send has succeeded since (it would have failed after a reset).
func (c *latchedLoop) receive() (empty bool, err error) {
	space, err := c.roomToReceive()
	if err != nil {
		return false, err
	}
	n, left, errno := c.tr.Receive(int(c.latchFD), space)
	switch {
	case errno == syscall.EAGAIN && c.r == c.w && c.endsWhenIdle():
		return false, ErrShutdown // only now: the count of an earlier receive does not include a last request that came since
	case errno == syscall.EAGAIN:
		return true, c.endErr
	case errno != 0:
		return false, c.endInLatch(errno)
	case n == 0:
		return false, c.endInLatch(io.EOF)
	}
	c.readBy.Store(0)
	c.eng.stats.in(n)
	c.sentIn, c.endErr = false, nil
	if c.tr.Secured() {
		c.tr.Arrived(nil, n)
		err = c.decrypt()
	} else {
		c.arrived(n, len(space))
		err = c.runData()
		c.beginWait()
	}
	if err == nil && c.stack.tooSmall() {
		err = errDeepStack
	}
	if err == nil {
		c.tr.AskCount(int(c.latchFD))
	}
	c.flood.yieldIfFlooded(n, len(space))
	return left == 0 && c.sentIn && !c.Draining(), err
}

// endInLatch is endOfInput, unless that has to wait for work: then it returns err, and endOfInput runs outside the
// latch.
func (c *latchedLoop) endInLatch(err error) error {
	if c.busy() && isEnd(err) {
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
