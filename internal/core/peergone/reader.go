package peergone

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// readRoom is how much a background read takes. A handler that reads a body meanwhile, more slowly than it arrives, gets no more
// than that at a time.
const readRoom = 4 << 10

// Transport is read in the background. Any goroutine may call its methods.
type Transport interface {
	// MayRead reports whether nobody else reads.
	MayRead() bool
	// Read waits for input and reads it into p.
	Read(p []byte) (n int, err error)
	// Woken reports whether err, with which Read has failed, means that it was only woken.
	Woken(err error) bool
	// NoteGone is called when Read has failed: the peer has gone.
	NoteGone()
	// Long reports whether the message at hand has been worked on for a while.
	Long() bool
	// Over reports whether the connection is known to be of no use any more.
	Over() bool
}

// Reader detects the peer's end where only a read can: it reads in the background while nobody else reads. The zero Reader is
// ready for use. All methods may be called concurrently.
type Reader struct {
	mu      sync.Mutex
	current *Read
}

// Read is one read of a Reader.
type Read struct {
	buf     []byte // from the pool
	n       int    // bytes read into buf
	stop    atomic.Bool
	begun   chan struct{} // closed when the goroutine runs
	done    chan struct{} // closed when the read is over
	awaited atomic.Bool   // await has been called
}

// Take returns the read in progress, if any, and forgets it. The caller must End it.
func (r *Reader) Take() *Read {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.current
	r.current = nil
	return b
}

// Start returns the read in progress, and starts one if there is none. It returns nil if t may not be read.
func (r *Reader) Start(t Transport) *Read {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil && t.MayRead() {
		r.current = &Read{buf: bufpool.Get(readRoom), begun: make(chan struct{}), done: make(chan struct{})}
		go r.current.run(t)
	}
	return r.current
}

// Sees reports whether a read has shown that the peer has gone. A read that has begun just now is given some time to find that
// out.
func (r *Reader) Sees(t Transport) bool {
	if b := r.Start(t); b != nil && !b.awaited.Swap(true) {
		b.await(t.Long())
	}
	return t.Over()
}

// moment is how long a look for the peer's end waits for a read, which may find that end at once, or wait for input for ever.
const moment = time.Millisecond

// yields is how often a look lets other goroutines run before that.
const yields = 20

// await gives the read time to find an end that is there already. A goroutine that asks as soon as its message has arrived is
// held up for the time of a few switches only; long means that it has had other work to do since.
func (b *Read) await(long bool) {
	<-b.begun
	for range yields {
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
	timer := time.NewTimer(moment)
	defer timer.Stop()
	select {
	case <-b.done:
	case <-timer.C:
	}
}

// Stop makes the read end when it is woken.
func (b *Read) Stop() { b.stop.Store(true) }

// Wait waits until the read is over.
func (b *Read) Wait() { <-b.done }

// Input returns what the read, which is over, has read. It is valid until Release.
func (b *Read) Input() []byte { return b.buf[:b.n] }

// Release returns the buffer of the read, which is over, to the pool.
func (b *Read) Release() { bufpool.Put(b.buf) }

func (b *Read) run(t Transport) {
	defer close(b.done)
	close(b.begun)
	for {
		n, err := t.Read(b.buf)
		b.n = n
		if n > 0 {
			return
		}
		if !t.Woken(err) {
			t.NoteGone()
			return
		}
		if b.stop.Load() {
			return
		}
	}
}
