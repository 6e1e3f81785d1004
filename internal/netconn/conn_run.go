package netconn

import (
	"io"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/clock"
	"github.com/shockwave-go/shockwave/internal/transport"
)

// launch starts a connection's goroutine; begin makes the Protocol of one that has none. Most of these goroutines wait at
// any time, and the garbage collector looks through the stack of each: so there are few frames between its start and
// the wait.
func (c *Conn) launch(begin func(c *Conn) (Protocol, error)) {
	go func() {
		if c.running == nil {
			c.attachRunning()
		}
		returned := false
		defer func() {
			if !returned {
				c.dataPanicked(recover())
			}
		}()
		var err error
		if begin != nil {
			err = c.open(begin)
		}
		if err == nil {
			err = c.serve()
		}
		if err == errDeepStack {
			c.stack.kept = true
			err = withDeepStack(c.serve)
		}
		returned = true
		if err != errParked {
			c.finish(err)
		}
	}()
}

// serve runs the loop that fits the transport.
func (c *Conn) serve() error {
	if c.tr.Socket() {
		return (&latchedLoop{Conn: c}).serve()
	}
	return plainLoop{c}.serve()
}

// fell ends a connection whose protocol panicked or called runtime.Goexit. v is what it panicked with, nil for Goexit.
func (c *Conn) dataPanicked(v any) {
	c.latchFD = transport.NoDescriptor // the latch, if we were in it, has been left by its own defers
	if v == nil && c.exitsInOrder {
		c.finish(ErrDone)
		return
	}
	c.eng.logPanic(&c.Link, v)
	c.finish(ErrPanic)
}

// accepted returns what a connection from l begins with.
func accepted(l net.Listener) func(*Conn) (Protocol, error) {
	return func(c *Conn) (Protocol, error) { return c.eng.cfg.New(c, l) }
}

// open makes the connection ready for its first byte, and gives the Protocol those that are there already.
func (c *Conn) open(begin func(c *Conn) (Protocol, error)) error {
	c.setState(StateNew) // one that was accepted is already
	p, err := begin(c)
	if p != nil {
		c.become(p)
	}
	c.used = true
	c.beginWait()
	if err == nil && c.r < c.w {
		if err = c.runData(); err == nil {
			c.beginWait()
		}
	}
	return err
}

// runData gives the protocol what is unread and sends what it appended. It returns nil to go on.
func (c *Conn) runData() error {
	if !c.everStayedIdle {
		c.setState(StateActive)
	}
	idle, begins := c.eng.clock.Now()-c.idleSince, c.begun == 0 && c.r < c.w && c.work.Load() == 0
	for {
		c.releaseTransport()
		c.out.Hold()
		again, err := c.callData()
		if begins && !c.stayedIdle {
			c.frequency.noteMessage(idle, int64(c.eng.cfg.IdlePark))
			begins = false
		}
		if c.ownership.Load() == hijacked {
			return ErrHijacked
		}
		if c.everStayedIdle = c.everStayedIdle || c.stayedIdle; !c.stayedIdle {
			c.setState(StateActive)
		}
		if w := c.extra.Load(); w != nil && w.readBy.Load() != 0 {
			w.readBy.Store(0)
		}
		if err == ErrAbort || c.aborted() {
			return ErrAbort
		}
		if isLast(err) {
			c.extra.Load().clearOnGone() // it is we who end the connection
			c.end(flushWaitLatched)
			return err
		}
		f, werr := c.out.ReleaseTake()
		if werr = c.flushOr(f, werr, dataFlushMode(f)); werr != nil && (err == nil || err == ErrUnlatch) {
			return werr
		}
		// Only now: what watched for the peer's end perhaps returns no sooner than the next bytes come.
		if more := c.takeTransport(); err != nil || !more && !again {
			if err == nil && c.idleExpired() {
				return ErrIdle
			}
			return err
		}
	}
}

// overdue reports whether IdleTimeout has passed while Data ran that was given nothing of a message: who sends such things
// all the time might never be found waiting.
func (c *Conn) idleExpired() bool {
	return !c.used && c.r == c.w && c.work.Load() == 0 &&
		clock.Passed(clock.After(c.idleSince, c.eng.cfg.IdleTimeout), c.eng.clock.Now())
}

// callData calls Data, and again if another protocol took over. again tells that there is a reason to run it once more.
func (c *Conn) callData() (again bool, err error) {
	for {
		c.became, c.stayedIdle = false, false
		c.nudged.Store(false)
		before := stackAddress()
		n, err := c.proto.Data(c, c.Unread())
		c.stack.noteGrowth(stackAddress() != before)
		c.used = c.used || !c.stayedIdle
		if c.ownership.Load() == hijacked {
			return false, err
		}
		if n != 0 {
			c.Take(n)
		}
		if err != nil || c.r == c.w || !c.became {
			return c.nudged.Load(), err
		}
	}
}

// finish ends the connection; its goroutine calls it once. err says why: see Protocol.
func (c *Conn) finish(err error) {
	c.readBy.Store(0)
	if c.ownership.Load() == hijacked {
		c.latchLeft()
		c.callEnd(nil)
		c.releaseRunning()
		return
	}
	c.extra.Load().clearOnGone()
	if c.aborted() {
		err = ErrAbort
	}
	if err == ErrSlow {
		c.SetWriteDeadline(c.Now().Add(slowEndTimeout))
	}
	defer c.close(err) // also if End calls runtime.Goexit
	if isLast(err) {
		err = nil
	}
	c.callEnd(err)
}

// lastWord is how long a peer that was too slow may take for what its protocol says in End.
const slowEndTimeout = time.Second

// close gives everything back.
func (c *Conn) close(err error) {
	end := endingFor(err, c.r < c.w)
	if c.proto == nil && c.eng.cfg.OnHandshakeError != nil && c.tr.Secured() {
		end.linger = true // it was perhaps told why
	}
	c.shut(end)
	c.setState(StateClosed)
	c.r = c.w
	c.releaseRunning()
	c.eng.remove(&c.Link)
}

// endingFor returns how a connection ends for err. unread tells that bytes are left that nobody took.
func endingFor(err error, unread bool) ending {
	return ending{
		abort:   err == ErrAbort || err == ErrPanic,
		linger:  isLast(err) || err == ErrSlow || unread,
		sending: err == ErrDoneEarly,
		idle:    err == ErrIdle || err == ErrShutdown,
	}
}

// callEnd tells the protocol. What it does wrong there is logged and changes nothing.
func (c *Conn) callEnd(err error) {
	if c.proto == nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			c.eng.logPanic(&c.Link, r)
		}
	}()
	c.out.Hold() // a last word is sent by close
	c.proto.End(c, err)
}

// endOfInput returns why a connection ends on which reading failed with err. Work that outlives the peer's half is waited
// for.
func (c *Conn) endOfInput(err error) error {
	if c.aborted() {
		return ErrAbort
	}
	c.peerGone()
	if p, ok := c.proto.(InputEnder); ok {
		p.EndOfInput(err)
	}
	if !isEnd(err) {
		return err
	}
	if c.busy() {
		c.ensureExtra().callOnGone() // also those that are still to come
		if err := c.awaitWork(); err != nil {
			return err
		}
	}
	if c.r < c.w {
		return io.ErrUnexpectedEOF
	}
	return io.EOF
}

// isEnd reports whether err is the end of the peer's half.
func isEnd(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }
