package netconn

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

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
	buf     []byte // from the pool
	n       int    // bytes read into buf
	stop    atomic.Bool
	begun   chan struct{} // closed when the goroutine runs
	done    chan struct{} // closed when the read is over
	awaited atomic.Bool   // await has been called
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
	if c.extra.Load().hasOnGone() {
		o.ensure(c)
	}
}

// ensure returns the read in progress, and starts one if there is none. It returns nil if the loop, Fill or Read reads.
func (o *goneReader) ensure(c *Conn) *backgroundRead {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.current == nil && c.ownership.Load() == ownedNotReading {
		o.current = &backgroundRead{buf: bufpool.Get(backgroundRoom), begun: make(chan struct{}), done: make(chan struct{})}
		go o.current.run(c)
	}
	return o.current
}

// sees reports whether a read has shown that the peer has gone. A read that has begun just now is given a moment.
func (o *goneReader) sees(c *Conn) bool {
	if b := o.ensure(c); b != nil && !b.awaited.Swap(true) {
		b.await(c.eng.clock.Now() > c.dataSince)
	}
	return c.over()
}

// goneMoment is how long a look for the peer's end waits for a read, which may find that end at once, or wait for input for
// ever. Tests change it.
var goneMoment = time.Millisecond

// goneYields is how often a look lets other goroutines run before that.
const goneYields = 20

// await gives the read time to find an end that is there already. A goroutine that asks as soon as its message has arrived
// is held up for the time of a few switches only; long means that it has had other work to do since.
func (b *backgroundRead) await(long bool) {
	<-b.begun
	for range goneYields {
		select {
		case <-b.done:
			return
		default:
			runtime.Gosched()
		}
	}
	if !long {
		return
	}
	moment := time.NewTimer(goneMoment)
	defer moment.Stop()
	select {
	case <-b.done:
	case <-moment.C:
	}
}

func (b *backgroundRead) run(c *Conn) {
	defer close(b.done)
	close(b.begun)
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
