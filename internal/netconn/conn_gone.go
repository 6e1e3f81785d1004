package netconn

import (
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/lot"
	"github.com/shockwave-go/shockwave/internal/transport"
)

// GoneCall is a call of OnGone. The zero GoneCall is none.
type GoneCall struct {
	Keeper GoneKeeper
	Number uint64 // tells the calls apart that Keeper keeps
}

// GoneKeeper keeps the functions that OnGone was called with.
type GoneKeeper interface {
	// ForgetGone drops the function of a call, and reports whether it was still kept, so that it will not be called.
	ForgetGone(number uint64) bool
}

// Stop cancels the call and reports whether its function will not be called. Any goroutine may call it at any time.
func (g GoneCall) Stop() bool { return g.Keeper != nil && g.Keeper.ForgetGone(g.Number) }

// OnGone calls f once, on a goroutine of its own, when the peer has closed its half, closed or reset the connection,
// when writing to it has failed, or at Abort. The caller must stop the call when it has no more use for f. Any number of
// callbacks may be registered. Any goroutine may call OnGone while Data runs or work is outstanding.
//
// On the plain loop only a read can detect the peer's end. Once that read has returned some of the next message, no
// other is started. Where the process has no descriptor left for a lot, f is never called for the peer's end.
func (c *Conn) OnGone(f func()) GoneCall {
	if c.ownership.Load() == hijacked {
		return GoneCall{} // the new owner reads
	}
	w := c.ensureExtra()
	number := w.addOnGone(f)
	if c.out.Err() != nil { // the goroutine that sets the error calls the callbacks afterwards
		w.callOnGone()
	}
	if c.tr.Socket() {
		c.ask(lot.Gone) // without a lot nothing reports the end: the latch holds the read lock, so a read is not possible
	} else {
		w.goneReader.start(c)
	}
	return GoneCall{w, number}
}

// peerGone calls the callbacks of OnGone.
func (c *Conn) peerGone() { c.extra.Load().callOnGone() }

// releaseTransport notes that the loop, Fill or Read no longer waits for the transport. On the plain loop a background
// read may begin, since only a read can detect that the peer has gone.
func (c *Conn) releaseTransport() {
	if !c.tr.Socket() {
		c.allowBackgroundRead()
	}
}

func (c *Conn) allowBackgroundRead() {
	c.ownership.Store(ownedNotReading)
	if w := c.extra.Load(); w != nil {
		w.goneReader.start(c)
	}
}

// takeTransport notes that the loop, Fill or Read is about to wait for the transport, and ends the background read. It
// reports whether that read returned input, which is then at the end of Unread. On a transport without deadlines,
// takeTransport waits for the background read.
func (c *Conn) takeTransport() bool { return !c.tr.Socket() && c.endBackgroundRead() }

func (c *Conn) endBackgroundRead() bool {
	c.ownership.Store(owned) // first: a callback that is registered later finds it so, one registered before is seen below
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
	c.tr.WakeReader() // the read may have consumed a wake that was meant for the loop, which must check its flags
	defer bufpool.Put(b.buf)
	c.add(b.buf[:b.n])
	return b.n > 0
}

// backgroundRoom is how much a background read takes. A handler that reads a body meanwhile, more slowly than it arrives,
// gets no more than that at a time.
const backgroundRoom = 4 << 10

// goneReader detects the peer's end while Data runs on the plain loop: it reads in the background.
type goneReader struct {
	mu      sync.Mutex
	current *backgroundRead
}

// backgroundRead is one read of a goneReader.
type backgroundRead struct {
	buf  []byte // from the pool
	n    int    // bytes read into buf
	stop atomic.Bool
	done chan struct{}
}

// take returns the read in progress, if any, and forgets it.
func (o *goneReader) take() *backgroundRead {
	o.mu.Lock()
	defer o.mu.Unlock()
	b := o.current
	o.current = nil
	return b
}

// awaitGoneReader waits for the background read in progress, if any. The connection has been closed. w may be nil.
func (w *linkExtra) awaitGoneReader() {
	if w == nil {
		return
	}
	if b := w.goneReader.take(); b != nil {
		<-b.done
		bufpool.Put(b.buf)
	}
}

// start starts a read if a callback is registered, no read is in progress and neither the loop, Fill nor Read reads.
func (o *goneReader) start(c *Conn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.ownership.Load() != ownedNotReading || o.current != nil || !c.extra.Load().hasOnGone() {
		return
	}
	o.current = &backgroundRead{buf: bufpool.Get(backgroundRoom), done: make(chan struct{})}
	go o.current.run(c)
}

func (b *backgroundRead) run(c *Conn) {
	defer close(b.done)
	for {
		n, err := c.read(b.buf)
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
