package netconn

import (
	"errors"
	"net"
	"time"
)

// errParked is what a serve loop returns when the connection went to the lot: its goroutine ends, it does not.
var errParked = errors.New("netconn: parked")

// begin gives a new connection its goroutine, over TLS after the handshake; l is the listener it came from, nil for one
// that we opened.
func (c *Conn) begin(l net.Listener) {
	if c.shim != nil {
		c.eng.handshakers.greet(newcomer{c, l})
		return
	}
	c.launch(accepted(l))
}

// accepted returns what a connection from l begins with.
func accepted(l net.Listener) func(*Conn) (Protocol, error) {
	return func(c *Conn) (Protocol, error) { return c.eng.cfg.New(c, l) }
}

// resume gives a connection that comes from the lot a goroutine again.
func (c *Conn) resume() { c.launch(nil) }

// launch starts a connection's goroutine; begin makes the Protocol of one that has none. Most of these goroutines wait at
// any time, and the garbage collector looks through the stack of each: so there are few frames between its start and
// the wait.
func (c *Conn) launch(begin func(c *Conn) (Protocol, error)) {
	go func() {
		if c.running == nil {
			c.running = runnings.Get().(*running)
		}
		returned := false
		defer func() {
			if !returned {
				c.fell(recover())
			}
		}()
		var err error
		if begin != nil {
			err = c.open(begin)
		}
		switch {
		case err != nil:
		case c.socket:
			err = c.serveLatched()
		default:
			err = c.servePlain()
		}
		returned = true
		if err != errParked {
			c.finish(err)
		}
	}()
}

// fell ends a connection whose protocol panicked or called runtime.Goexit. v is what it panicked with, nil for Goexit.
func (c *Conn) fell(v any) {
	c.latched = false // the latch, if we were in it, has been left by its own defers
	c.logPanic(v)
	c.finish(ErrPanic)
}

// open makes the connection ready for its first byte, and gives the Protocol those that are there already.
func (c *Conn) open(begin func(c *Conn) (Protocol, error)) error {
	c.setState(StateNew) // over TLS it is already
	p, err := begin(c)
	c.proto = p
	c.beginWait()
	if err == nil && c.r < c.w {
		if err = c.runData(); err == nil {
			c.beginWait()
		}
	}
	return err
}

// servePlain is the serve loop over a net.Conn of any kind.
func (c *Conn) servePlain() error {
	for look := false; ; {
		space, err := c.space()
		if err != nil {
			return err
		}
		c.armWait()
		last := look || c.r == c.w && c.Draining()
		look = false
		if last {
			c.lookBriefly()
		}
		n, err := c.transportRead(space)
		c.readBy.Store(0)
		switch {
		case n > 0:
			c.w += n
			if err = c.runData(); err == nil {
				c.beginWait()
			}
		case isTimeout(err):
			c.unkick()
			if look, err = c.idleVerdict(); look && !last {
				err = nil
			}
		default:
			err = c.endOfInput(err)
		}
		if err != nil {
			return err
		}
	}
}

// lookBriefly has the next read wait for a moment only: an engine that ends answers what has arrived already.
func (c *Conn) lookBriefly() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.nc.SetReadDeadline(time.Now().Add(tick))
	}
}

// runData gives the protocol what is unread and sends what it appended. It returns nil to go on.
func (c *Conn) runData() error {
	c.setState(StateActive)
	if c.begun == 0 {
		c.noteHabit()
	}
	c.last = nil
	c.cork()
	err := c.callData()
	if c.taken.Load() {
		return ErrTaken
	}
	if c.userRead.Load() != 0 {
		c.userRead.Store(0)
	}
	if err == ErrAbort {
		return err
	}
	if werr := c.uncork(isLast(err)); werr != nil && (err == nil || err == ErrUnlatch) {
		return werr
	}
	return err
}

// callData calls Data again as long as there is a reason to: another protocol took over, or bytes came in behind its
// back.
func (c *Conn) callData() error {
	for {
		c.became = false
		n, err := c.proto.Data(c, c.Unread())
		if c.taken.Load() {
			return err
		}
		if n != 0 {
			c.Take(n)
		}
		c.stopWatching()
		more := c.takeBackground()
		if c.watched.Load() {
			c.watched.Store(false)
		}
		if err != nil || c.r == c.w || !c.became && !more {
			return err
		}
	}
}
