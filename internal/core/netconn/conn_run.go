package netconn

import (
	"errors"
	"net"

	"github.com/shockwave-go/shockwave/internal/core/deepstack"
)

// runner is what a connection's goroutine does: it runs Data, waits for input and for work, and ends the connection. Only that
// goroutine uses it.
type runner struct{ *Conn }

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
				runner{c}.dataPanicked(recover())
			}
		}()
		var err error
		if begin != nil {
			err = runner{c}.open(begin)
		}
		loop := runner{c}.newLoop()
		if err == nil {
			err = loop.serve()
		}
		if err == errDeepStack {
			err = c.stack.Keep(loop.serve)
		}
		returned = true
		if err != errParked {
			runner{c}.finish(err)
		}
	}()
}

// errDeepStack is returned by a serve loop to be called again with a deep stack; see package deepstack.
var errDeepStack = errors.New("netconn: the stack has grown")

// serveLoop reads the input of a connection and gives it to the Protocol.
type serveLoop interface{ serve() error }

// newLoop returns the loop that fits the transport.
func (c runner) newLoop() serveLoop {
	if c.tr.Socket() {
		return &latchedLoop{runner: c}
	}
	return plainLoop{c}
}

// dataPanicked ends a connection whose protocol panicked with v or, if v is nil, called runtime.Goexit.
func (c runner) dataPanicked(v any) {
	c.latch.leave() // RawConn.Read has left the latch in its own deferred calls
	if v == nil && c.exitsInOrder {
		c.finish(ErrDone)
		return
	}
	c.eng.logPanic(c.RemoteAddr(), v)
	c.finish(ErrPanic)
}

// accepted returns the begin function of connections from l.
func accepted(l net.Listener) func(*Conn) (Protocol, error) {
	return func(c *Conn) (Protocol, error) { return c.cfg.New(c, l) }
}

// open gives the connection its Protocol, and passes it input that has been read already.
func (c runner) open(begin func(c *Conn) (Protocol, error)) error {
	c.setState(StateNew) // a no-op for an accepted connection
	p, err := begin(c.Conn)
	if p != nil {
		c.become(p)
	}
	c.msg.turn = inMessage
	c.beginWait()
	if err == nil && !c.in.Empty() {
		if err = c.runData(); err == nil {
			c.beginWait()
		}
	}
	return err
}

// runData calls Data with the unread input and sends the output. A nil error means that the connection goes on.
func (c runner) runData() error {
	if !c.reported.afterData {
		c.setState(StateActive)
	}
	c.dataSince = c.eng.clock.Now()
	idle, begins := c.dataSince-c.idleSince, c.msg.begun == 0 && !c.in.Empty() && !c.work.goesOn()
	for {
		c.releaseTransport()
		c.out.Hold()
		again, err := c.callData()
		if begins && !c.msg.turn.stayed() {
			c.frequency.noteMessage(idle, int64(c.cfg.IdlePark))
			begins = false
		}
		if c.ownership.is(hijacked) {
			return ErrHijacked
		}
		if !c.msg.turn.stayed() {
			c.setState(StateActive)
		}
		if x := c.extra.Load(); x != nil && x.readBy.Load() != 0 {
			x.readBy.Store(0)
		}
		if err == ErrAbort || c.aborted() {
			return ErrAbort
		}
		if isLast(err) {
			c.goneCalls().Clear() // this side ends the connection
			c.endReader()
			return err
		}
		f, werr := c.out.ReleaseTake()
		if werr = c.flushOr(f, werr, c.dataFlushMode(f)); werr != nil && (err == nil || err == ErrUnlatch) {
			return werr
		}
		// Only now: the background read may not return before the next input arrives.
		if more := c.takeTransport(); err != nil || !more && !again {
			if err == nil && c.msg.turn == onlyStayed && c.idleExpired() {
				return ErrIdle
			}
			return err
		}
	}
}

// callData calls Data, and calls it again if another protocol took over. again reports that Data was nudged meanwhile.
func (c runner) callData() (again bool, err error) {
	var local byte
	for {
		c.became = false
		c.msg.turn.runBegins()
		c.work.runs()
		before := deepstack.AddressOf(&local)
		n, err := c.proto.Data(c.Conn, c.Unread())
		c.stack.Note(deepstack.AddressOf(&local) != before)
		c.msg.turn.runEnds()
		if c.ownership.is(hijacked) {
			return false, err
		}
		if n != 0 {
			c.Take(n)
		}
		if err != nil || c.in.Empty() || !c.became {
			return c.work.nudged.Load(), err
		}
	}
}
