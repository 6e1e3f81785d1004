package netconn

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// running is what a connection has while it has a goroutine, whose it is.
type running struct {
	buf     []byte // leased for as long as it holds something
	r, w    int    // buf[r:w] arrived and was not taken
	begun   int64  // when the first byte arrived that Data did not take; 0 when all is taken
	rate    readAccount
	pauses  atomic.Bool // AllowPauses; any goroutine sets it
	fd      int         // the descriptor, inside the latch only
	final   bool        // the owner sends the last that we say
	became  bool        // Data called Become
	sent    bool        // the loop has sent something, inside the latch, since it last received
	verdict error       // why turn left the latch
	last    error       // why the connection ends if the next receive brings nothing; nil if it does not
	puller  *puller     // of a pulled socket; made by the first Fill
	flooded int         // receives in a row that left no space
}

// giveWay is told of a receive of n bytes. Who sends faster than we handle never lets its connection's goroutine wait,
// and the scheduler lets that run for 10 ms at a time: a few such peers would make all others wait for many times that.
func (r *running) giveWay(n, space int) {
	if n < space {
		r.flooded = 0
		return
	}
	if r.flooded++; r.flooded%floodYield == 0 {
		runtime.Gosched()
	}
}

// floodYield is after how many receives that left no space the others have their turn.
const floodYield = 4

func (r *running) reset() {
	r.begun, r.fd, r.verdict, r.last, r.final, r.sent, r.flooded = 0, 0, nil, nil, false, false, 0
	r.rate = readAccount{}
	r.pauses.Store(false)
	r.puller = nil
}

var runnings = sync.Pool{New: func() any { return new(running) }}

// Take says that n bytes of Unread are taken.
func (c *Conn) Take(n int) {
	if n < 0 || n > c.w-c.r {
		panic("netconn: Take of more than there is")
	}
	c.r += n
	c.begun = 0
}

// Unread returns the bytes that arrived and were not taken, valid until the next Fill, Read or return.
func (c *Conn) Unread() []byte { return c.buf[c.r:c.w] }

// BeginMessage starts the account of MinReadRate anew.
func (c *Conn) BeginMessage() {
	c.rate = readAccount{}
	c.pauses.Store(false)
}

// AllowPauses takes MinReadRate off the message in hand: it is half of a conversation, in which the peer may wait for
// us. Any goroutine may call it while Data runs.
func (c *Conn) AllowPauses() { c.pauses.Store(true) }

// Fill flushes, waits until more bytes have arrived and returns Unread. It fails with io.EOF, ErrSlow (the read
// deadline has passed or the peer is below MinReadRate), ErrFull, ErrLatched, or what the socket says; what is unread
// stays.
func (c *Conn) Fill() ([]byte, error) {
	if err := c.beforeRead(); err != nil {
		return nil, err
	}
	var n int
	var err error
	if c.pullsRaw() {
		if c.puller == nil {
			c.puller = newPuller(c)
		}
		n, err = c.readWaiting(nil)
	} else {
		n, err = c.fillSpace()
	}
	c.w += n
	if n == 0 && err != nil {
		return nil, err
	}
	return c.Unread(), nil
}

// fillSpace is Fill where nobody pulls raw; n bytes are to be added to what is unread.
func (c *Conn) fillSpace() (n int, err error) {
	c.enterRead()
	defer c.leaveRead()
	if c.takeBackground() {
		return 0, nil
	}
	space, err := c.space()
	if err != nil {
		return 0, err
	}
	return c.readWaiting(space)
}

// Read copies from Unread and takes what it copied, or, if that is empty, flushes and reads from the socket into p. It
// fails as Fill does.
func (c *Conn) Read(p []byte) (int, error) {
	if c.latched {
		return 0, ErrLatched
	}
	if c.r < c.w {
		n := copy(p, c.buf[c.r:c.w])
		c.Take(n)
		return n, nil
	}
	if err := c.beforeRead(); err != nil || len(p) == 0 {
		return 0, err
	}
	c.enterRead()
	defer c.leaveRead()
	if c.takeBackground() {
		n := copy(p, c.Unread())
		c.Take(n)
		return n, nil
	}
	return c.readWaiting(p)
}

