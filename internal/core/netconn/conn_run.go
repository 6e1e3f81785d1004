package netconn

import (
	"io"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// launch starts a connection's goroutine. begin, if not nil, makes the Protocol first. Most of these goroutines are
// waiting at any time, and the garbage collector scans the stack of each, so there are few frames between the start and
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
		loop := c.newLoop()
		if err == nil {
			err = loop.serve()
		}
		if err == errDeepStack {
			c.stack.kept = true
			err = withDeepStack(loop)
		}
		returned = true
		if err != errParked {
			c.finish(err)
		}
	}()
}

// serveLoop reads the input of a connection and gives it to the Protocol.
type serveLoop interface{ serve() error }

// newLoop returns the loop that fits the transport.
func (c *Conn) newLoop() serveLoop {
	if c.tr.Socket() {
		return &latchedLoop{Conn: c}
	}
	return plainLoop{c}
}

// dataPanicked ends a connection whose protocol panicked with v or, if v is nil, called runtime.Goexit.
func (c *Conn) dataPanicked(v any) {
	c.latchFD = transport.NoDescriptor // RawConn.Read has left the latch in its own deferred calls
	if v == nil && c.exitsInOrder {
		c.finish(ErrDone)
		return
	}
	c.eng.logPanic(&c.Link, v)
	c.finish(ErrPanic)
}

// accepted returns the begin function of connections from l.
func accepted(l net.Listener) func(*Conn) (Protocol, error) {
	return func(c *Conn) (Protocol, error) { return c.eng.cfg.New(c, l) }
}

// open gives the connection its Protocol, and passes it input that has been read already.
func (c *Conn) open(begin func(c *Conn) (Protocol, error)) error {
	c.setState(StateNew) // a no-op for an accepted connection
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

// runData calls Data with the unread input and sends the output. A nil error means that the connection goes on.
func (c *Conn) runData() error {
	if !c.everStayedIdle {
		c.setState(StateActive)
	}
	c.dataSince = c.eng.clock.Now()
	idle, begins := c.dataSince-c.idleSince, c.begun == 0 && c.r < c.w && c.work.Load() == 0
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
			c.extra.Load().clearOnGone() // this side ends the connection
			c.endReader()
			return err
		}
		f, werr := c.out.ReleaseTake()
		if werr = c.flushOr(f, werr, c.dataFlushMode(f)); werr != nil && (err == nil || err == ErrUnlatch) {
			return werr
		}
		// Only now: the background read may not return before the next input arrives.
		if more := c.takeTransport(); err != nil || !more && !again {
			if err == nil && !c.used && c.idleExpired() {
				return ErrIdle
			}
			return err
		}
	}
}

// idleExpired reports whether IdleTimeout has passed while a Data ran whose input was not part of a message. The loop of a
// peer that sends such input all the time might never wait long enough to notice.
func (c *Conn) idleExpired() bool {
	return c.r == c.w && c.work.Load() == 0 &&
		clock.Passed(clock.After(c.idleSince, c.eng.cfg.IdleTimeout), c.eng.clock.Now())
}

// callData calls Data, and calls it again if another protocol took over. again reports that Data was nudged meanwhile.
func (c *Conn) callData() (again bool, err error) {
	var local byte
	for {
		c.became, c.stayedIdle = false, false
		if c.nudged.Load() {
			c.nudged.Store(false)
		}
		before := addressOf(&local)
		n, err := c.proto.Data(c, c.Unread())
		c.stack.noteGrowth(addressOf(&local) != before)
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

// finish ends the connection with the error err; see Protocol. The connection's goroutine calls it once.
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
		c.LimitWrites(slowEndTimeout)
	}
	defer c.close(err) // also if End calls runtime.Goexit
	if isLast(err) {
		err = nil
	}
	c.callEnd(err)
}

// slowEndTimeout limits how long a peer that was too slow may take to receive the output that End appends.
const slowEndTimeout = time.Second

// close closes the connection and releases its resources.
func (c *Conn) close(err error) {
	end := endingFor(err, c.r < c.w)
	if c.proto == nil && c.eng.cfg.OnHandshakeError != nil && c.tr.Secured() {
		end.linger = true // the peer may have been sent the reason
	}
	c.shut(end)
	c.setState(StateClosed)
	c.r = c.w
	c.releaseRunning()
	c.eng.remove(&c.Link)
}

// endingFor returns how a connection ends after err. unread reports that untaken input is left.
func endingFor(err error, unread bool) ending {
	return ending{
		abort:   err == ErrAbort || err == ErrPanic,
		linger:  isLast(err) || err == ErrSlow || unread,
		sending: err == ErrDoneEarly,
		idle:    err == ErrIdle || err == ErrShutdown,
	}
}

// callEnd calls the protocol's End. A panic there is logged and has no other effect.
func (c *Conn) callEnd(err error) {
	if c.proto == nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			c.eng.logPanic(&c.Link, r)
		}
	}()
	c.out.Hold() // close sends what End appends
	c.proto.End(c, err)
}

// endOfInput handles the failure err of a read, and returns the error with which the connection ends. If the peer has
// closed its half, it first waits for outstanding work.
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
		c.ensureExtra().callOnGone() // also callbacks that are registered from now on
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
