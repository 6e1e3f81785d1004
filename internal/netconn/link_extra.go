package netconn

import (
	"slices"
	"sync"
	"sync/atomic"
)

// wishes are what few connections have.
type linkExtra struct {
	readBy, writeBy atomic.Int64 // SetReadDeadline, SetWriteDeadline
	writeTimeout    atomic.Int64 // SetWriteTimeout; 0: Config's
	wakeCh          atomic.Pointer[chan struct{}]
	hijacked        atomic.Pointer[hijackedConn] // what Hijack gave out inside the latch

	goneReader goneReader

	mu       sync.Mutex
	onGone   []*func() // OnGone
	peerGone bool      // the peer has gone
}

// wish returns l's wishes.
func (l *Link) ensureExtra() *linkExtra {
	for {
		if w := l.extra.Load(); w != nil {
			return w
		}
		l.extra.CompareAndSwap(nil, new(linkExtra))
	}
}

// listen returns a channel that tell sends to.
func (w *linkExtra) openWakeCh() <-chan struct{} {
	c := make(chan struct{}, 1)
	w.wakeCh.Store(&c)
	return c
}

// tell wakes who listens.
func (w *linkExtra) signalWake() {
	if c := w.wakeCh.Load(); c != nil {
		select {
		case *c <- struct{}{}:
		default:
		}
	}
}

// add keeps f until grant or drop. If the peer has gone already it calls it.
func (w *linkExtra) addOnGone(f *func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.peerGone {
		go (*f)()
		return
	}
	w.onGone = append(w.onGone, f)
}

// grant calls all that are kept. w may be nil.
func (w *linkExtra) callOnGone() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.peerGone = true
	for _, f := range w.onGone {
		go (*f)()
	}
	w.onGone = nil
}

// drop forgets f; it reports whether that came in time.
func (w *linkExtra) removeOnGone(f *func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.onGone, f)
	if i < 0 {
		return false
	}
	w.onGone = slices.Delete(w.onGone, i, i+1)
	return true
}

// forget forgets all of them. w may be nil.
func (w *linkExtra) clearOnGone() {
	if w != nil {
		w.mu.Lock()
		w.onGone = nil
		w.mu.Unlock()
	}
}

// any reports whether there is one.
func (w *linkExtra) hasOnGone() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.onGone) > 0
}
