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
	if c.ownership.Load() == hijacked {
		return func() bool { return false } // its new owner reads
	}
	w := c.ensureExtra()
	w.addOnGone(&f)
	if c.out.Err() != nil { // whoever sets it looks for wishes afterwards
		w.callOnGone()
	}
	if c.tr.Socket() {
		c.ask(lot.Gone) // without a lot nobody tells; a read is not to be had, the latch holds its lock
	} else {
		w.goneReader.start(c)
	}
	return func() bool { return w.removeOnGone(&f) }
}

// peerGone grants the wishes.
func (c *Conn) peerGone() { c.extra.Load().callOnGone() }

// leaveTransport says that the loop, Fill or Read waits at the transport no longer: on the plain loop, where only a read
// can tell that the peer has gone, one may begin in the background.
func (c *Conn) releaseTransport() {
	if c.tr.Socket() {
		return
	}
	c.ownership.Store(ownedNotReading)
	if w := c.extra.Load(); w != nil {
		w.goneReader.start(c)
	}
}

// takeTransport says that they are about to, and ends the background read. It reports whether that has brought a byte,
// which is then the last of Unread. On a transport that has no deadlines it waits for that.
func (c *Conn) takeTransport() bool {
	if c.tr.Socket() {
		return false
	}
	c.ownership.Store(owned) // first: a wish that is made from here on finds it so, one made before is seen below
	w := c.extra.Load()
	if w == nil {
		return false
	}
	b := w.goneReader.take()
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
type goneReader struct {
	mu      sync.Mutex
	current *backgroundRead
}

// backgroundRead is one read of the lookout.
type backgroundRead struct {
	one  [1]byte
	n    int
	stop atomic.Bool
	done chan struct{}
}

// end returns the read that has begun.
func (o *goneReader) take() *backgroundRead {
	o.mu.Lock()
	defer o.mu.Unlock()
	b := o.current
	o.current = nil
	return b
}

// lookedOut waits for the read that has begun, if there is one: the connection has been closed under it. w may be nil.
func (w *linkExtra) awaitGoneReader() {
	if w == nil {
		return
	}
	if b := w.goneReader.take(); b != nil {
		<-b.done
	}
}

// start starts a read if it is wanted and nobody reads.
func (o *goneReader) start(c *Conn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.ownership.Load() != ownedNotReading || o.current != nil || !c.extra.Load().hasOnGone() {
		return
	}
	o.current = &backgroundRead{done: make(chan struct{})}
	go o.current.run(c)
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
