package netconn

import (
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/lot"
	"github.com/shockwave-go/shockwave/internal/core/sys"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// watch is a Watch in progress.
type watch struct {
	f     func()
	over  atomic.Bool   // f has been called, or the watch was stopped
	setup sync.Mutex    // held while Watch starts the watch, during which d may pass, and while siftTLS reads
	done  chan struct{} // closed by readWatched when it ends; nil if the lot watches
}

// Watch calls f once, on a goroutine of its own, when an idle connection can no longer be used as such: input or the
// end of the stream has arrived, writing has failed, or d has passed (0: never). There must be no unread input, and the
// connection must not be read until stop has returned or f is called. stop ends the watch and reports whether f will
// not be called.
//
// On Linux the lot watches: no goroutine waits and no buffer is held. TLS records that carry no data are not reported.
// Elsewhere a watch takes a goroutine, which reads. If the deadlines of the net.Conn do nothing, that read cannot be ended
// without the connection: it is aborted after maxUnwatch, before stop returns or f is called.
func (p *Pulled) Watch(d time.Duration, f func()) (stop func() bool) {
	w := &watch{f: f}
	w.setup.Lock()
	defer w.setup.Unlock()
	p.in.Release()
	p.puller = nil
	p.out.TrimIdle(p.tr.Trim)
	here := !p.in.Empty() || p.tr.Secured() && !p.decryptsNoData() // input that the tls.Conn has read ahead
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

// unwatch stops the watch.
func (p *Pulled) unwatch(w *watch) bool {
	if w.over.Swap(true) {
		return false
	}
	p.endWatch(w)
	return true
}

// fire ends the watch and calls its function.
func (p *Pulled) fire(w *watch) {
	if w.over.Swap(true) {
		return
	}
	go func() {
		p.endWatch(w)
		w.f()
	}()
}

// maxUnwatch is how long the read of readWatched may go on when its watch has ended, before the connection is aborted. A busy
// machine may let the goroutine that reads wait for a few hundred milliseconds, which is no reason to abort.
const maxUnwatch = time.Second

// endWatch ends the watch, and the read of readWatched within maxUnwatch. An abort is over when it returns.
func (p *Pulled) endWatch(w *watch) {
	p.watch.Store(nil)
	p.readBy.Store(0)
	w.setup.Lock()
	done := w.done
	w.setup.Unlock()
	if done == nil {
		p.forget(lot.Input | lot.Gone)
		return
	}
	p.tr.WakeReader()
	stop := p.abortAfter(maxUnwatch)
	<-done
	stop()
	p.tr.ReaderWoken()
}

// lotEvent implements reader.
func (p *Pulled) lotEvent(what lot.Event) {
	switch w := p.watch.Load(); {
	case w == nil:
	case what&lot.Gone != 0:
		p.fire(w)
	default:
		go p.sift(w)
	}
}

// sift fires the watch, unless the event was caused by TLS records without data, or dates from before the watch and its
// bytes have been read since.
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

// siftTLS receives and reports whether no data was among it. It acts as the connection's reader meanwhile.
func (p *Pulled) siftTLS(w *watch) bool {
	w.setup.Lock() // endWatch waits for it. Not p.mu: flush may need that.
	defer w.setup.Unlock()
	return w.over.Load() || p.receivesNoData()
}

// receivesNoData receives from a TLS connection and reports whether no data was among it. Only the reader may call it.
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

// decryptsNoData decrypts what the tls.Conn has received, and reports whether no data was among it. Only the reader may
// call it.
func (p *Pulled) decryptsNoData() bool {
	space, err := p.space()
	if err != nil {
		return false
	}
	n, err := p.tr.Decrypt(space)
	p.in.Arrived(n)
	p.tr.TrimInput()
	if p.tr.TLSWrote() {
		p.flush(p.out.TakeNone(), flushTry)
	}
	if n > 0 || !transport.WouldBlock(err) {
		return false
	}
	p.in.Release()
	return true
}

// readWatched reads where no lot watches, until input comes or the watch is stopped.
func (p *Pulled) readWatched(w *watch) {
	defer close(w.done)
	for !w.over.Load() {
		space, err := p.space()
		n := 0
		if err == nil {
			n, err = p.tr.Read(space)
			p.eng.stats.in(p.tr.Received(n))
			p.in.Arrived(n)
		}
		// A timeout that is not a wake comes from a deadline that was set on the net.Conn itself.
		if err == nil || !transport.TimedOut(err) || !p.tr.ReaderWoken() {
			p.fire(w)
			return
		}
	}
}
