package netconn

import (
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/lot"
	"github.com/shockwave-go/shockwave/internal/transport"
)

// OnGone calls f once, on a goroutine of its own, when the peer has closed its half, closed or reset the connection, when
// writing to it has failed, or at Abort. stop
// takes the wish back and reports whether f will not be called; it must be called when nobody is interested any more.
// There may be any number of wishes. Any goroutine may call it while Data runs or work is outstanding.
//
// On the plain loop only a read can tell; once it has brought a byte of the next message, nobody looks any more. Where
// no descriptor is left for a lot, f is never called.
func (c *Conn) OnGone(f func()) (stop func() bool) {
	if c.whose.Load() == hijacked {
		return func() bool { return false } // its new owner reads
	}
	w := c.wish()
	w.add(&f)
	if c.out.Err() != nil { // whoever sets it looks for wishes afterwards
		w.grant()
	}
	if c.tr.Socket() {
		c.ask(lot.Gone) // without a lot nobody tells; a read is not to be had, the latch holds its lock
	} else {
		w.lookout.start(c)
	}
	return func() bool { return w.drop(&f) }
}

// peerGone grants the wishes.
func (c *Conn) peerGone() { c.wishes.Load().grant() }

// leaveTransport says that the loop, Fill or Read waits at the transport no longer: on the plain loop, where only a read
// can tell that the peer has gone, one may begin in the background.
func (c *Conn) leaveTransport() {
	if c.tr.Socket() {
		return
	}
	c.whose.Store(between)
	if w := c.wishes.Load(); w != nil {
		w.lookout.start(c)
	}
}

// takeTransport says that they are about to, and ends the background read. It reports whether that has brought a byte,
// which is then the last of Unread. On a transport that has no deadlines it waits for that.
func (c *Conn) takeTransport() bool {
	if c.tr.Socket() {
		return false
	}
	c.whose.Store(ours) // first: a wish that is made from here on finds it so, one made before is seen below
	w := c.wishes.Load()
	if w == nil {
		return false
	}
	b := w.lookout.end()
	if b == nil {
		return false
	}
	b.stop.Store(true)
	c.tr.WakeReader()
	<-b.done
	c.tr.WakeReader() // it may have taken the mark of a wake that was meant for the loop, which has to look at its flags
	if b.n == 0 {
		return false
	}
	c.add(b.one[0])
	return true
}

// lookout looks for the peer's end while Data runs on the plain loop: it reads one byte in the background.
type lookout struct {
	mu   sync.Mutex
	back *backgroundRead
}

// backgroundRead is one read of the lookout.
type backgroundRead struct {
	one  [1]byte
	n    int
	stop atomic.Bool
	done chan struct{}
}

// end returns the read that has begun.
func (o *lookout) end() *backgroundRead {
	o.mu.Lock()
	defer o.mu.Unlock()
	b := o.back
	o.back = nil
	return b
}

// lookedOut waits for the read that has begun, if there is one: the connection has been closed under it. w may be nil.
func (w *wishes) lookedOut() {
	if w == nil {
		return
	}
	if b := w.lookout.end(); b != nil {
		<-b.done
	}
}

// start starts a read if it is wanted and nobody reads.
func (o *lookout) start(c *Conn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.whose.Load() != between || o.back != nil || !c.wishes.Load().any() {
		return
	}
	o.back = &backgroundRead{done: make(chan struct{})}
	go o.back.run(c)
}

func (b *backgroundRead) run(c *Conn) {
	defer close(b.done)
	for {
		n, err := c.read(b.one[:])
		b.n = n
		if n > 0 {
			return
		}
		if !transport.TimedOut(err) || !c.tr.ReaderWoken() {
			c.peerGone()
			return
		}
		if b.stop.Load() {
			return
		}
	}
}
