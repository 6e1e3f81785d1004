package netconn

import (
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/clock"
	"github.com/shockwave-go/shockwave/internal/lot"
	"github.com/shockwave-go/shockwave/internal/sys"
	"github.com/shockwave-go/shockwave/internal/transport"
)

// watch is a connection's that nobody reads from and that is to be told of.
type watch struct {
	f     func()
	over  atomic.Bool   // f has been called, or the wish taken back
	setup sync.Mutex    // held while Watch decides who watches (d may pass meanwhile), and while siftSealed reads
	done  chan struct{} // closed by the goroutine that reads where there is no lot; else nil
}

// Watch has f called once, on a goroutine of its own, when a connection that is idle is of no more use so: bytes have
// come, or the end of the stream, or writing has failed, or d has passed (0: never). Nothing may be unread, and nobody
// reads until stop or f is called. stop takes the wish back and reports whether f will not be called.
//
// On Linux the lot watches: no goroutine waits and nothing is leased. What TLS says for itself is not told. Elsewhere it
// takes a goroutine.
func (p *Pulled) Watch(d time.Duration, f func()) (stop func() bool) {
	w := &watch{f: f}
	w.setup.Lock()
	defer w.setup.Unlock()
	p.release()
	p.puller = nil
	p.out.TrimIdle(p.tr.Trim)
	here := p.r < p.w || p.tr.Secured() && !p.decryptsNoData() // what the tls.Conn has read ahead
	p.watch.Store(w)
	p.waitUntil(&p.readBy, clock.After(p.eng.clock.Now(), d))
	switch {
	case here || p.out.Err() != nil:
		p.fire(w)
	case !p.ask(lot.Input | lot.Gone):
		w.done = make(chan struct{})
		go p.readWatched(w)
	}
	return func() bool { return p.unwatch(w) }
}

// unwatch takes the wish back.
func (p *Pulled) unwatch(w *watch) bool {
	if w.over.Swap(true) {
		return false
	}
	p.endWatch(w)
	return true
}

// fire grants the wish.
func (p *Pulled) fire(w *watch) {
	if w.over.Swap(true) {
		return
	}
	go func() {
		p.endWatch(w)
		w.f()
	}()
}

func (p *Pulled) endWatch(w *watch) {
	p.watch.Store(nil)
	p.readBy.Store(0)
	w.setup.Lock()
	done := w.done
	w.setup.Unlock()
	if done == nil {
		p.mu.Lock()
		p.asked &^= lot.Input | lot.Gone
		p.mu.Unlock()
		return
	}
	p.tr.WakeReader()
	<-done
	p.tr.ReaderWoken()
}

// happened implements reader.
func (p *Pulled) lotEvent(what lot.Event) {
	switch w := p.watch.Load(); {
	case w == nil:
	case what&lot.Gone != 0:
		p.fire(w)
	default:
		go p.sift(w)
	}
}

// sift tells of what has come, unless it was only TLS that spoke for itself, or an event from before the watch, of bytes
// that have been read since.
func (p *Pulled) sift(w *watch) {
	nothing := false
	if p.tr.Secured() {
		nothing = p.siftTLS(w)
	} else {
		p.tr.Raw().Control(func(fd uintptr) { nothing = sys.Unread(int(fd)) == 0 })
	}
	if nothing && (w.over.Load() || p.ask(lot.Input|lot.Gone)) {
		return
	}
	p.fire(w)
}

// siftSealed receives what has come and reports whether nothing of it is for the reader. It is the reader meanwhile.
func (p *Pulled) siftTLS(w *watch) bool {
	w.setup.Lock() // endWatch waits for it; not p.mu, which a flush may need
	defer w.setup.Unlock()
	return w.over.Load() || p.receivesNoData()
}

// onlyRecords receives what has come, over TLS, and reports whether nothing of it is for the reader. It is the reader's.
func (p *Pulled) receivesNoData() bool {
	errno := syscall.EAGAIN
	p.tr.Raw().Control(func(fd uintptr) {
		space := p.tr.Ciphertext()
		var n int
		if n, errno = sys.Recv(int(fd), space); errno == 0 && n > 0 {
			p.eng.stats.in(n)
			p.tr.Arrived(nil, n)
		} else if errno == 0 {
			errno = syscall.EPIPE
		}
	})
	if errno != 0 && errno != syscall.EAGAIN {
		return false
	}
	return p.decryptsNoData()
}

// onlyTLS reads what the tls.Conn has received, and reports whether nothing of it is for the reader. It is the reader's.
func (p *Pulled) decryptsNoData() bool {
	space, err := p.space(p.eng.cfg.ReadBuffer, p.eng.cfg.MaxUnread)
	if err != nil {
		return false
	}
	n, err := p.tr.Decrypt(space)
	p.w += n
	p.tr.TrimInput()
	if p.tr.TLSWrote() {
		p.flush(p.out.TakeNone(), flushTry)
	}
	if n > 0 || !transport.WouldBlock(err) {
		return false
	}
	p.release()
	return true
}

// readWatched reads where no lot tells, until something comes or the wish is taken back.
func (p *Pulled) readWatched(w *watch) {
	defer close(w.done)
	for !w.over.Load() {
		space, err := p.space(p.eng.cfg.ReadBuffer, p.eng.cfg.MaxUnread)
		n := 0
		if err == nil {
			n, err = p.tr.Read(space)
			p.eng.stats.in(p.tr.Received(n))
			p.w += n
		}
		if err == nil || !transport.TimedOut(err) || !p.tr.ReaderWoken() { // also at a deadline that somebody else has set
			p.fire(w)
			return
		}
	}
}
