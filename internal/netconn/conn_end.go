package netconn

import (
	"io"
	"log/slog"
	"net"
	"runtime/debug"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/sys"
)

// lastWord is how long the socket may take for what a protocol says in its End.
const lastWord = time.Second

// finish ends the connection; the owner calls it once. err says why: see Protocol.
func (c *Conn) finish(err error) {
	c.readBy.Store(0)
	if c.taken.Load() {
		c.releaseTaken()
		c.callEnd(nil)
		c.releaseRunning()
		return
	}
	c.stopWatching()
	if c.aborted.Load() {
		err = ErrAbort
	}
	by := c.eng.clock.time() + int64(lastWord)
	c.userWrite.Store(by)
	c.hasten(by)       // another goroutine may wait for the socket, perhaps without a deadline
	defer c.close(err) // also if End calls runtime.Goexit
	c.callEnd(endError(err))
}

// close sends the last word and gives everything back.
func (c *Conn) close(err error) {
	abort := err == ErrAbort || err == ErrPanic
	if !abort && c.phase() != endSent && c.Flush() != nil {
		abort = true
	}
	// Who is only told that it has been idle for too long sends nothing; who failed a handshake was perhaps told why.
	linger := isLast(err) || err == ErrSlow || c.r < c.w || c.proto == nil && c.eng.cfg.OnHandshakeError != nil
	if abort {
		c.reset()
	} else {
		c.closeGently(linger, err == ErrDoneEarly)
	}
	c.lock()
	c.closed = true
	if c.err == nil {
		c.err = net.ErrClosed
	}
	c.wakeWriters()
	c.unlock()
	c.leaveLot()
	c.nc.Close()
	c.setState(StateClosed)
	c.dropBuffers()
	c.eng.remove(c)
}

// endError returns what Protocol.End is told.
func endError(err error) error {
	if isLast(err) {
		return nil
	}
	return err
}

// callEnd tells the protocol. What it does wrong there is logged and changes nothing.
func (c *Conn) callEnd(err error) {
	if c.proto == nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			c.logPanic(r)
		}
	}()
	c.cork() // a last word is sent by finish, within its deadline
	c.proto.End(c, err)
}

// reset has the close that follows throw away what is pending and send a reset.
func (c *Conn) reset() {
	if l, ok := c.nc.(interface{ SetLinger(sec int) error }); ok {
		l.SetLinger(0)
	}
}

// closeGently ends our half. With linger it then reads and drops, within bounds, what the peer still sends: a close
// with unread bytes makes the kernel send a reset, which may overtake our last answer and destroy it. A transport whose
// halves cannot be closed does not tell the peer that we are done, so it lingers only if sending says that there is
// more to drop.
func (c *Conn) closeGently(linger, sending bool) {
	if c.shim != nil {
		c.sendAlert()
	}
	if !linger || c.eng.cfg.LingerTimeout == 0 {
		return
	}
	half, ok := c.nc.(interface{ CloseWrite() error })
	if !ok && !sending || ok && half.CloseWrite() != nil {
		return
	}
	end := time.Now().Add(c.eng.cfg.LingerTimeout)
	c.lock()
	c.end = endLingering
	c.nc.SetReadDeadline(end)
	c.unlock()
	if c.dropIncoming() {
		time.Sleep(min(time.Until(end), deafFor))
	}
}

// sendAlert sends TLS's closing alert, unless it has been sent.
func (c *Conn) sendAlert() {
	c.lock()
	defer c.unlock()
	if c.end != endSent && c.drain() == nil {
		c.flushLast()
	}
}

// deafFor is how long a peer that has sent LingerBytes and goes on may still read our last answer. Its bytes are not
// read any more; they fill the kernel's buffers and then stop it, where a close would answer them with a reset.
const deafFor = 500 * time.Millisecond

// dropIncoming reads what the peer sends and drops it. It returns true when LingerBytes were read and more may come,
// false when nothing comes any more.
func (c *Conn) dropIncoming() bool {
	scratch := bufpool.Get(4 << 10)
	defer bufpool.Put(scratch)
	for left := c.eng.cfg.LingerBytes; left > 0 || c.eng.cfg.LingerBytes == 0; {
		n, err := c.nc.Read(scratch)
		if left -= n; err != nil {
			return false
		}
	}
	return true
}

// dropBuffers gives back what the connection leased. Nobody runs on it any more.
func (c *Conn) dropBuffers() {
	c.r, c.w = 0, 0
	c.releaseRunning()
	if c.shim != nil {
		c.shim.drop()
	}
	c.lock()
	defer c.unlock()
	if !c.sending {
		c.dropOutput()
	}
}

// dropOutput gives back what the output of a closed connection leased; there is no flusher. c.mu is held.
func (c *Conn) dropOutput() {
	bufpool.Put(c.out)
	c.out = nil
	if c.alone {
		c.settleAlone()
	}
}

// Abort ends the connection now: reads and writes fail, the peer sees a reset, and Protocol.End is told ErrAbort once
// Data has returned. Any goroutine may call it.
func (c *Conn) Abort() {
	c.aborted.Store(true)
	c.lock()
	if c.err == nil {
		c.err = ErrAbort
	}
	c.wakeWriters()
	over := c.closed
	if !over {
		c.nc.SetWriteDeadline(past)
	}
	c.unlock()
	if !over {
		c.disconnect()
	}
	c.kick()
}

// disconnect resets the connection at once, whoever is busy on it. A net.Conn of unknown kind is closed here and again
// by its owner; its Close may take a while.
func (c *Conn) disconnect() {
	if !c.socket {
		go func() {
			c.reset()
			c.nc.Close()
		}()
		return
	}
	c.raw().Control(func(fd uintptr) {
		if sys.Disconnect(int(fd)) != 0 {
			sys.Shutdown(int(fd), sys.ShutBoth)
		}
	})
}

// endOfInput returns why a connection ends on which reading failed with err.
func (c *Conn) endOfInput(err error) error {
	if c.aborted.Load() {
		return ErrAbort
	}
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	if c.r < c.w {
		return io.ErrUnexpectedEOF
	}
	return io.EOF
}

// logPanic records a panic of the protocol; r is nil for runtime.Goexit.
func (c *Conn) logPanic(r any) {
	c.eng.stats.panics.Add(1)
	if r == nil {
		r = "runtime.Goexit"
	}
	c.eng.cfg.Logger.Error("protocol panicked", slog.Any("panic", r), slog.Any("remote", c.RemoteAddr()),
		slog.String("stack", string(debug.Stack())))
}