// beforeRead keeps the promise that pending output leaves before any wait. Who pulls does not wait for that: its peer may
// do nothing but write, too.
func (c *Conn) beforeRead() error {
	if c.latched {
		return ErrLatched
	}
	if c.taken.Load() {
		return ErrTaken
	}
	if c.proto == nil {
		return c.pushPending()
	}
	return c.Flush()
}

// readWaiting reads from the transport into p, within the read deadline and the minimum rate. A nil p is for who pulls
// raw: space is leased when there is something to receive.
func (c *Conn) readWaiting(p []byte) (int, error) {
	clock, cfg := c.eng.clock, &c.eng.cfg
	for {
		began := clock.time()
		user := c.userRead.Load()
		if err := c.readVerdict(user, began); err != nil {
			return 0, err
		}
		at := user
		if cfg.MinReadRate > 0 && !c.pauses.Load() {
			at = earlier(at, began+int64(cfg.RateGrace)-c.rate.waited)
		}
		c.waitUntil(&c.readBy, at)
		if c.userRead.Load() != user { // SetReadDeadline did not yet see that we wait
			c.readBy.Store(0)
			continue
		}
		var n int
		var err error
		switch {
		case p != nil:
			n, err = c.transportRead(p)
		case c.shim != nil:
			n, err = c.pullSealed()
		default:
			n, err = c.pull()
		}
		c.readBy.Store(0)
		c.rate.waited += clock.time() - began
		c.rate.bytes += int64(n)
		if n > 0 {
			return n, nil
		}
		if err == nil {
			continue
		}
		if c.aborted.Load() {
			return 0, ErrAbort
		}
		if !isTimeout(err) {
			return 0, err
		}
		c.unkick()
	}
}

// readVerdict tells whether Fill or Read, which must be done at user (0: never), has to give up at now.
func (c *Conn) readVerdict(user, now int64) error {
	cfg := &c.eng.cfg
	if c.aborted.Load() {
		return ErrAbort
	}
	if passed(user, now) || !c.pauses.Load() && c.rate.tooSlow(cfg) {
		c.eng.stats.slow.Add(1)
		return ErrSlow
	}
	return nil
}

// transportRead reads once through net.Conn or tls.Conn.
func (c *Conn) transportRead(p []byte) (n int, err error) {
	if c.shim != nil {
		n, err = c.shim.tls.Read(p)
	} else {
		n, err = c.nc.Read(p)
		c.eng.stats.in(n)
	}
	if n == 0 && err == nil {
		return 0, io.ErrNoProgress
	}
	return n, err
}

// space returns where the next bytes go, behind what is unread.
func (c *Conn) space() ([]byte, error) {
	switch {
	case c.buf == nil:
		c.buf = bufpool.Get(c.eng.cfg.ReadBuffer)
		c.buf = c.buf[:cap(c.buf)]
	case c.r == c.w:
		c.r, c.w = 0, 0
	case c.w < len(c.buf):
	case c.r > 0:
		c.w = copy(c.buf, c.buf[c.r:c.w])
		c.r = 0
	default:
		if most := c.eng.cfg.MaxUnread; most > 0 && len(c.buf) >= most {
			return nil, ErrFull
		}
		c.buf = bufpool.Grow(c.buf, 2*len(c.buf))
		c.buf = c.buf[:cap(c.buf)]
	}
	return c.buf[c.w:], nil
}

// releaseInput gives the buffer back if it holds nothing.
func (c *Conn) releaseInput() {
	if c.buf != nil && c.r == c.w {
		bufpool.Put(c.buf)
		c.buf, c.r, c.w = nil, 0, 0
	}
}

// releaseRunning gives back what the goroutine had; all input has been taken.
func (c *Conn) releaseRunning() {
	c.releaseInput()
	c.running.reset()
	runnings.Put(c.running)
	c.running = nil
}

// unkick takes the mark of a kick back. Whatever was flagged before that kick is seen by who looks afterwards.
func (c *Conn) unkick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.nc.SetReadDeadline(noDeadline)
	}
}
