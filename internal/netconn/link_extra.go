package netconn

import (
	"slices"
	"sync"
	"sync/atomic"
)

// linkExtra is the state of a Link that few connections need.
type linkExtra struct {
	readBy, writeBy atomic.Int64 // set by SetReadDeadline and SetWriteDeadline
	writeTimeout    atomic.Int64 // set by SetWriteTimeout; 0: Config's
	wakeCh          atomic.Pointer[chan struct{}]
	hijacked        atomic.Pointer[hijackedConn] // what Hijack returned inside the latch

	goneReader goneReader

	mu        sync.Mutex
	onGone    []goneCall // callbacks of OnGone
	goneCalls uint64     // how many there have been
	peerGone  bool       // the peer has gone: callbacks added now are called at once
}

// goneCall is a callback of OnGone. Its number tells it from others with the same function.
type goneCall struct {
	number uint64
	f      func()
}

// ensureExtra returns l.extra and creates it if necessary.
func (l *Link) ensureExtra() *linkExtra {
	for {
		if w := l.extra.Load(); w != nil {
			return w
		}
		l.extra.CompareAndSwap(nil, new(linkExtra))
	}
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

// addOnGone keeps f until callOnGone, or until removeOnGone is called with the number that it returns. If the peer has
// gone already, it calls f.
func (w *linkExtra) addOnGone(f func()) (number uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.goneCalls++
	if w.peerGone {
		go f()
	} else {
		w.onGone = append(w.onGone, goneCall{w.goneCalls, f})
	}
	return w.goneCalls
}

// callOnGone calls all callbacks that are kept. w may be nil.
func (w *linkExtra) callOnGone() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.peerGone = true
	for _, c := range w.onGone {
		go c.f()
	}
	w.onGone = nil
}

// removeOnGone removes a callback. It reports whether that was still kept, so that it will not be called.
func (w *linkExtra) removeOnGone(number uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.onGone, func(c goneCall) bool { return c.number == number })
	if i < 0 {
		return false
	}
	w.onGone = slices.Delete(w.onGone, i, i+1)
	return true
}

// clearOnGone removes all callbacks. w may be nil.
func (w *linkExtra) clearOnGone() {
	if w != nil {
		w.mu.Lock()
		w.onGone = nil
		w.mu.Unlock()
	}
}

// hasOnGone reports whether a callback is kept.
func (w *linkExtra) hasOnGone() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.onGone) > 0
}
