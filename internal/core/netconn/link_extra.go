package netconn

import (
	"sync"
	"sync/atomic"
)

// linkExtra is the state of a Link that few connections need.
type linkExtra struct {
	readBy, writeBy atomic.Int64 // a clock.Due each: set by SetReadDeadline, SetWriteDeadline and the like
	writeTimeout    atomic.Int64 // set by SetWriteTimeout; 0: Config's
	wakeCh          atomic.Pointer[chan struct{}]
	hijacked        atomic.Pointer[hijackedConn] // what Hijack returned inside the latch

	goneReader goneReader

	calling sync.Mutex // held while callbacks of OnGone are called, never by who holds mu

	mu        sync.Mutex
	onGone    []goneFunc // callbacks of OnGone
	goneCalls uint64     // how many there have been
	peerGone  bool       // the peer has gone: callbacks added now are called at once
}

// goneFunc is a callback of OnGone. Its number tells it from others with the same function.
type goneFunc struct {
	number uint64
	f      func()
	inline bool // f is called on the goroutine that notices
}

// call calls the function. The caller must not hold linkExtra.mu.
func (g goneFunc) call() {
	if g.inline {
		g.f()
	} else {
		go g.f()
	}
}

// ensureExtra returns l.extra and creates it if necessary.
func (l *Link) ensureExtra() *linkExtra {
	if w := l.extra.Load(); w != nil {
		return w
	}
	return l.newExtra()
}

func (l *Link) newExtra() *linkExtra {
	l.extra.CompareAndSwap(nil, new(linkExtra))
	return l.extra.Load()
}

// openWakeCh returns a channel that signalWake sends to.
func (w *linkExtra) openWakeCh() <-chan struct{} {
	c := make(chan struct{}, 1)
	w.wakeCh.Store(&c)
	return c
}

// signalWake wakes the goroutine that receives from openWakeCh's channel.
func (w *linkExtra) signalWake() {
	if c := w.wakeCh.Load(); c != nil {
		select {
		case *c <- struct{}{}:
		default:
		}
	}
}

// addOnGone keeps f until callOnGone, or until ForgetGone is called with the number that it returns. If the peer has gone
// already, it calls f.
func (w *linkExtra) addOnGone(f goneFunc) (number uint64) {
	w.mu.Lock()
	w.goneCalls++
	f.number = w.goneCalls
	gone := w.peerGone
	if !gone {
		w.onGone = append(w.onGone, f)
	}
	w.mu.Unlock()
	if gone {
		f.call()
	}
	return f.number
}

// callOnGone calls all callbacks that are kept. w may be nil. If another goroutine is calling them, it waits until they have
// returned: a read that fails returns behind those that are called inline, whoever has noticed the peer's end first.
func (w *linkExtra) callOnGone() {
	if w == nil {
		return
	}
	w.calling.Lock()
	defer w.calling.Unlock()
	w.mu.Lock()
	w.peerGone = true
	calls := w.onGone
	w.onGone = nil
	w.mu.Unlock()
	for _, f := range calls {
		f.call()
	}
}

// ForgetGone implements GoneKeeper.
func (w *linkExtra) ForgetGone(number uint64) bool {
	w.mu.Lock()
	i := len(w.onGone) - 1
	for i >= 0 && w.onGone[i].number != number {
		i--
	}
	if last := len(w.onGone) - 1; i >= 0 { // their order does not matter: each is called on a goroutine of its own
		w.onGone[i], w.onGone[last] = w.onGone[last], goneFunc{}
		w.onGone = w.onGone[:last]
	}
	w.mu.Unlock()
	return i >= 0
}

// clearOnGone removes all callbacks. w may be nil.
func (w *linkExtra) clearOnGone() {
	if w != nil {
		w.mu.Lock()
		w.onGone = nil
		w.mu.Unlock()
	}
}

// knowsGone reports whether callOnGone has been called. w may be nil.
func (w *linkExtra) knowsGone() bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.peerGone
}

// hasOnGone reports whether a callback is kept.
func (w *linkExtra) hasOnGone() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.onGone) > 0
}
